"""Text of a message as documents: Markdown cut into blocks, code in colours, and what is drawn beside them."""
