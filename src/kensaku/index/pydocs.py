"""The starter collection: the documentation of the installed Python's standard library.

    source files → syntax trees → modules, classes, functions with documentation → Documents

Nothing is imported, so nothing runs: signatures and docstrings are read from the sources. What is
written in C has none; another process imports those standard modules (`compiled_docs.py`).
Installed packages are left out: where Kensaku has an environment of its own, they are what
Kensaku needs, and would answer questions about anything with it.
"""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from kensaku._child_process import child_environment, python_command
from kensaku.errors import IndexFault
from kensaku.messages import msg
from kensaku.models import Document, Progress, ProgressEvent

if TYPE_CHECKING:
    from kensaku.index import AddResult, Index

COLLECTION = "pydocs"
MAX_FILES = 1_500  # the standard library has about 550
NICENESS = 10  # of the readers, when nobody waits for them
MAX_BYTES = 600_000  # of one source file; longer ones are generated tables
MIN_WORDS = 4  # of documentation: less says no more than the name
MAX_CHARS = 6_000
MAX_LINE = 16_000_000  # bytes that a reader writes about one file
READING = "preparing the local index (once)"
PROGRESS_EVERY = 20  # files

# Not for readers: tests, demonstrations, and copies of other packages.
_SKIPPED = frozenset(
    "test tests testing idlelib lib2to3 turtledemo ensurepip pydoc_data site-packages "
    "dist-packages _vendor vendor vendored encodings __pycache__ lib-dynload config-3 msilib "
    "benchmarks examples _distutils_hack".split()
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

DocumentedName = tuple[str, str, str]  # qualified name, signature, docstring
SourceDocs = tuple[list[DocumentedName], dict[str, str]]  # what a file documents and re-exports
SourceFile = tuple[str, str]  # path, module


_COMPILED = ("kensaku.index.compiled_docs",)


def documents(*, max_files: int = MAX_FILES) -> list[Document]:
    """Return one document for each documented module, class and function."""
    command, environment = python_command(*_COMPILED), child_environment()
    compiled = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    read = map(read_source, sources()[:max_files])
    return _make_documents([*read, *map(_parse, compiled.splitlines())])


async def build(
    index: Index,
    *,
    progress: Progress | None = None,
    max_files: int = MAX_FILES,
    background: bool = False,
) -> AddResult:
    """Fill the collection `pydocs`. Building it again only adds what has changed.

    Other processes read the sources: parsing in this one would block the event loop. With
    `background`, they leave the processor to others.
    """
    processes = min(os.cpu_count() or 1, 4)
    nice = str(NICENESS if background else 0)
    commands = [
        ("kensaku.index.pydocs", str(n), str(processes), str(max_files), nice)
        for n in range(processes)
    ]
    total = min(max_files, len(await asyncio.to_thread(sources)))
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if progress and done % PROGRESS_EVERY == 0:
            progress(ProgressEvent(READING, min(done, total), total))

    if progress:
        progress(ProgressEvent(READING, 0, total))
    readers = (_run(command, count) for command in commands)
    compiled, *parts = await asyncio.gather(_run(_COMPILED), *readers)
    read = [interleaved for row in zip_longest(*parts) for interleaved in row]
    added = await asyncio.to_thread(_make_documents, [*read, *compiled])
    return await index.add(added, collection=COLLECTION, progress=progress)


async def _run(
    module: tuple[str, ...], on_file: Callable[[], None] | None = None
) -> list[SourceDocs]:
    process = await asyncio.create_subprocess_exec(
        *python_command(*module),
        env=child_environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        limit=MAX_LINE,
    )
    assert process.stdout is not None
    read: list[SourceDocs] = []
    try:
        async for line in process.stdout:
            read.append(_parse(line))
            if on_file:
                on_file()
        await process.wait()
    except BaseException:  # cancelled: nobody wants the rest
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()  # to the end of its output: its pipe is closed, too
        raise
    if process.returncode:
        raise IndexFault(
            msg(
                "reading the Python sources ended with status {returncode}",
                returncode=process.returncode,
            )
        )
    return read


def _parse(line: bytes) -> SourceDocs:
    names, exports = json.loads(line)
    return names, exports


def _make_documents(files: Iterable[SourceDocs | None]) -> list[Document]:
    by_name: dict[str, Document] = {}
    aliases: dict[str, str] = {}
    for file in files:
        if file is not None:
            aliases.update(file[1])
            for qualified, signature, text in file[0]:
                by_name.setdefault(qualified, _document(qualified, signature, text))
    return _use_public_names(by_name, aliases)


def _document(qualified: str, signature: str, text: str) -> Document:
    spaced = _CAMEL.sub(" ", qualified)  # asyncio.TaskGroup is found by "task group"
    words = f"\n\n({spaced})" if spaced != qualified else ""
    body = f"{signature}\n\n{text}{words}" if signature else text + words
    return Document(url=f"pydoc:{qualified}", title=qualified, text=body, language="en")


def _use_public_names(by_name: dict[str, Document], aliases: dict[str, str]) -> list[Document]:
    """Give what a package re-exports the name people use: asyncio.Task, not asyncio.tasks.Task."""
    public: dict[str, Document] = {}
    for qualified, document in by_name.items():
        name = _public_name(qualified, aliases)
        if any(part.startswith("_") for part in name.split(".")):
            continue
        if name != qualified:
            text = document.text.replace(qualified, name)
            document = Document(f"pydoc:{name}", name, text, language="en")
        public.setdefault(name, document)
    return list(public.values())


def _public_name(qualified: str, aliases: dict[str, str]) -> str:
    parts = qualified.split(".")
    for cut in range(len(parts), 0, -1):
        alias = aliases.get(".".join(parts[:cut]))
        if alias:
            return ".".join([alias, *parts[cut:]])
    return qualified


def sources() -> list[SourceFile]:
    """Return the files to read: those of the standard library."""
    root = Path(sysconfig.get_path("stdlib"))
    return list(_modules(root, root))


def _modules(folder: Path, root: Path) -> Iterator[SourceFile]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(d for d in folders if d not in _SKIPPED and not d.startswith("config-"))
        for name in sorted(files):
            path = Path(parent) / name
            if name.endswith(".py") and not name.startswith("test_"):
                parts = path.relative_to(root).with_suffix("").parts
                module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                if module not in ("this", "antigravity", ""):
                    yield str(path), module


def read_source(source: SourceFile) -> SourceDocs:
    """Return the documented names of one file, and its re-exports: full name → public name."""
    path, module = source
    try:
        if os.path.getsize(path) > MAX_BYTES:
            return [], {}
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return [], {}  # not for this Python, or not Python at all: it documents nothing
    return list(_documented_names(tree, module)), dict(_exports(tree, path, module))


def _documented_names(tree: ast.Module, module: str) -> Iterator[DocumentedName]:
    text = _documentation(tree)
    if text:
        yield module, "", text
    yield from _members(tree, module)


def _members(parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[DocumentedName]:
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
        init = next((n for n in node.body if getattr(n, "name", "") == "__init__"), None)
        arguments = f"({_arguments(init)})" if isinstance(init, ast.FunctionDef) else ""
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {qualified}{arguments}" + (f"  # {bases}" if bases else "")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{word} {qualified}({_arguments(node)}){result}"


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    text = ast.unparse(node.args)
    return re.sub(r"^(self|cls)(, )?", "", text)[:400]


def _exports(tree: ast.Module, path: str, module: str) -> Iterator[tuple[str, str]]:
    """Yield what a package re-exports: `from .tasks import *` makes asyncio.tasks.Task public as
    asyncio.Task."""
    if not path.endswith("__init__.py"):
        return
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            for alias in node.names:
                if alias.name == "*":
                    for name in _public_names_of(path, node.module):
                        yield f"{module}.{node.module}.{name}", f"{module}.{name}"
                elif not alias.name.startswith("_"):
                    yield (
                        f"{module}.{node.module}.{alias.name}",
                        f"{module}.{alias.asname or alias.name}",
                    )


def _public_names_of(package: str, module: str) -> list[str]:
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
    first, step, max_files, niceness = map(int, sys.argv[1:5])
    if niceness and hasattr(os, "nice"):
        os.nice(niceness)
    for source in sources()[:max_files][first::step]:
        sys.stdout.write(json.dumps(read_source(source)) + "\n")
