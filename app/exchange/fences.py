"""The fences of code in Markdown, such that nothing in it ends them. https://spec.commonmark.org/0.31.2/#fenced-code-blocks"""

from __future__ import annotations

import re

_RUN = re.compile("`+")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,30}")


def fenced(code: str, language: str = "") -> str:
    """Put code between fences that are longer than any row of backticks in it."""
    fence = "`" * max(3, 1 + max(map(len, _RUN.findall(code)), default=0))
    known = language if _LANGUAGE.fullmatch(language) else ""
    return f"{fence}{known}\n{code}{'' if code.endswith(chr(10)) else chr(10)}{fence}"
