"""`reasoning` and `ask_user`: an answer from what was gathered, and a question to the person."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from kensaku.errors import MissingExtra, ProviderError
from kensaku.tools.base import BaseTool, Param, ToolResult
from kensaku.tools.fence import fenced
from kensaku.tools.web_search import QUERY

log = logging.getLogger("kensaku.tools")

Usage = Mapping[str, int]
Model = Callable[[str], Awaitable[tuple[str, Usage]]]  # prompt → answer, tokens used


def gemini(model: str = "gemini-2.5-flash", client: Any = None) -> Model:
    """A model behind `google.genai`. The client reads its key and address from the environment."""

    async def ask(prompt: str) -> tuple[str, Usage]:
        try:
            from google import genai
        except ImportError:
            raise MissingExtra("google-genai", "google") from None
        # Of its own for each call, unless one is given: it cannot change event loops.
        chosen = client or genai.Client()
        try:
            reply = await chosen.aio.models.generate_content(model=model, contents=prompt)
        except genai.errors.APIError as error:  # its text may hold the prompt
            raise ProviderError(
                "gemini", f"the model did not answer (HTTP {error.code})", status=error.code
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


class ReasoningTool(BaseTool):
    """Answer from sources with a model: Gemini by default, or any coroutine from prompt to text."""

    name = "reasoning"
    title = {"en": "Reason", "ja": "推論"}
    about = {
        "en": "Write an answer from gathered sources, with citations and without inventing facts.",
        "ja": "集めた情報源から、出典を示し、捏造せずに回答を書く。",
    }
    params = (
        QUERY,
        Param(
            "context",
            "string",
            {"en": "What is known so far.", "ja": "これまでの文脈"},
            maximum=100_000,
        ),
    )

    def __init__(self, *args: Any, model: Model | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._model = model or gemini()

    async def execute(
        self,
        query: str,
        context: str | None = None,
        sources: Sequence[Mapping[str, Any]] | None = None,
    ) -> ToolResult:
        prompt = self._build_prompt(query, context, sources or [])
        text, usage = await self._model(prompt)
        log.info("reasoning: %d sources, %s tokens", len(sources or []), dict(usage))
        cited = sum(f"[{n}]" in text for n in range(1, len(sources or []) + 1))
        return ToolResult(
            success=bool(text.strip()),
            output=text,
            text=text,
            confidence_factors={
                "source_count": len(sources or []),
                "cited_sources": cited,
                "token_usage": dict(usage),
            },
            error=None if text.strip() else "the model wrote nothing",
            error_kind=None if text.strip() else "tool",
        )

    def _build_prompt(
        self, query: str, context: str | None, sources: Sequence[Mapping[str, Any]]
    ) -> str:
        """System instruction, then the sources, then the rules of the answer, then the question."""
        say = _PROMPT.get(self.language, _PROMPT["en"])
        listed = "\n\n".join(
            f"[{n}] {s.get('title') or ''} {s.get('url') or ''}\n{s.get('content') or ''}"
            for n, s in enumerate(sources, 1)
        )
        gathered = fenced(listed, self.language) if listed else say["none"]
        parts = [say["system"], f"## {say['sources']}\n{gathered}"]
        if context:
            parts.append(f"## {say['context']}\n{context}")
        return "\n\n".join([*parts, f"## {say['rules']}", f"## {say['question']}\n{query}"])


_PROMPT = {
    "en": {
        "system": "You answer questions from the sources you are given.",
        "sources": "Sources",
        "context": "Context so far",
        "none": "(there are no sources)",
        "rules": "Rules\n- Name the source of each statement as [n].\n- Invent nothing: what the "
        "sources do not say, you do not know.\n- If they do not answer the question, say so.",
        "question": "Question",
    },
    "ja": {
        "system": "あなたは与えられた情報源に基づいて質問に答えます。",
        "sources": "情報源",
        "context": "これまでの文脈",
        "none": "（情報源はありません）",
        "rules": "回答のルール（出典明示・捏造禁止）\n"
        "- 出典明示：それぞれの記述に [n] の形で出典を示すこと。\n"
        "- 捏造禁止：情報源にないことは書かないこと。\n- 答えがなければ、そう述べること。",
        "question": "質問",
    },
}


class AskUserTool(BaseTool):
    """Put a question to the person. The dialogue itself belongs to whoever runs the agent."""

    name = "ask_user"
    title = {"en": "Ask the person", "ja": "ユーザーに尋ねる"}
    about = {
        "en": "Ask the person something that you need to know and cannot find out.",
        "ja": "調べても分からず、知る必要のあることをユーザーに尋ねる。",
    }
    open_world = False
    params = (
        Param(
            "question",
            "string",
            {"en": "The question.", "ja": "質問文"},
            required=True,
            minimum=1,
            maximum=2_000,
        ),
        Param(
            "reason",
            "string",
            {"en": "Why it must be asked.", "ja": "質問の理由"},
            default="",
            maximum=2_000,
        ),
        Param(
            "urgency",
            "string",
            {"en": "Whether the work must wait for the answer.", "ja": "緊急度"},
            default="blocking",
            choices=("blocking", "optional"),
        ),
    )

    async def execute(
        self, question: str, reason: str = "", urgency: str = "blocking"
    ) -> ToolResult:
        log.info("ask_user: a %s question", urgency)
        log.debug("ask_user: %r because %r", question, reason)
        asked = {
            "question": question,
            "reason": reason,
            "urgency": urgency,
            "awaiting_response": True,
        }
        return ToolResult(
            True, output=asked, text=question, awaiting_response=True,
            confidence_factors={"requires_user_input": True},
        )  # fmt: skip
