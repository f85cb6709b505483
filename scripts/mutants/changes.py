"""The changes that are made to the source, one at a time.

    changes(text) → Change(line, operator, before, after), …     change.apply(text) → other text

`exempt.py` says what is left alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass

from exempt import NO_DIFFERENCE, is_log, is_sentence, is_table, is_type, is_typing, reads_clock
from places import functions, owners

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult,
}  # fmt: skip
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@dataclass(frozen=True, slots=True)
class Change:
    """One change: these bytes of the file become those."""

    function: str  # "Cache.fresh"; "" outside of functions
    name: str  # outside of functions, what is assigned: "MOST_BYTES"
    line: int
    operator: str
    start: int
    end: int
    new: str

    def apply(self, text: str) -> str:
        """The text with this change in it."""
        raw = text.encode()
        return (raw[: self.start] + self.new.encode() + raw[self.end :]).decode()


def changes(text: str) -> list[Change]:
    """Every change that can be made to a file, in the order of its lines."""
    finder = _Finder(text)
    finder.visit(ast.parse(text))
    return sorted(set(finder.found), key=lambda c: (c.start, c.operator, c.new))


class _Finder(ast.NodeVisitor):
    """Collect the changes of one file."""

    def __init__(self, text: str) -> None:
        lines = text.encode().splitlines(keepends=True)
        self._offsets = [0]
        for line in lines:
            self._offsets.append(self._offsets[-1] + len(line))
        self._functions, self._owners = functions(text), owners(text)
        self.found: list[Change] = []

    def _add(self, node: ast.stmt | ast.expr, operator: str, new: str | ast.AST) -> None:
        if isinstance(new, ast.AST):
            new = ast.unparse(new)
            new = f"({new})" if isinstance(node, ast.expr) else new
        start = self._offsets[node.lineno - 1] + node.col_offset
        end = self._offsets[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        function = self._functions.get(node.lineno, "")
        name = "" if function else self._owners.get(node.lineno, "")
        self.found.append(Change(function, name, node.lineno, operator, start, end, new))

    def _changed(
        self, node: ast.expr | ast.stmt, operator: str, edit: Callable[[ast.AST], None]
    ) -> None:
        other = copy.deepcopy(node)
        edit(other)
        self._add(node, operator, other)

    # --- what is left alone

    def visit_Module(self, node: ast.Module) -> None:
        self._body(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not any(ast.unparse(base).startswith("Protocol") for base in node.bases):
            self._body(node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if any("overload" in ast.unparse(d) for d in node.decorator_list):
            return
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self._body(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and not self._is_table(node.value):
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        value = node.value
        if (
            ast.unparse(node.targets[0]) in ("__all__", "__slots__")
            or is_type(value)
            or is_typing(value)
        ):
            return
        if not isinstance(value, ast.Constant):
            self._add(value, "assign None", ast.Constant(None))
        if not self._is_table(value):
            self.visit(value)

    def _is_table(self, node: ast.expr) -> bool:
        return node.lineno not in self._functions and is_table(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Before Python 3.12 its parts do not know where they stand."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """The sentence is for people. That the error is raised is tested by dropping it."""
        if node.exc is None or "AssertionError" not in ast.unparse(node.exc):
            self._add(node, "drop raise", "pass")

    def visit_Assert(self, node: ast.Assert) -> None:
        """For the type checker and the reader."""

    # --- what is changed

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.unparse(node.test) and "__name__" not in ast.unparse(
            node.test
        ):
            self._condition(node.test)
            self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._condition(node.test)
        for child in (*node.body, *node.orelse):
            self.visit(child)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._condition(test)
        self.generic_visit(node)

    def _condition(self, test: ast.expr) -> None:
        compares = isinstance(test, ast.Compare) and not isinstance(test.ops[0], ORDER)
        if not compares and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            self._add(test, "negate", ast.UnaryOp(ast.Not(), test))  # else it is another's change

    def visit_Compare(self, node: ast.Compare) -> None:
        for n, op in enumerate(node.ops):
            if isinstance(op, ORDER) and reads_clock(node):
                continue

            def swap(other: ast.AST, n: int = n, op: ast.cmpop = op) -> None:
                other.ops[n] = COMPARISONS[type(op)]()  # type: ignore[attr-defined]

            self._changed(node, "compare", swap)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._add(node, "and/or", ast.BoolOp(other, node.values))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC and not is_type(node):
            self._add(
                node, "arithmetic", ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
            )
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in ARITHMETIC:
            self._add(
                node,
                "arithmetic",
                ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value),
            )
        if not self._is_table(node.value):
            self.visit(node.value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add(node, "drop not", node.operand)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, "constant", repr(not node.value))
        elif isinstance(node.value, int | float):
            self._add(node, "constant", repr(node.value + 1))
        elif isinstance(node.value, str) and node.value and not is_sentence(node):
            self._add(node, "constant", repr(node.value + "X"))

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is None:
            return
        if not (isinstance(node.value, ast.Constant) and node.value.value in (None, False)):
            self._add(node, "return None", "return None")
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        value = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(value, ast.Constant) or is_log(value):
            return
        if isinstance(value, ast.Call):
            self._add(node, "drop call", "pass")
        self.visit(value)

    def visit_Call(self, node: ast.Call) -> None:
        if is_log(node) or is_typing(node):
            return
        for n, keyword in enumerate(node.keywords):
            named = keyword.arg is not None and keyword.arg not in NO_DIFFERENCE
            if named and not is_sentence(keyword.value):
                self._changed(node, "drop keyword", lambda o, n=n: o.keywords.pop(n))  # type: ignore
        # Which encoding is another question than whether one is named.
        told = [k.value for k in node.keywords if k.arg not in NO_DIFFERENCE or k.arg == "encoding"]
        for value in (node.func, *node.args, *told):
            self.visit(value)

    def visit_Break(self, node: ast.Break) -> None:
        self._add(node, "break/continue", "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "break/continue", "break")
