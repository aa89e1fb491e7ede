"""The local API as a person sees it."""
