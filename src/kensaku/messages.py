"""Mark an English message that is translated later, by whoever knows the reader's language.

    STATES = {"queued": msg("queued")}                        a table; t(STATES[state]) translates
    raise InvalidQuery(msg("{name} is empty", name="query"))  an error: t(error.message)

`t` is a translator of `kensaku.locale`.
"""

from __future__ import annotations

from typing import Any


class Translatable(str):
    """English text that remembers the message it was made from, and the values in it."""

    one: str
    many: str
    context: str
    values: dict[str, Any]


def msg(one: str, many: str = "", /, *, context: str = "", **values: Any) -> str:
    """Return the English text of a message. The arguments are those of a translator."""
    if not (many or context or values):
        return one
    text = Translatable(fill(one if not many or values.get("n") == 1 else many, values))
    text.one, text.many, text.context, text.values = one, many, context, values
    return text


def fill(text: str, values: dict[str, Any]) -> str:
    """Put the values into the placeholders. One with `__html__` makes the whole text markup."""
    if not values:
        return text
    markup = next((type(v) for v in values.values() if hasattr(v, "__html__")), None)
    return (markup.escape(text) if markup else text).format(**values)
