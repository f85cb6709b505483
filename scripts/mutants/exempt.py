"""What is exempt from changes, by rules and not by lists of files.

What is left alone, because changing it changes no behaviour or only what people read:
- docstrings, annotations, types, `__all__`, `__slots__`, decorators, assertions, log calls;
- sentences, which are strings with a space, f-strings and Japanese, also as a keyword
  (`remedy="…"`);
- the words and figures of a table, which is a literal outside of functions with at least six
  strings or twelve constants, and nothing else: stop words, names of months, code points, fitted
  weights. To test each would be to write it twice. The table as a whole is changed. A bound by
  itself is no table;
- keywords by which nothing can be told apart here (`NO_DIFFERENCE`);
- whether a bound counts (`<` or `<=`) where the clock is read in the comparison itself: nobody is
  there at that very instant;
- the adapters of frameworks that are not in this environment (`mutant.tested_elsewhere`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

TABLE_STRINGS, TABLE_CONSTANTS = 6, 12
DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Constant, ast.Starred, ast.UnaryOp)
COLLECTIONS = ("frozenset", "set", "dict", "tuple", "dict.fromkeys")
NO_DIFFERENCE = {
    "encoding": "UTF-8 is what the machine uses anyway",
    "strict": "of zip: an assertion",
    "stacklevel": "which line a warning names",
    "thread_name_prefix": "for people who debug",
}
_KANA = re.compile("[\u3041-\u30ff]{2}")
_LOG = re.compile(r"^_?log(ger)?\.|\b_log$")
_CLOCK = re.compile(r"(^|\.)(monotonic|perf_counter|time)$")
TYPING_CALLS = ("TypeVar", "ParamSpec", "NewType", "cast", "overload")


def is_table(node: ast.expr) -> bool:
    """A large literal: see above."""
    parts = list(_elements(node))
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    strings = sum(isinstance(value, str) for value in constants)
    large = strings >= TABLE_STRINGS or len(constants) >= TABLE_CONSTANTS
    return large and all(isinstance(part, DISPLAYS) for part in parts)


def _elements(node: ast.expr) -> Iterator[ast.expr]:
    """A literal and what it is made of, through `frozenset(…)`, `dict(…)` and their like."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in COLLECTIONS:
        for value in (*node.args, *(k.value for k in node.keywords)):
            yield from _elements(value)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _elements(child)


def is_sentence(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return " " in node.value or bool(_KANA.search(node.value))
    return isinstance(node, ast.JoinedStr)


def is_log(node: ast.AST) -> bool:
    """`log.debug(…)`, `self._log(…)`."""
    return isinstance(node, ast.Call) and bool(_LOG.search(ast.unparse(node.func)))


def reads_clock(node: ast.Compare) -> bool:
    """`time.monotonic() >= until`, `loop.time() + seconds < deadline`."""
    calls = (ast.unparse(n.func) for n in ast.walk(node) if isinstance(n, ast.Call))
    return any(_CLOCK.search(name) for name in calls)


def is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in TYPING_CALLS


def is_type(node: ast.AST) -> bool:
    """`IPv4Address | IPv6Address`, `Literal[…]`, `Callable[…]`: names of types, by their case."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return is_type(node.left) and (is_type(node.right) or ast.unparse(node.right) == "None")
    if isinstance(node, ast.Subscript):
        return is_type(node.value) and ast.unparse(node.value) != "str"
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in ("str", "int", "float", "bool", "bytes", "dict", "list", "tuple") or (
        name[:1].isupper() and not name.isupper()
    )
