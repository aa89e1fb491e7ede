"""The window of models: those of this machine, and those that can be had."""
