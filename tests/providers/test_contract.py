"""Every built-in provider that speaks HTTP passes the contract, each as a class of its own."""

from __future__ import annotations

from kensaku.providers import BUILT_IN, provider_class
from kensaku.testing import ProviderContract, load_sample

PAGES = {"duckduckgo", "startpage", "brave_web", "mojeek_web", "yahoo"}  # test_web_pages.py
OTHERWISE_TESTED = PAGES | {"local"}  # no JSON over HTTP: tests of their own

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

for _name in [name for name in BUILT_IN if name not in OTHERWISE_TESTED]:
    _provider = provider_class(_name)
    _class = f"Test{_provider.__name__}"
    globals()[_class] = type(
        _class,
        (ProviderContract,),
        {"provider": _provider, "sample": load_sample(_name)}
        | dict.fromkeys(EXCEPTIONS.get(_name, ())),
    )


def test_every_provider_of_the_table_is_tested():
    """A provider that is added to the table is under the contract at once."""
    tested = {c.provider.name for n, c in globals().items() if n.startswith("Test")}

    assert tested == BUILT_IN.keys() - OTHERWISE_TESTED
