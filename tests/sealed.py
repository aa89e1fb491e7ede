"""Imported before anything else: the process is offline and has no screen, whatever the shell says."""

import os

from app.launch.environment import seal

seal()
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
