"""What is made once and kept, or looked at: icons, licences, pictures of the window, and what is missing to begin."""
