"""A picture of the open conversation's branches."""
