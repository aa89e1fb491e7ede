"""From the double click to the window: options, paths, the one running process, and what is said when it fails."""
