"""The garbage collector is paused while a page is read, and no longer."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from kensaku.errors import Unparsable
from kensaku.extract import extract_html
from kensaku.extract.html.collector import paused_collector


@pytest.fixture
def _collector() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.usefixtures("_collector")
def test_the_collector_is_as_it_was_afterwards() -> None:
    """A program that has turned it off keeps it off."""
    with paused_collector():
        assert not gc.isenabled()
    assert gc.isenabled()

    gc.disable()
    with paused_collector():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_the_collector_runs_again_after_an_error() -> None:
    """A page that cannot be parsed must not leave a program without its collector."""
    with pytest.raises(Unparsable):
        extract_html(b"")

    assert gc.isenabled()
