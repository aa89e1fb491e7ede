"""How the guide model is made: its texts, its tokenizer, its training and its figures."""
