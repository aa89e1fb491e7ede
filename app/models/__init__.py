"""The models that are on this machine, found and described without MLX and without Qt."""
