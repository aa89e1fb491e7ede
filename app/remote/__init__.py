"""The engine that asks a server: the same commands and events as the one of this machine, and no MLX."""
