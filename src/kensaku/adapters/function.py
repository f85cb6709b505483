"""A plain coroutine function, with the signature and the docstring that other code can read.

    search, extract, context = kensaku.tools_for("function")
    text = await search("python 3.14 release date", max_results=3)

For everything that makes a tool of a function: schema generators, notebooks, a framework without
an adapter. Nothing is raised for what a model sends: a failure is a text that says so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from kensaku.tools.base import BaseTool, Param

__all__ = ["wrap", "wrap_sync"]

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[str],
}


def wrap(tool: BaseTool) -> Callable[..., Coroutine[Any, Any, str]]:
    """The tool as a coroutine function that returns what a model is to read."""
    params = _ordered(tool)

    async def run(*args: Any, **arguments: Any) -> str:
        return (await tool.invoke(_bind(params, args, arguments))).text

    _dress(run, tool, params)
    return run


def wrap_sync(tool: BaseTool) -> Callable[..., str]:
    """The same for code that does not await; it works inside a running loop, too."""
    params = _ordered(tool)

    def run(*args: Any, **arguments: Any) -> str:
        return tool.invoke_sync(_bind(params, args, arguments)).text

    _dress(run, tool, params)
    return run


def _ordered(tool: BaseTool) -> list[Param]:
    return sorted(tool.params, key=lambda p: not p.required)


def _bind(params: list[Param], args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
    if len(args) > len(params):
        raise TypeError(f"takes at most {len(params)} arguments, {len(args)} were given")
    placed = dict(zip((p.name for p in params), args, strict=False))
    if twice := placed.keys() & given.keys():
        raise TypeError(f"got {min(twice)} twice")
    return {**placed, **given}


def _dress(run: Any, tool: BaseTool, params: list[Param]) -> None:
    """Name, docstring, signature and annotations, for whoever reads them."""
    kinds = {p.name: _annotation(p) for p in params}
    run.__name__ = run.__qualname__ = tool.name
    run.__annotations__ = {**kinds, "return": str}
    run.__signature__ = inspect.Signature(
        [
            inspect.Parameter(
                p.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if p.required else p.default,
                annotation=kinds[p.name],
            )
            for p in params
        ],
        return_annotation=str,
    )
    listed = [f"    {p.name}: {p.schema(tool.language)['description']}" for p in params]
    run.__doc__ = "\n".join([tool.description, "", "Args:", *listed])


def _annotation(param: Param) -> Any:
    kind = Literal[param.choices] if param.choices else _TYPES[param.kind]
    return kind if param.required or param.default is not None else kind | None
