"""A plain coroutine function with a signature and a docstring that other code can read.

    search, extract, context = kensaku.tools_for("function")
    text = await search("python 3.14 release date", max_results=3)

For everything that makes a tool of a function: schema generators, notebooks, a framework without
an adapter. Wrong arguments raise nothing: the text says what is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal, TypedDict

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
    """Return the tool as a coroutine function that returns the text for the model."""
    params = _required_first(tool)

    async def run(*args: Any, **arguments: Any) -> str:
        return (await tool.invoke(_bind(params, args, arguments))).text

    _describe(run, tool, params)
    return run


def wrap_sync(tool: BaseTool) -> Callable[..., str]:
    """Return the same for code that does not await; it works inside a running loop, too."""
    params = _required_first(tool)

    def run(*args: Any, **arguments: Any) -> str:
        return tool.invoke_sync(_bind(params, args, arguments)).text

    _describe(run, tool, params)
    return run


def _required_first(tool: BaseTool) -> list[Param]:
    return sorted(tool.params, key=lambda p: not p.required)


def _bind(params: list[Param], args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    if len(args) > len(params):
        raise TypeError(f"takes at most {len(params)} arguments, {len(args)} were given")
    positional = dict(zip((p.name for p in params), args, strict=False))
    if twice := positional.keys() & named.keys():
        raise TypeError(f"got {min(twice)} twice")
    return {**positional, **named}


def _describe(run: Any, tool: BaseTool, params: list[Param]) -> None:
    """Set name, docstring, signature and annotations."""
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
    kind = Literal[param.choices] if param.choices else _type(param)
    return kind if param.required or param.default is not None else kind | None


def _type(param: Param) -> Any:
    if param.kind != "objects":
        return _TYPES[param.kind]
    make: Any = TypedDict  # type checkers know it in an assignment of literals only
    entry: Any = make(param.name, dict.fromkeys(param.fields, str), total=False)
    return list[entry]
