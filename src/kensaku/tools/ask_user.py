"""`ask_user`: put a question to the person."""

from __future__ import annotations

from kensaku._logger import get_logger
from kensaku.messages import msg
from kensaku.tools.base import BaseTool, Param, ToolResult

log = get_logger("kensaku.tools")


class AskUserTool(BaseTool):
    """Put a question to the person. The program that runs the agent shows it and answers."""

    name = "ask_user"
    title = msg("Ask the person")
    about = msg("Ask the person something that you need to know and cannot find out.")
    open_world = False
    params = (
        Param(
            "question",
            "string",
            msg("The question."),
            required=True,
            minimum=1,
            maximum=2_000,
        ),
        Param(
            "reason",
            "string",
            msg("Why it must be asked."),
            default="",
            maximum=2_000,
        ),
        Param(
            "urgency",
            "string",
            msg("Whether the work must wait for the answer."),
            default="blocking",
            choices=("blocking", "optional"),
        ),
    )

    async def execute(
        self, question: str, reason: str = "", urgency: str = "blocking"
    ) -> ToolResult:
        log.info("ask_user: a %s question", urgency)
        log.debug("ask_user: %r because %r", question, reason)
        request = {
            "question": question,
            "reason": reason,
            "urgency": urgency,
            "awaiting_response": True,
        }
        return ToolResult(
            True, output=request, text=question, awaiting_response=True,
            confidence_factors={"requires_user_input": True},
        )  # fmt: skip
