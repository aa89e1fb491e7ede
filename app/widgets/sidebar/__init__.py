"""The sidebar: conversations, folders, search results and the trash."""
