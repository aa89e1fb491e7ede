"""Text of a message as documents: Markdown cut into parts, code in colours, and what is drawn beside them."""
