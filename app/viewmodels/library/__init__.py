"""Conversations, folders, search, trash and files, as the sidebar shows them."""
