"""The chat: messages on their rail, the answer that is being written, and the controls of each message."""
