"""Conversations: messages, the tree they make, and the database that keeps them. Knows no Qt."""
