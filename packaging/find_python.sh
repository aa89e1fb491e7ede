#!/bin/sh
# Prints the newest suitable Python, or says what is missing and ends with 1. PYTHON=/path/to/python3 overrides it.
suits() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}

for name in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
    if command -v "$name" >/dev/null 2>&1 && suits "$name"; then
        command -v "$name"
        exit 0
    fi
done

{
    if [ -n "$PYTHON" ]; then
        echo "Espalier cannot use $PYTHON: it needs Python 3.13, 3.12 or 3.11 with the venv module."
    else
        echo "Espalier needs Python 3.13, 3.12 or 3.11 with the venv module, and found none."
    fi
    case "$(uname -s)" in
    Darwin) echo "Install one from python.org, or with Homebrew: brew install python@3.13" ;;
    *) echo "On Debian or Ubuntu: apt install python3 python3-venv" ;;
    esac
    echo "Then run the same command again. PYTHON=/path/to/python3.12 make ... names one explicitly."
} >&2
exit 1
