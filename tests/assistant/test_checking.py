"""A model's reply on its way into an answer: held, written, bounded, broken off."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from kensaku.assistant.checking import Checking
from kensaku.errors import ProviderError, Unreadable
from kensaku.research.check import MAX_TEXT


class Checker:
    """Passes text on; a piece with `[1]` has a citation that holds."""

    def __init__(self) -> None:
        self.checked = SimpleNamespace(cited=0)
        self.rest = " The end."

    def feed(self, piece: str) -> str:
        self.checked.cited += "[1]" in piece
        return piece

    def end(self) -> str:
        return self.rest


class Pieces:
    """The pieces of a reply; an error at its end breaks it off."""

    def __init__(self, *pieces: str | Exception) -> None:
        self.pieces, self.closed = pieces, False

    async def read(self) -> AsyncGenerator[str, None]:
        try:
            for piece in self.pieces:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        finally:
            self.closed = True


@pytest.fixture
def written() -> list[str]:
    """What the answer got."""
    return []


@pytest.fixture
def checking(written: list[str]) -> Checking:
    """A reply that is about to be read."""
    text: Any = SimpleNamespace(write=written.append)
    checker: Any = Checker()
    return Checking(checker, text)


async def test_sentences_wait_for_the_first_citation_that_holds(
    checking: Checking, written: list[str]
) -> None:
    """Then each is written as it comes, and the rest at the end."""
    reply = Pieces("One. ", "Two. ", "Three [1]. ", "Four. ")
    said = await checking.read(reply.read())
    assert written == ["One. Two. Three [1]. ", "Four. "]
    assert said == {"text": "One. Two. Three [1]. Four. ", "broken": ""}
    assert reply.closed

    await checking.finish(said)
    assert written[2:] == [" The end."]


async def test_of_a_reply_without_a_citation_nothing_is_shown(
    checking: Checking, written: list[str]
) -> None:
    """It is refused at its end."""
    said = await checking.read(Pieces("One. ", "Two.").read())
    with pytest.raises(ProviderError) as refused:
        await checking.finish(said)

    assert (refused.value.provider, refused.value.message) == (
        "llm", "none of its citations stands in its source",
    )  # fmt: skip
    assert written == []


@pytest.mark.parametrize("pieces", [(), ("", " \n"), ("\u200b",)])
async def test_a_reply_without_text_is_none(pieces: tuple[str, ...], checking: Checking) -> None:
    """Also one of blanks, or of what nobody sees."""
    with pytest.raises(Unreadable) as refused:
        await checking.read(Pieces(*pieces).read())
    assert (refused.value.provider, refused.value.message) == ("llm", "the model sent no text")


async def test_a_reply_that_breaks_off_keeps_what_holds(
    checking: Checking, written: list[str]
) -> None:
    """Its unfinished sentence is left out; before any citation the error is raised."""
    said = await checking.read(Pieces("One [1]. ", "Tw", ProviderError("llm", "down")).read())
    assert said == {"text": "One [1]. Tw", "broken": "down"}
    await checking.finish(said)
    assert written == ["One [1]. ", "Tw"]

    checking.checker.checked.cited = 0
    with pytest.raises(ProviderError, match="down"):
        await checking.read(Pieces("One. ", ProviderError("llm", "down")).read())


@pytest.mark.parametrize(("size", "broken"), [(MAX_TEXT, False), (MAX_TEXT + 1, True)])
async def test_a_reply_is_bounded(size: int, broken: bool, checking: Checking) -> None:
    """What is over the bound is not read on."""
    reply = Pieces("[1]" + "x" * (size - 3), " more" if broken else "")
    said = await checking.read(reply.read())

    assert said["text"] == ("[1]" + "x" * MAX_TEXT)[:MAX_TEXT]
    assert said["broken"] == (f"it wrote more than {MAX_TEXT:,} characters" if broken else "")
    assert reply.closed


@pytest.mark.parametrize("broken", ["", "down"])
async def test_a_reply_of_an_earlier_process_is_checked_whole(
    broken: str, checking: Checking, written: list[str]
) -> None:
    """It comes from the journal, and is not asked for again."""
    await checking.finish({"text": "One. Two [1].", "broken": broken})

    assert written == ["One. Two [1].", *([] if broken else [" The end."])]
