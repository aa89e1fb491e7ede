"""Prompts: from the messages of a branch to the token ids that are asked of a model, and from its tokens back to text.

Nothing here knows MLX, or which engine reads the ids.
"""
