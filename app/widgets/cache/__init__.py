"""The cache pane: how full it is, the prefix trie row by row, and the log of what happened."""
