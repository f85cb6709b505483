"""What a value may look like, wherever it was written, and what a wrong one is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kensaku.config.parsers import (
    address,
    choice,
    number,
    parse_value,
    path,
    rate,
    secret,
    switch,
    text,
    words,
)
from kensaku.config.secret import Secret
from kensaku.errors import ConfigError

KEY = Secret("tvly-x")
TAKEN = [
    (number(1, 5), " 2.5 ", 2.5),
    (number(1, 5, int), "3", 3),
    (choice("all", "first"), "first", "first"),
    *[(switch, word, True) for word in (True, 1, "1", "true", "YES", " on ")],
    *[(switch, word, False) for word in (False, 0, "0", "False", "no", "off")],
    (text, " a b ", "a b"),
    (address, " http://a ", "http://a"),
    (secret, KEY, KEY),
    (secret, " k ", Secret("k")),
    (secret, "", None),
    (secret, None, None),
    (words, " a , ,b,", ("a", "b")),
    (words, ["a", " b ", " "], ("a", "b")),
    (words, (), ()),
    (path, Path("/y"), Path("/y")),
    (rate, "100/m", "100/m"),
]


@pytest.mark.parametrize(("parse", "value", "parsed"), TAKEN)
def test_a_value_is_written_in_one_way(parse: Any, value: Any, parsed: Any) -> None:
    """Blanks, case and lists or commas make no difference."""
    got = parse(value)

    assert got == parsed
    assert type(got) is type(parsed)


NAMES = "names, separated by commas"


@pytest.mark.parametrize(
    ("parse", "value", "told"),
    [
        (number(1, 5), None, "argument: x is None; expected a number from 1 to 5"),
        (number(0, 5), True, "argument: x is True; expected a number from 0 to 5"),
        pytest.param(
            number(1, 5),
            10**5000,
            "argument: x is a huge int; expected a number from 1 to 5",
            id="huge",
        ),
        (switch, "2", "argument: x is '2'; expected true or false"),
        (words, b"a", f"argument: x is b'a'; expected {NAMES}"),
        (words, {"a": 1}, f"argument: x is {{'a': 1}}; expected {NAMES}"),
        (words, 5, f"argument: x is 5; expected {NAMES}"),
        (words, ["a", 5], f"argument: x is ['a', 5]; expected {NAMES}"),
        # What may hold a password or a key is not repeated.
        (address, 5, "argument: x is …; expected text"),
        (secret, 5, "argument: x is …; expected text"),
        (number(1, 5), "ann@b", "argument: x is …; expected a number from 1 to 5"),
        (words, [1, "http://u:p@h"], f"argument: x is …; expected {NAMES}"),
    ],
)
def test_a_wrong_value_is_told_with_what_was_expected(parse: Any, value: Any, told: str) -> None:
    """One sentence; the value is shown unless it may be a secret."""
    with pytest.raises(ConfigError) as refused:
        parse_value(parse, value, "x")

    assert refused.value.message == told


def test_a_wrong_value_is_told_with_its_origin() -> None:
    """Where somebody can mend it; a key is hidden by the name of its setting, too."""
    with pytest.raises(ConfigError) as refused:
        parse_value(words, 5, "providers.tavily.api_key", "c.toml, line 2")
    assert refused.value.message == (
        f"c.toml, line 2: providers.tavily.api_key is …; expected {NAMES}"
    )
