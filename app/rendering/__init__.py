"""Chat templates, rendered where they can do no harm: a sandbox, and a process that may be ended at any moment.

Standard library and jinja2 only: the process starts in a tenth of a second and holds nothing of the program's.
"""

FLAG = "--render-templates"
"""The option with which the program starts itself as that process."""
