"""The way to Espalier.app: the macOS wheels, the bundle put together from them, its signature and its disk image."""
