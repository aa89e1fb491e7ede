"""Conversations as files: Espalier's own, Markdown, and what other programs export. Knows no Qt and stores nothing.

A file is read whole or not at all, and none is trusted. Whatever is wrong with one, and with the disk it lies on, is an
`ExchangeError`, whose sentence names the file and the place in it.
"""

from app.exchange.collection import save_all
from app.exchange.espalier import read, write, written
from app.exchange.faults import ExchangeError
from app.exchange.files import file_name, save
from app.exchange.importing import FileImport, Imported, read_any, read_file
from app.exchange.markdown import markdown_of_path, markdown_of_tree, path_in_pieces, tree_in_pieces

__all__ = [
    "ExchangeError",
    "FileImport",
    "Imported",
    "file_name",
    "markdown_of_path",
    "markdown_of_tree",
    "path_in_pieces",
    "read",
    "read_any",
    "read_file",
    "save",
    "save_all",
    "tree_in_pieces",
    "write",
    "written",
]
