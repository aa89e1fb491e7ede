"""Espalier: conversations with a local language model that grow as a tree."""

__version__ = "0.1.0"
