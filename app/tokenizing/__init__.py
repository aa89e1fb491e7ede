"""Tokenizers that nobody knows, tried where they can do no harm: in a process that may be ended at any moment.

Standard library only, and transformers in that process.
"""

FLAG = "--try-tokenizer"
"""The option with which the program starts itself as that process."""
