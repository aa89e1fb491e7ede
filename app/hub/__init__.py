"""Hubs of models, searched and fetched from in a process of its own, which alone may open a connection.

The program itself stays offline always: mlx_lm and transformers share its process, and what seals them must hold.

Of huggingface_hub come the addresses, the headers, the kinds of refusals, the layout of the cache and its locks. The
transfer is our own: the library's writes to a file that it removes when anything fails, so that nothing could be gone
on with, takes as many bytes as are sent, and compares no checksum. Xet is left out for the same reasons, and since it
keeps gigabytes of a cache of its own: plain HTTP has all the same files.
"""

FLAG = "--hub"
"""The option with which the program starts itself as that process."""
