"""Documentation of what is written in C: `len`, `itertools.chain`, `time.sleep`.

It has no source to read, so a fixed list of standard modules is imported and asked. `pydocs.py`
runs this in a process of its own: importing runs code.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

MIN_WORDS = 4  # of documentation: less says no more than the name
MAX_CHARS = 6_000
_SELF = re.compile(r"^\(self(?:, /)?(?:, |(?=\)))")

# Standard modules that are, or contain, compiled code. None of them does anything when imported.
MODULES = (
    "builtins array asyncio atexit binascii bisect bz2 cmath codecs collections contextvars csv "
    "datetime decimal errno faulthandler fcntl functools gc grp hashlib heapq io itertools json "
    "locale lzma marshal math mmap operator os pickle pwd queue random re resource select signal "
    "socket sqlite3 ssl statistics string struct sys threading time tracemalloc unicodedata "
    "weakref zlib"
).split()


def compiled_names(modules: Iterable[str] = MODULES) -> Iterator[tuple[str, str, str]]:
    """Yield qualified name, signature and documentation of every compiled function and class."""
    seen: set[int] = set()
    for name in modules:
        try:
            module = importlib.import_module(name)
        except ImportError:  # not on this system, or left out when this Python was built
            continue
        if not _has_source(module):
            yield from _entry(name, module, "")
        # `__all__`, since `pickle` also has what it imports of `struct`.
        for attribute in sorted(getattr(module, "__all__", None) or vars(module)):
            thing = getattr(module, attribute, None)
            if attribute.startswith("_") or id(thing) in seen or not _is_compiled(thing):
                continue
            seen.add(id(thing))
            yield from _describe(attribute if name == "builtins" else f"{name}.{attribute}", thing)


def _describe(qualified: str, thing: Any) -> Iterator[tuple[str, str, str]]:
    is_class = inspect.isclass(thing)
    yield from _entry(qualified, thing, "class " if is_class else "")
    if is_class:
        for name, member in sorted(vars(thing).items()):
            if not name.startswith("_") and callable(getattr(thing, name, None)):
                yield from _entry(f"{qualified}.{name}", member, "")


def _entry(qualified: str, thing: Any, kind: str) -> Iterator[tuple[str, str, str]]:
    text = inspect.getdoc(thing) or ""
    if len(text.split()) >= MIN_WORDS:
        signature = "" if inspect.ismodule(thing) else kind + qualified + _arguments(thing)
        yield qualified, signature, text[:MAX_CHARS]


def _arguments(thing: Any) -> str:
    try:
        return _SELF.sub("(", str(inspect.signature(thing)))
    except Exception:  # some compiled functions do not say; select.epoll.register of 3.13 fails
        return ""


def _is_compiled(thing: Any) -> bool:
    if not inspect.isclass(thing):
        return inspect.isbuiltin(thing)
    home = sys.modules.get(thing.__module__)
    if home is None or not _has_source(home):
        return home is not None
    # `collections.deque` says that it is of collections, which has a source without it.
    own = vars(thing)
    return "__dict__" not in own and not any(map(inspect.isfunction, own.values()))


def _has_source(module: Any) -> bool:
    return str(getattr(module, "__file__", None) or "").endswith(".py")


if __name__ == "__main__":
    sys.stdout.write(json.dumps([list(compiled_names()), {}]) + "\n")
