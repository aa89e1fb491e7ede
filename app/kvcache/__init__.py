"""The prefix cache: a trie of token runs over the model's own cache objects. The model thread owns all of it."""
