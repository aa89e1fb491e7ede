"""Tokenizers of folders that nobody knows: what their files may hold, and a trial where they can do no harm.

That is a process of its own, which may be ended at any moment. Only there is transformers imported.
"""

FLAG = "--try-tokenizer"
"""The option with which the program starts itself as that process."""
