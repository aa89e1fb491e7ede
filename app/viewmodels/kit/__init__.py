"""What the view models of all regions share, and which knows no region."""
