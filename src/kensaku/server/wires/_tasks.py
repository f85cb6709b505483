"""What chat applications ask about a conversation itself: its title, tags, what to ask next. Pure.

    "### Task: … <chat_history>…</chat_history>"       Open WebUI, which wants JSON with one field
    "… title for the conversation … Conversation: …"   LibreChat, which wants the title alone

They send it to the model of the conversation, as a message of the person. Nobody wants a search
for it: the title is how the person's question begins, and lists are empty.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile

from kensaku.text.escape import flatten

TITLE_WORDS, TITLE_CHARS = 7, 40
MAX_HEAD = 8_000  # characters before the conversation
MAX_SAID = 2_000  # of what a title is made of
_FIELD = re.compile(r'\{\s{0,20}"(\w{1,40})"\s{0,20}:\s{0,20}(\[|")')
_LIBRECHAT = ("title for the conversation", "only return the title itself")
_SPEAKERS = ("user:", "assistant:", "ai:")


def task_reply(text: str) -> str | None:
    """Return the reply to such a task; None for whatever else a person says."""
    head, found, rest = text.partition("<chat_history>")
    if found and head.lstrip().startswith("### Task:") and "</chat_history>" in rest:
        field = _FIELD.search(head[:MAX_HEAD])
        return field and _json(field[1], field[2] == "[", rest.partition("</chat_history>")[0])
    head, found, rest = text.partition("Conversation:")
    if found and all(sign in head[:MAX_HEAD].lower() for sign in _LIBRECHAT):
        return title_of(rest)
    return None


def title_of(conversation: str) -> str:
    """Return the beginning of what the person said first."""
    lines = [line.strip() for line in conversation[:MAX_SAID].splitlines()]
    first = next((n for n, line in enumerate(lines) if line.lower().startswith("user:")), None)
    if first is not None:
        more = takewhile(lambda line: not line.lower().startswith(_SPEAKERS), lines[first + 1 :])
        lines = [lines[first][len("user:") :], *more]
    words = flatten(" ".join(lines)).strip("`\"' ").split()
    title = " ".join(words[:TITLE_WORDS])
    cut = title[:TITLE_CHARS].rstrip()
    return cut + ("…" if len(words) > TITLE_WORDS or len(title) > len(cut) else "")


def _json(name: str, is_list: bool, conversation: str) -> str:
    value = [] if is_list else title_of(conversation) if name == "title" else ""
    return json.dumps({name: value}, ensure_ascii=False)
