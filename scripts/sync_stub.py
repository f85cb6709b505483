"""Write `src/kensaku/sync.pyi`: the types of the sync client, from the source of the async one.

    python scripts/sync_stub.py            write it
    python scripts/sync_stub.py --check    exit 1 when it is not current

Every public method of the async classes is there without `async`; what is awaited or iterated
there (`Crawl`) is its result here; parts that have coroutines (`Index`, `Budget`) get a class too.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kensaku"
STUB = SOURCE / "sync.pyi"
# file, class there, class here
CLASSES = [
    ("index/index.py", "Index", "_Index"),
    ("search/budget.py", "Budget", "_Budget"),
    ("client.py", "Kensaku", "Kensaku"),
]
RESULTS = {
    "Crawl": "CrawlResult",
    "Index": "_Index",
    "Budget": "_Budget",
    "AsyncIterator[Event]": "Iterator[Event]",
}
EXTRA = {
    "CrawlResult": "kensaku.fetch",
    "Callable": "collections.abc",
    "Iterator": "collections.abc",
    "Coroutine": "collections.abc",
    "Any": "typing",
    "TypeVar": "typing",
}
PORTAL = """
T = TypeVar("T")

class Portal:
    def run(self, work: Coroutine[Any, Any, T]) -> T: ...
    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None: ...
"""
SESSION = {"__aenter__": "__enter__", "__aexit__": "__exit__"}


def main() -> int:
    text = stub()
    if "--check" in sys.argv:
        return 0 if STUB.exists() and STUB.read_text(encoding="utf-8") == text else 1
    STUB.write_text(text, encoding="utf-8")
    return 0


def stub() -> str:
    """The whole file, formatted."""
    classes, imported = [PORTAL], dict(EXTRA)
    for file, name, here in CLASSES:
        tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
        names = _imports(tree) | {n: _module(file) for n in _defined(tree)}
        found = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
        classes.append(_class(found, here))
        used = {n.id for n in ast.walk(ast.parse(classes[-1])) if isinstance(n, ast.Name)}
        for needed in used & names.keys():
            if imported.setdefault(needed, names[needed]) != names[needed]:
                sys.exit(f"{needed} means two things: {imported[needed]}, {names[needed]}")
    lines = [f"from {module} import {name}" for name, module in sorted(imported.items())]
    head = '"""Written by scripts/sync_stub.py: the sync client, typed."""'
    return _formatted("\n".join([head, *lines, *classes]))


def _imports(tree: ast.Module) -> dict[str, str]:
    """Name → module, of everything that a file imports from somewhere."""
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module]
    return {a.asname or a.name: str(n.module) for n in nodes for a in n.names}


def _defined(tree: ast.Module) -> list[str]:
    """Type aliases and classes of the file itself."""
    classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef)]
    return classes + [ast.unparse(n.targets[0]) for n in tree.body if isinstance(n, ast.Assign)]


def _module(file: str) -> str:
    return "kensaku." + file.removesuffix(".py").replace("/", ".")


def _class(node: ast.ClassDef, name: str) -> str:
    members = []
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            called = SESSION.get(child.name, child.name)
            special = ("__init__", *SESSION.values()) if name == "Kensaku" else ()
            if called.startswith("_") and called not in special:
                continue
            members.append(_method(child, called))
        elif isinstance(child, ast.AnnAssign) and not ast.unparse(child.target).startswith("_"):
            members.append(f"{ast.unparse(child.target)}: {ast.unparse(child.annotation)}")
    if name == "Kensaku":
        members.insert(0, "settings: Settings")
    return f"class {name}:\n" + "\n".join("    " + m.replace("\n", "\n    ") for m in members)


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str:
    for defaults in (node.args.defaults, node.args.kw_defaults):
        defaults[:] = [d and ast.Constant(...) for d in defaults]  # type: ignore[misc]
    returns = _result(ast.unparse(node.returns)) if node.returns else "None"
    decorators = [f"@{ast.unparse(d)}" for d in node.decorator_list]
    head = f"def {name}({ast.unparse(node.args)}) -> {returns}:"
    doc = ast.get_docstring(node)
    if doc is None:
        return "\n".join([*decorators, head + " ..."])
    return "\n".join([*decorators, head, f'    """{doc.splitlines()[0]}"""'])


def _result(annotation: str) -> str:
    return RESULTS.get(annotation, annotation)


def _formatted(text: str) -> str:
    for command in (["check", "--fix", "--select", "I,F401,PYI"], ["format"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", STUB, "-"],
            input=text, capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
        text = done.stdout or text
    return text


if __name__ == "__main__":
    sys.exit(main())
