"""`reasoning`: write an answer from gathered sources with a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kensaku._logger import get_logger
from kensaku.errors import MissingExtra, ProviderError
from kensaku.locale import translator
from kensaku.messages import msg
from kensaku.text.fence import fence_text
from kensaku.text.links import clean_reply
from kensaku.tools._failures import origin_of
from kensaku.tools._params import QUERY
from kensaku.tools.base import BaseTool, Language, Param, ToolResult

if TYPE_CHECKING:
    from kensaku.client import Kensaku

log = get_logger("kensaku.tools")

Usage = Mapping[str, int]
Model = Callable[[str], Awaitable[tuple[str, Usage]]]  # prompt → answer, tokens used


def gemini(
    model: str = "gemini-2.5-flash",
    client: Any = None,
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
) -> Model:
    """Return a model of `google.genai`, whose client reads key and address from the environment.

    `timeout` is in seconds. What is None is left to the model.
    """
    config: Any = {
        "temperature": temperature,
        "max_output_tokens": max_tokens,
        "http_options": None if timeout is None else {"timeout": int(timeout * 1000)},
    }

    async def ask(prompt: str) -> tuple[str, Usage]:
        try:
            from google import genai
        except ImportError:
            raise MissingExtra("google-genai", "google") from None
        # A new client for each call, unless the caller has one: it cannot change event loops.
        chosen = client or genai.Client()
        try:
            reply = await chosen.aio.models.generate_content(
                model=model, contents=prompt, config=config
            )
        except genai.errors.APIError as error:  # its text may hold the prompt
            raise ProviderError(
                "gemini",
                msg("the model did not answer (HTTP {code})", code=error.code),
                status=error.code,
            ) from None
        finally:
            if chosen is not client:
                await chosen.aio.aclose()
                chosen.close()
        used = reply.usage_metadata
        usage = {
            "input": getattr(used, "prompt_token_count", None) or 0,
            "output": getattr(used, "candidates_token_count", None) or 0,
            "total": getattr(used, "total_token_count", None) or 0,
        }
        return reply.text or "", usage

    return ask


_RULES = msg(
    "## Rules\n"
    "- Name the source of each statement as [n].\n"
    "- Invent nothing: what the sources do not say, you do not know.\n"
    "- If they do not answer the question, say so."
)


class ReasoningTool(BaseTool):
    """Answer from sources with a model: Gemini by default, or any coroutine from prompt to text."""

    name = "reasoning"
    title = msg("Reason")
    about = msg(
        "Write an answer from gathered sources, with citations and without inventing facts."
    )
    params = (
        QUERY,
        Param(
            "context",
            "string",
            msg("What is known so far."),
            maximum=100_000,
        ),
        Param(
            "sources",
            "objects",
            msg("What was found, to be cited as [1], [2] and so on."),
            maximum=100,
            fields=("title", "url", "content"),
        ),
    )

    def __init__(
        self,
        client: Kensaku | None = None,
        *,
        language: Language = "en",
        fence: bool = True,
        model: Model | None = None,
    ) -> None:
        super().__init__(client, language=language, fence=fence)
        self._model = model or gemini()

    async def execute(
        self,
        query: str,
        context: str | None = None,
        sources: Sequence[Mapping[str, Any]] | None = None,
    ) -> ToolResult:
        prompt = self._build_prompt(query, context, sources or [])
        said, usage = await self._model(prompt)
        urls = {str(source.get("url") or "") for source in sources or []}
        text = clean_reply(said, urls - {""}, [prompt])
        log.info("reasoning: %d sources, %s tokens", len(sources or []), dict(usage))
        cited = sum(f"[{n}]" in text for n in range(1, len(sources or []) + 1))
        return ToolResult(
            success=bool(text.strip()),
            output=text,
            text=text,
            confidence_factors={
                "has_sources": bool(sources),
                "source_count": len(sources or []),
                "cited_sources": cited,
                "answer_length": len(text),
                "token_usage": dict(usage),
            },
            error=None if text.strip() else "the model wrote nothing",
            error_kind=None if text.strip() else "tool",
        )

    def _build_prompt(
        self, query: str, context: str | None, sources: Sequence[Mapping[str, Any]]
    ) -> str:
        """Write the instruction, the sources, the context, the rules, then the question."""
        t = translator(self.language)
        listed = "\n\n".join(f"[{n}] {_source_text(s)}" for n, s in enumerate(sources, 1))
        origin = origin_of(map(_provider, sources))
        gathered = (
            fence_text(listed, self.language, origin=origin)
            if listed
            else t("(there are no sources)")
        )
        parts = [t("You answer questions from the sources you are given.")]
        parts.append(t("## Sources\n{text}", text=gathered))
        if context:
            parts.append(t("## Context so far\n{text}", text=context))
        return "\n\n".join([*parts, t(_RULES), t("## Question\n{text}", text=query)])


def _source_text(source: Mapping[str, Any]) -> str:
    """Write one source: a hit of ours, or a point of a vector database with its `payload`."""
    from kensaku.index.payload import read_payload

    read = read_payload(source)
    return f"{read.title} {read.url}".strip() + f"\n{read.text}"


def _provider(source: Mapping[str, Any]) -> str:
    """Return who found a source: as it says, or else the local index unless it has an address."""
    from kensaku.index.payload import read_payload

    said = source.get("provider")
    if isinstance(said, str) and said:
        return said
    return "web" if read_payload(source).url.startswith(("http://", "https://")) else "local"
