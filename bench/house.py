"""How large the house is, and how its packages hang together.

    python bench/house.py [FOLDER]      FOLDER is another checkout's src/kensaku

Lines and files; packages that import each other in a circle, imports inside functions included;
imports inside functions; class names that stand for two things, and file names that are used twice.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "kensaku"
Imports = dict[str, set[str]]


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of ours that a tree imports, as `kensaku.search.run`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module == "kensaku":
                yield from (f"kensaku.{alias.name}" for alias in node.names)
            elif node.module.startswith("kensaku."):
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("kensaku."))


def late_imports(tree: ast.AST) -> int:
    """Count the imports inside functions."""
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = {
        n for f in functions for n in ast.walk(f) if isinstance(n, ast.Import | ast.ImportFrom)
    }
    return len(inside)


def knots(imports: Imports) -> list[set[str]]:
    """Return the sets of packages that can all reach each other."""

    def reachable(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for name in imports.get(todo.pop(), set()) - seen:
                seen.add(name)
                todo.append(name)
        return seen

    reach = {name: reachable(name) for name in imports}
    circles = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in imports}
    return sorted((set(c) for c in circles if len(c) > 1), key=len, reverse=True)


def is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def main(source: Path) -> None:
    files = sorted(p for p in source.rglob("*.py") if "__pycache__" not in p.parts)
    lines = late = 0
    packages: Imports = {}
    classes: Counter[str] = Counter()
    for file in files:
        text = file.read_text()
        tree = ast.parse(text)
        tree.body = [node for node in tree.body if not is_typing(node)]
        lines += len(text.splitlines())
        late += late_imports(tree)
        classes.update(n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef))
        package = file.relative_to(source).parts[0].removesuffix(".py")
        targets = {name.split(".")[1] for name in imported(tree)}
        packages.setdefault(package, set()).update(targets - {package})
    twice = sorted(name for name, count in classes.items() if count > 1 and name[0] != "_")
    names = Counter(file.name for file in files if file.name != "__init__.py")
    print(f"lines                        {lines:,} in {len(files)} files")
    circles = knots(packages)
    print(f"packages in circles          {sum(map(len, circles))} of {len(packages)}")
    for circle in circles:
        print(f"                             {', '.join(sorted(circle))}")
    print(f"imports inside functions     {late}, {1000 * late / lines:.1f} in 1,000 lines")
    print(f"class names used twice       {len(twice)}: {', '.join(twice)}")
    print(f"file names used twice        {sum(1 for count in names.values() if count > 1)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
