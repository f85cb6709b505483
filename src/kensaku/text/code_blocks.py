"""Blocks of code in Markdown: what stands between two fences is no prose. Pure."""

from __future__ import annotations

import re

# `code` is what stands between the fences. A block that is not closed goes on until the end.
CODE_BLOCK = re.compile(
    r"^[ \t]*+(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>(?s:.*?))(?:^[ \t]*+(?P=fence)[^\n]*\n?|\Z)",
    re.MULTILINE,
)
