"""Every built-in provider that speaks HTTP is under the contract.

What the base class does with a reply is tested once for each form of reply and of transport. Every
provider is asked what it can get wrong by itself: what it sends, where its key goes, and how it
reads its own replies and refusals. One runs the whole contract, as those of other people do.
"""

from __future__ import annotations

from typing import Any

import pytest

from kensaku import errors
from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing import ProviderContract, contract, faults, load_sample
from kensaku.transport.reply import Reply

PAGES = {"duckduckgo", "startpage", "brave_web", "mojeek_web", "yahoo"}  # test_web_pages.py
TESTED = [name for name in BUILT_IN if name != "local"]

WHOLE = "tavily"  # JSON after a POST
# JSON after a GET, a feed, events of MCP, two requests for one search.
FORMS = {WHOLE, "brave", "arxiv", "exa_mcp", "pubmed"}

# What cannot hold: a chunk of Gemini's has no text; an article of PubMed's has a number and no
# address, and is fetched by a second request, which does not hold the query.
EXCEPTIONS = {
    "gemini": ["test_hits_written_in_its_format_are_read_back"],
    "pubmed": [
        "test_hits_written_in_its_format_are_read_back",
        "test_one_bad_row_does_not_spoil_the_others",
        "test_the_query_arrives_whole",
    ],
}
OF_THE_BASE_CLASS = [
    "test_it_keeps_how_long_to_wait",
    "test_a_web_page_is_a_block",
    "test_a_gateways_page_keeps_the_meaning_of_its_status",
    "test_a_broken_connection_is_unreachable",
    "test_a_silent_upstream_ends_with_the_deadline",
    "test_what_is_not_json_is_unreadable",
    "test_no_repr_shows_the_key_or_the_query",
    "test_an_error_repeats_neither_key_nor_query",
]
# What holds for those that read web pages as well.
OF_PAGES = {
    "test_filters_are_declared_and_sent",
    "test_it_describes_itself",
    "test_it_only_goes_where_it_was_told_to",
}


class OwnContract(ProviderContract):
    """The contract without what the base class does; cases of one kind are one test, unsent."""

    def refused(self, status: int, body: Any) -> errors.ProviderError:
        """Return the error that a reply leads to."""
        with pytest.raises(errors.ProviderError) as caught:
            self.make_provider().read(Reply(status, {}, faults.as_bytes(body)))
        return caught.value

    def test_a_status_becomes_its_error(self) -> None:
        """A provider that looks into refusals leaves the usual ones as they are."""
        for status, kind in contract.STATUSES.items():
            assert type(self.refused(status, {"error": {"message": "no"}})) is kind, status

    def test_a_refusal_in_any_words_is_a_typed_error(self) -> None:
        """Nobody documents what an upstream says when it is in trouble."""
        for body in contract.ODD_REFUSALS:
            for status in (400, 403, 422, 429, 500):
                self.refused(status, body)

    def test_another_body_is_never_an_empty_list(self) -> None:
        """An error with status 200, or another form, is a typed error."""
        for body in contract.NOT_A_REPLY:
            self.refused(200, body)

    def test_rows_of_another_form_are_never_an_empty_list(self) -> None:
        """Where the list should be there is something else."""
        for rows in contract.NOT_ROWS:
            assert type(self.refused(200, self.sample.with_rows(rows))) is errors.Unreadable

    def test_rows_without_an_address_are_unreadable(self) -> None:
        """Results that nobody can open are not results."""
        for address in contract.NOT_AN_ADDRESS:
            rows = [contract.with_member(self.sample.row, "url", address)] * 3
            assert type(self.refused(200, self.sample.with_rows(rows))) is errors.Unreadable

    def test_members_of_another_type_do_no_harm(self) -> None:
        """What reaches a hit has the type that a hit promises."""
        for member in ("title", "content", "published", "score"):
            for odd in contract.ODD:
                super().test_members_of_another_type_do_no_harm(member, odd)

    def test_filters_are_declared_and_sent(self) -> None:
        """A declared filter changes the request; another one, or an unknown value, does not."""
        for name, queries in contract.FILTERS.items():
            super().test_filters_are_declared_and_sent(name, queries)


_NOT_OF_PAGES = [n for n in dir(OwnContract) if n.startswith("test_") and n not in OF_PAGES]

for _name in TESTED:
    _provider = provider_class(_name)
    _base = ProviderContract if _name == WHOLE else OwnContract
    _left_out = EXCEPTIONS.get(_name, []) + ([] if _name in FORMS else OF_THE_BASE_CLASS)
    _left_out += _NOT_OF_PAGES if _name in PAGES else []
    _keyless = [] if _provider.keyless else ["test_without_a_key_it_sends_none"]
    _class = f"Test{_provider.__name__}"
    globals()[_class] = type(
        _class,
        (_base,),
        {"provider": _provider, "sample": load_sample(_name)} | dict.fromkeys(_left_out + _keyless),
    )


def test_every_provider_of_the_table_is_tested():
    """A provider that is added to the table is under the contract at once."""
    tested = {c.provider.name for n, c in globals().items() if n.startswith("Test")}

    assert tested == BUILT_IN.keys() - {"local"}
