"""`verify_quote`: whether a quote stands in the page that is cited."""

from __future__ import annotations

from kensaku.tools import VerifyQuoteTool


async def test_a_quote_is_found_where_it_stands(site, fetching):
    """With its place, so that a reader can look."""
    quote = {"quote": "sleep holding hands", "url": f"{site}one"}

    result = await VerifyQuoteTool(fetching).invoke(quote)

    found = result.output
    assert result.success
    assert found["found"] is True
    assert found["text"] == "sleep holding hands"
    assert found["end"] - found["start"] == 19
    assert result.text == f"found, characters {found['start']} to {found['end']}"
    assert result.confidence_factors == {"found": True}


async def test_an_invented_quote_is_not_found(site, fetching):
    """That is an answer, not a failure."""
    quote = {"quote": "Otters invented the wheel", "url": f"{site}one"}

    result = await VerifyQuoteTool(fetching).invoke(quote)

    assert (result.success, result.text) == (True, "not found")
    assert result.output == {"found": False, "start": None, "end": None, "text": ""}
    assert result.confidence_factors == {"found": False}
