"""A key that nothing shows by accident."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle

import pytest

from kensaku.config.secret import Secret

KEY = "tvly-0123456789abcdef"


def test_it_is_shown_to_whoever_asks_for_it_by_name_and_to_nobody_else():
    """Not by `repr`, `str`, `format`, `vars` or a traceback's locals."""
    secret = Secret(KEY)

    assert secret.reveal() == KEY
    assert repr(secret) == "Secret(•••)"
    for shown in (repr(secret), str(secret), f"{secret}", f"{secret!r:>40}", "%s" % [secret]):
        assert "Secret(•••)" in shown
        assert KEY not in shown
    assert not hasattr(secret, "__dict__")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_not_written_anywhere(protocol):
    """Neither as a pickle nor as JSON."""
    with pytest.raises(TypeError, match="not written"):
        pickle.dumps(Secret(KEY), protocol)
    with pytest.raises(TypeError):
        json.dumps(Secret(KEY))


def test_a_copy_of_it_is_itself():
    """`dataclasses.asdict` copies deeply, and must not fail for a key."""
    secret = Secret(KEY)

    assert copy.copy(secret) is secret
    assert copy.deepcopy([secret])[0] is secret
    holder = dataclasses.make_dataclass("Holder", ["key"])
    assert dataclasses.asdict(holder(secret)) == {"key": secret}


def test_equal_keys_are_equal_secrets_and_no_text_is():
    """A set of keys holds each of them once."""
    assert Secret(KEY) == Secret(KEY)
    assert Secret(KEY) != Secret(KEY + "x")
    assert Secret(KEY) != KEY
    assert len({Secret(KEY), Secret(KEY), Secret("other")}) == 2
    assert hash(Secret(KEY)) == hash(Secret(KEY))


@pytest.mark.parametrize(
    ("key", "masked"),
    [("", "…"), ("short", "…"), ("x" * 11 + "abcd", "…"), ("x" * 12 + "abcd", "…abcd")],
)
def test_its_end_tells_two_keys_apart_when_it_is_long(key, masked):
    """Four characters of sixteen; of a shorter key they would be too many."""
    assert Secret(key).masked == masked
