"""Which functions read a name of a module or a class: found in the source, for want of a trace.

    readers("search/limits.py", "BURST") → {"search/limits.py:Limiter.take", …}

A name that another table is made of is followed: who reads that table reads it, too. Names are
compared as they are written, whatever they refer to: a few tests too many do no harm.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache

from places import functions, owners
from tree import PACKAGE, ROOT

_STEPS = 3  # how many tables a name is followed through


def readers(file: str, name: str) -> set[str]:
    """The functions of the package in which the name stands."""
    found, names = set(), {name} - {""}
    for _ in range(_STEPS):
        uses = {use for n in names for use in _uses()[n]}
        found |= {f"{path}:{function}" for path, function, _ in uses if function}
        names = {owner for _, function, owner in uses if not function and owner} - names
    return found or {f"{path}:{f}" for path, f in _all_functions() if path == file}


@cache
def _uses() -> dict[str, set[tuple[str, str, str]]]:
    """Name → where it is read: file, function, or the name that is assigned outside of one."""
    uses: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for path in (ROOT / PACKAGE).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        file = path.relative_to(ROOT / PACKAGE).as_posix()
        inside, owner = functions(text), owners(text)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                function = inside.get(node.lineno, "")
                uses[name].add((file, function, "" if function else owner.get(node.lineno, "")))
    return uses


@cache
def _all_functions() -> set[tuple[str, str]]:
    files = (ROOT / PACKAGE).rglob("*.py")
    return {
        (path.relative_to(ROOT / PACKAGE).as_posix(), name)
        for path in files
        for name in functions(path.read_text(encoding="utf-8")).values()
    }
