"""MCP: a tool as the Model Context Protocol describes it.

    wrap(tool) → McpTool: `definition` is what tools/list says, calling it is tools/call

    arguments → tool.invoke → text (fenced, within its budget) + a link to what was left out

The text is all: clients such as Claude Code, Codex and pydantic-ai show a model structured content
instead of it, where there is any, and the model would see neither fence nor budget. A program that
wants the data, and shows it to no model, asks for it (`structured`).

`kensaku.mcp.server` serves them over stdio and HTTP.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kensaku.errors import MissingExtra

try:
    from mcp import types
except ImportError:
    raise MissingExtra("mcp", "mcp") from None

from kensaku.text.clean import cut
from kensaku.text.fence import escape_markers, fence_text
from kensaku.text.images import escape_images
from kensaku.tools.base import BaseTool, ToolResult
from kensaku.tools.param import in_language

Store = Callable[[str, str], str]  # title and whole text → the URI under which it can be read

CUT_CHARS = 2_000  # of each long text in structured content, once a result is over its bound
_ESCAPES = re.compile(r"[\s\\]+")  # what a dialect or the fence adds


@dataclass(frozen=True)
class McpTool:
    """A tool's definition for tools/list, and the coroutine for tools/call."""

    tool: BaseTool
    definition: types.Tool
    structured: bool = False

    async def __call__(
        self, arguments: Mapping[str, Any] | None, store: Store | None = None
    ) -> types.CallToolResult:
        """Run the tool. Raises nothing but a cancellation. `store` takes what the text omits."""
        done = await self.tool.invoke(arguments)
        return result_of(self.tool, done, store, structured=self.structured)


def wrap(tool: BaseTool, *, structured: bool = False) -> McpTool:
    """Return the tool for a server on the low-level `mcp` package.

    `structured` adds the data of a result, with its schema, for programs.
    """
    structured = structured and not tool.text_only
    title = in_language(tool.title, tool.language) or tool.name
    definition = {  # in the protocol's own names, which mcp 1 and mcp 2 read
        "name": tool.name,
        "title": title,
        "description": tool.description,
        "inputSchema": tool.parameters,
        "outputSchema": OUTPUT.get(tool.name) if structured else None,
        "annotations": {
            "title": title,
            "readOnlyHint": tool.read_only,
            "destructiveHint": None if tool.read_only else False,
            "openWorldHint": tool.open_world,
        },
    }
    return McpTool(tool, types.Tool.model_validate(definition), structured)


def result_of(
    tool: BaseTool, done: ToolResult, store: Store | None = None, *, structured: bool = False
) -> types.CallToolResult:
    """Convert a tool's result to the protocol's. A failure is a result with `isError`.

    Of a `text_only` tool nothing else is sent, whatever its text leaves out.
    """
    text, output = done.text, done.output
    if tool.text_only:
        return _result(text, is_error=not done.success)
    links = []
    if store is not None and left_out(done):
        uri = store(f"{tool.name}: the whole result", fence_text(whole(output), tool.language))
        output = shorten(output)
        text += f"\nSome of it was cut to fit. The whole can be read as the resource {uri}"
        links = [{"name": uri, "uri": uri, "title": "The whole result", "mimeType": MARKDOWN}]
    data = structured_content(output) if structured else None
    return _result(text, links, data, is_error=done.is_error)


def _result(
    text: str,
    links: Iterable[dict[str, str]] = (),
    data: dict[str, Any] | None = None,
    *,
    is_error: bool,
) -> types.CallToolResult:
    content = [{"type": "text", "text": text}, *({"type": "resource_link", **to} for to in links)]
    return types.CallToolResult.model_validate(
        {"content": content, "structuredContent": data, "isError": is_error}
    )


MARKDOWN = "text/markdown"


def failure(sentence: str) -> types.CallToolResult:
    """Return the result of a call that cannot be carried out."""
    return _result(f"Error: {sentence}", is_error=True)


# --- what a text leaves out


def left_out(done: ToolResult) -> bool:
    """Whether the data holds prose that is not in the text."""
    shown = _ESCAPES.sub("", done.text)
    inside = (escape_markers(escape_images(text)) for text in prose(done.output))
    return any(_ESCAPES.sub("", text) not in shown for text in inside)


def prose(value: Any) -> Iterator[str]:
    """Yield the long texts of a result: contents of hits, and of pages in their best form."""
    if isinstance(value, Mapping):
        best = next((n for n in _PROSE if isinstance(value.get(n), str) and value[n]), None)
        if best:
            yield value[best]
        for name, part in value.items():
            if name not in _PROSE:
                yield from prose(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from prose(part)


_PROSE = ("raw_content", "markdown", "content", "text")


def whole(output: Any) -> str:
    """Write the whole result for reading: pages and hits under their titles."""
    entries = output.get("results") or output.get("hits") if isinstance(output, Mapping) else None
    if not entries or not all(isinstance(e, Mapping) for e in entries):
        return json.dumps(output, ensure_ascii=False, indent=1, default=str)
    parts = [
        f"# {e.get('title') or e.get('url')}\n{e.get('url')}\n\n{next(prose(e), '')}"
        for e in entries
    ]
    return "\n\n".join(parts)


def shorten(value: Any) -> Any:
    """Return the same data with every long text cut."""
    if isinstance(value, Mapping):
        return {
            n: cut(v, CUT_CHARS) if n in _PROSE and isinstance(v, str) else shorten(v)
            for n, v in value.items()
        }
    return [shorten(v) for v in value] if isinstance(value, list | tuple) else value


def structured_content(value: Any) -> dict[str, Any] | None:
    """Return the data as an object. Markers and roles are escaped as inside the fence, in case that
    it is shown to a model after all; addresses stay as they are."""
    if value is None:
        return None
    plain = _plain(value)
    return plain if isinstance(plain, dict) else {"result": plain}


def _plain(value: Any, name: str = "") -> Any:
    if isinstance(value, str):
        return value if name.endswith("url") else escape_markers(str(value))
    if isinstance(value, Mapping):
        return {str(n): _plain(v, str(n)) for n, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, name) for v in value]
    return value


# --- output schemas: what is always there; more may be


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string"}
_WHOLE = {"type": "integer"}
_MAYBE = {"type": ["string", "null"]}
_OUTCOME = {
    "type": "string",
    "enum": ["found", "empty", "unavailable"],
    "description": "empty: somebody searched and there is nothing; unavailable: nobody could",
}
_HIT = _object(title=_TEXT, url=_TEXT, content=_TEXT, score={"type": ["number", "null"]},
               published=_MAYBE, provider=_TEXT)  # fmt: skip
_ATTEMPT = _object(provider=_TEXT, outcome=_TEXT, error={"type": ["object", "null"]})
_PAGE = _object(url=_TEXT, title=_TEXT, text=_TEXT, markdown=_TEXT, published=_MAYBE)
_PAGES = _list(_PAGE)
_FAILED = _list(_object(url=_TEXT, error=_TEXT))
_CITATION = _object(n=_WHOLE, url=_TEXT, title=_TEXT, published=_MAYBE)

OUTPUT: dict[str, dict[str, Any]] = {
    "web_search": _object(query=_TEXT, outcome=_OUTCOME, hits=_list(_HIT), answer=_MAYBE,
                          attempts=_list(_ATTEMPT), notes=_list(_TEXT)),
    "web_extract": _object(results=_PAGES, failed=_FAILED),
    "web_crawl": _object(base_url=_TEXT, results=_PAGES, failed=_FAILED),
    "web_map": _object(base_url=_TEXT, results=_list(_TEXT)),
    "web_context": _object(text=_TEXT, citations=_list(_CITATION), tokens=_WHOLE,
                           outcome=_OUTCOME, cursor=_MAYBE, attempts=_list(_ATTEMPT)),
    "rag_search": _object(result=_list(_object(title=_TEXT, url=_TEXT, content=_TEXT))),
    "reasoning": _object(result=_TEXT),
    "ask_user": _object(question=_TEXT, reason=_TEXT, urgency=_TEXT),
    "verify_quote": _object(found={"type": "boolean"}),
}  # fmt: skip
