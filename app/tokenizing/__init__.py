"""Tokenizers of folders that nobody knows: what their files may hold, a trial where they can do no harm, and reading.

The trial is in a process of its own, which may be ended at any moment. Transformers is imported there, and where a
tokenizer is read without its model.
"""

FLAG = "--try-tokenizer"
"""The option with which the program starts itself as that process."""
