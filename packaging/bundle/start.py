"""The script that the frozen program begins with."""

import sys

from app.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
