"""How the window looks: panes, controls and marks.

Nothing is decided here: texts and states come from the view models, and what a person does goes back as signals.
"""
