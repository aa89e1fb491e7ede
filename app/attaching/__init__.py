"""Files as attachments of a question: their text, read within bounds of size, time and memory.

A PDF is read by a process of its own, which may be ended at any moment. Standard library, and pypdf in that process.
"""

FLAG = "--read-pdf"
"""The option with which the program starts itself as that process."""
