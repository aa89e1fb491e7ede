"""The servers that a person has added: looked at when they ask for it, and never by themselves."""
