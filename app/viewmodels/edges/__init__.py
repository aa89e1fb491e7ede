"""The edges of the trie and the messages on them: which belong together, and what a person does with either."""
