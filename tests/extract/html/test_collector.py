"""The garbage collector is paused while a page is read, and no longer."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from kensaku.errors import Unparsable
from kensaku.extract import extract_html


@pytest.fixture
def collector() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.usefixtures("collector")
def test_the_collector_is_as_it_was_afterwards() -> None:
    """Also after an error; a program that has turned it off keeps it off."""
    for turn, expected in ((gc.enable, True), (gc.disable, False)):
        turn()
        extract_html("<p>Otters</p>")
        with pytest.raises(Unparsable):
            extract_html(b"")
        assert gc.isenabled() is expected
