"""What stands at a line of a file: which function, or which name that is assigned."""

from __future__ import annotations

import ast


def functions(text: str) -> dict[int, str]:
    """Line → qualified name of the function that it is in."""
    names: dict[int, str] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}.{child.name}".lstrip(".")
                if not isinstance(child, ast.ClassDef):
                    lines = range(child.lineno, (child.end_lineno or 0) + 1)
                    names.update(dict.fromkeys(lines, name))
            walk(child, name)

    walk(ast.parse(text), "")
    return names


def owners(text: str) -> dict[int, str]:
    """Line → the name that is assigned there, outside of functions."""
    names: dict[int, str] = {}

    def walk(body: list[ast.stmt]) -> None:
        for node in body:
            lines = range(node.lineno, (node.end_lineno or 0) + 1)
            if isinstance(node, ast.ClassDef):
                names.update(dict.fromkeys(lines, node.name))
                walk(node.body)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                names.update(dict.fromkeys(lines, ast.unparse(target)))

    walk(ast.parse(text).body)
    return names
