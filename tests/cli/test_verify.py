"""`kensaku verify`: whether a page contains a quote, and where."""

from __future__ import annotations

from kensaku.testing import FakeUpstream

from .conftest import Cli
from .examples import RAKKO, page


def test_a_quote_is_found_with_its_place(up: FakeUpstream, cli: Cli) -> None:
    """In English and in Japanese, whatever the spacing and the quotation marks."""
    english = up.serves("/en", page("Otters"))
    japanese = up.serves("/ja", page("ラッコ", RAKKO).replace("lang=en", "lang=ja"))
    found = cli("verify", "“hold  hands while they SLEEP”", english)

    assert found.status == 0
    assert found.out.startswith("found, characters ")
    assert found.out.endswith(": hold hands while they sleep\n")
    told = cli("verify", "「眠るときに 手をつなぎます」", japanese, "--json").json
    assert told["found"]
    assert told["end"] - told["start"] == len(told["text"]) == len("眠るときに手をつなぎます")


def test_a_quote_that_is_not_there_is_an_answer(up: FakeUpstream, cli: Cli) -> None:
    """Exit 0: the page was read. A page that is not there is another thing: exit 1."""
    url = up.serves("/en", page("Otters"))
    done = cli("verify", "hold paws", url)

    assert (done.status, done.out) == (0, "not found\n")
    assert cli("verify", "hold paws", url, "--json").json["found"] is False
    assert cli("verify", "hold hands", f"{up.url}/gone").status == 1


def test_an_empty_quote_is_told_before_anything_is_sent(up: FakeUpstream, cli: Cli) -> None:
    """And so is an address that is none."""
    url = up.serves("/en", page("Otters"))

    assert cli("verify", "“”", url).status == 2
    assert cli("verify", "hold hands", "gopher://a.example/").status == 2
    assert up.requests == []
