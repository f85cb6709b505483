"""Mark an English message that is translated later, by whoever knows the reader's language.

    STATES = {"queued": msg("queued")}                        a table; t(STATES[state]) translates
    raise InvalidQuery(msg("{name} is empty", name="query"))  an error: t(error.message)

`t` is a translator of `kensaku.locale`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Translatable(str):
    """English text that remembers the message it was made from, and the values in it."""

    one: str
    many: str
    context: str
    values: dict[str, Any]

    def with_values(self, change: Callable[[str], str]) -> str:
        """Return the message with every text among its values changed, as to take a key out."""
        values = {
            name: value.with_values(change)
            if isinstance(value, Translatable)
            else change(value)
            if isinstance(value, str)
            else value
            for name, value in self.values.items()
        }
        return msg(self.one, self.many, context=self.context, **values)


def msg(one: str, many: str = "", /, *, context: str = "", **values: Any) -> str:
    """Return the English text of a message. The arguments are those of a translator.

    A value may be a message itself, and an exception is what it says.
    """
    values = {name: _said(value) for name, value in values.items()}
    text = Translatable(fill(one if not many or values.get("n") == 1 else many, values))
    text.one, text.many, text.context, text.values = one, many, context, values
    return text


def _said(value: Any) -> Any:
    if not isinstance(value, BaseException):
        return value
    args = value.args
    return args[0] if len(args) == 1 and str(value) == args[0] else str(value)


def fill(text: str, values: dict[str, Any]) -> str:
    """Put the values into the placeholders. One with `__html__` makes the whole text markup."""
    if not values:
        return text
    markup = next((type(v) for v in values.values() if hasattr(v, "__html__")), None)
    return (markup.escape(text) if markup else text).format(**values)
