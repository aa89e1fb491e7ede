"""What PyInstaller has to be told to make a whole Espalier: read by `espalier.spec`, checked by the tests."""
