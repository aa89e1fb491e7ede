"""Models that can be had from a hub: what is found there, and what is being downloaded."""
