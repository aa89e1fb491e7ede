"""The local API: other programs of this computer ask the open model over HTTP."""
