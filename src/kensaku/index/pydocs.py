"""The starter collection: what the installed Python says about itself.

    source files → syntax trees → modules, classes, functions with documentation → Documents

Nothing is imported, so nothing runs: signatures and documentation strings are read from the
sources. The standard library comes first, then the installed packages, until a bound is met.
"""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from kensaku.errors import IndexFault
from kensaku.models import Document

if TYPE_CHECKING:
    from kensaku.index import Added, Index

COLLECTION = "pydocs"
MAX_FILES = 1_500  # the standard library has about 550; the rest is for installed packages
MAX_FILES_PER_PACKAGE = 60  # so that one large package does not crowd out the others
MAX_BYTES = 600_000  # of one source file; longer ones are generated tables
MIN_WORDS = 4  # of documentation: less says no more than the name
MAX_CHARS = 6_000

# Not for readers: tests, demonstrations, and copies of other packages.
_SKIPPED = frozenset(
    "test tests testing idlelib lib2to3 turtledemo ensurepip pydoc_data site-packages "
    "dist-packages _vendor vendor vendored encodings __pycache__ lib-dynload config-3 msilib "
    "benchmarks examples _distutils_hack".split()
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

Named = tuple[str, str, str]  # qualified name, signature, documentation
Progress = Callable[[int, int], None]
Read = tuple[list[Named], dict[str, str]]  # what a file documents, and what it re-exports
_Source = tuple[str, str]  # path, module


def documents(*, packages: bool = True, max_files: int = MAX_FILES) -> list[Document]:
    """One document for each documented module, class and function; read in this process."""
    return _assembled(map(read_source, sources(packages=packages)[:max_files]))


async def build(
    index: Index, *, progress: Progress | None = None, max_files: int = MAX_FILES
) -> Added:
    """Fill the collection `pydocs`. Building it again only touches what has changed.

    The sources are read by processes of their own: parsing would keep the event loop waiting.
    """
    processes = min(os.cpu_count() or 1, 4)
    parts = await asyncio.gather(*(_read_part(n, processes, max_files) for n in range(processes)))
    found = _assembled(interleaved for row in zip_longest(*parts) for interleaved in row)
    return await index.add(found, collection=COLLECTION, progress=progress)


async def _read_part(start: int, step: int, max_files: int) -> list[Read]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "kensaku.index.pydocs", str(start), str(step), str(max_files)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()
    if process.returncode:
        raise IndexFault(f"reading the Python sources ended with status {process.returncode}")
    return [(row[0], row[1]) for row in map(json.loads, told.splitlines())]


def _assembled(read: Iterable[Read | None]) -> list[Document]:
    found: dict[str, Document] = {}
    aliases: dict[str, str] = {}
    for one in read:
        if one is not None:
            aliases.update(one[1])
            for qualified, signature, text in one[0]:
                found.setdefault(qualified, _document(qualified, signature, text))
    return _renamed(found, aliases)


def _document(qualified: str, signature: str, text: str) -> Document:
    spoken = _CAMEL.sub(" ", qualified)
    words = f"\n\n({spoken})" if spoken != qualified else ""
    body = f"{signature}\n\n{text}{words}" if signature else text + words
    return Document(url=f"pydoc:{qualified}", title=qualified, text=body, language="en")


def _renamed(found: dict[str, Document], aliases: dict[str, str]) -> list[Document]:
    """Give what a package re-exports the name people use: asyncio.Task, not asyncio.tasks.Task."""
    out: dict[str, Document] = {}
    for qualified, document in found.items():
        name = _public(qualified, aliases)
        if any(part.startswith("_") for part in name.split(".")):
            continue
        if name != qualified:
            text = document.text.replace(qualified, name)
            document = Document(f"pydoc:{name}", name, text, language="en")
        out.setdefault(name, document)
    return list(out.values())


def _public(qualified: str, aliases: dict[str, str]) -> str:
    parts = qualified.split(".")
    for cut in range(len(parts), 0, -1):
        alias = aliases.get(".".join(parts[:cut]))
        if alias:
            return ".".join([alias, *parts[cut:]])
    return qualified


def sources(*, packages: bool = True) -> list[_Source]:
    """The files to read: the standard library, then what is installed."""
    return [*_standard_library(), *(_installed() if packages else ())]


def _standard_library() -> Iterator[_Source]:
    root = Path(sysconfig.get_path("stdlib"))
    yield from _modules(root, root)


def _installed() -> Iterator[_Source]:
    for key in ("purelib", "platlib"):
        root = Path(sysconfig.get_path(key))
        if not root.is_dir():
            continue
        for entry in sorted(root.iterdir()):
            if entry.name in _SKIPPED or entry.name.startswith(("_", ".")):
                continue
            if entry.suffix == ".py":
                yield str(entry), entry.stem
            elif (entry / "__init__.py").exists():
                files = sorted(_modules(entry, root), key=lambda source: source[1].count("."))
                yield from files[:MAX_FILES_PER_PACKAGE]
        if sysconfig.get_path("purelib") == sysconfig.get_path("platlib"):
            return


def _modules(folder: Path, root: Path) -> Iterator[_Source]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(d for d in folders if d not in _SKIPPED and not d.startswith("config-"))
        for name in sorted(files):
            path = Path(place) / name
            if name.endswith(".py") and not name.startswith("test_"):
                parts = path.relative_to(root).with_suffix("").parts
                module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                if module not in ("this", "antigravity", ""):
                    yield str(path), module


def read_source(source: _Source) -> Read:
    """The documented names of one file, and what it re-exports: full name → name people use."""
    path, module = source
    try:
        if os.path.getsize(path) > MAX_BYTES:
            return [], {}
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return [], {}  # not for this Python, or not Python at all: it has nothing to say
    return list(_named(tree, module)), dict(_exports(tree, path, module))


def _named(tree: ast.Module, module: str) -> Iterator[Named]:
    text = _documentation(tree)
    if text:
        yield module, "", text
    yield from _members(tree, module)


def _members(parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[Named]:
    for node in parent.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("_"):
            continue
        qualified = f"{prefix}.{node.name}"
        text = _documentation(node)
        if text:
            yield qualified, _signature(node, qualified), text
        if isinstance(node, ast.ClassDef):
            yield from _members(node, qualified)


def _documentation(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    text = ast.get_docstring(node) or ""
    return text[:MAX_CHARS] if len(text.split()) >= MIN_WORDS else ""


def _signature(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, qualified: str) -> str:
    if isinstance(node, ast.ClassDef):
        made = next((n for n in node.body if getattr(n, "name", "") == "__init__"), None)
        arguments = f"({_arguments(made)})" if isinstance(made, ast.FunctionDef) else ""
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {qualified}{arguments}" + (f"  # {bases}" if bases else "")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{word} {qualified}({_arguments(node)}){result}"


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    text = ast.unparse(node.args)
    return re.sub(r"^(self|cls)(, )?", "", text)[:400]


def _exports(tree: ast.Module, path: str, module: str) -> Iterator[tuple[str, str]]:
    """`from .tasks import *` in a package: asyncio.tasks.Task is asyncio.Task to everyone."""
    if not path.endswith("__init__.py"):
        return
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            for alias in node.names:
                if alias.name == "*":
                    for name in _all_of(path, node.module):
                        yield f"{module}.{node.module}.{name}", f"{module}.{name}"
                elif not alias.name.startswith("_"):
                    yield (
                        f"{module}.{node.module}.{alias.name}",
                        f"{module}.{alias.asname or alias.name}",
                    )


def _all_of(package: str, module: str) -> list[str]:
    path = Path(package).parent / Path(*module.split(".")).with_suffix(".py")
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            try:
                return [str(name) for name in ast.literal_eval(node.value)]
            except ValueError:
                return []
    return [n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)]


if __name__ == "__main__":
    begin, stride, most = map(int, sys.argv[1:4])
    for source in sources()[:most][begin::stride]:
        sys.stdout.write(json.dumps(read_source(source)) + "\n")
