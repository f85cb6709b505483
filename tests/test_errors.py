"""What an error says, and that it can be written and read back."""

from __future__ import annotations

import json

import pytest

from kensaku import errors
from kensaku.errors import error_from_dict

FULL = errors.RateLimited(
    "brave", "too fast", status=429, retry_after=3.0, request_id="r1", remedy="wait"
)


def test_the_json_of_an_error_is_the_promised_one():
    """One of a provider has its status, the wait and the id, too."""
    assert errors.TooLarge("too long", remedy="cut it").to_dict() == {
        "type": "TooLarge",
        "message": "too long",
        "remedy": "cut it",
    }
    assert FULL.to_dict() == {
        "type": "RateLimited",
        "message": "too fast",
        "remedy": "wait",
        "status": 429,
        "retry_after": 3.0,
        "request_id": "r1",
    }


@pytest.mark.parametrize(
    ("installed", "said"),
    [
        ("1.8.0", "agno 1.8.0 is too old; it must be at least 2.0; upgrade it"),
        ("2.0.0", "Agno is not installed; install it"),
        (None, "Agno is not installed; install it"),
    ],
)
def test_a_package_that_is_too_old_is_not_called_missing(installed, said, tmp_path, monkeypatch):
    """The command is the same: pip upgrades what is below the bound."""
    needs = "Requires-Dist: other>=9\nRequires-Dist: agno<4,>=2.0; extra == 'agno'"
    for name, version in {"kensaku-search": "1", "agno": installed}.items():
        if version:
            folder = tmp_path / f"{name.replace('-', '_')}-{version}.dist-info"
            folder.mkdir()
            head = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n"
            (folder / "METADATA").write_text(head + (needs if name == "kensaku-search" else ""))
    monkeypatch.syspath_prepend(tmp_path)

    assert str(errors.MissingExtra("Agno", "agno")) == (
        f'{said} with: pip install "kensaku-search[agno]"'
    )


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FULL, "brave: too fast; wait"),
        (errors.Outage("brave", "it is down"), "brave: it is down"),
        (errors.InvalidQuery("no"), "no"),
        (errors.UnknownName("provider", "Tavly", ["tavily", "brave"]),
         "there is no provider 'Tavly'; did you mean 'tavily'?"),
        (errors.UnknownName("provider", "zzz", ["tavily", "brave"]),
         "there is no provider 'zzz'; choose from brave, tavily"),
        # Half of the letters are enough to be meant, fewer are not.
        (errors.UnknownName("provider", "abxy", ["abcd"]),
         "there is no provider 'abxy'; did you mean 'abcd'?"),
        (errors.UnknownName("provider", "axyz", ["abcd"]),
         "there is no provider 'axyz'; choose from abcd"),
        (errors.UnknownName("collection", "x" * 81, []),
         f"there is no collection '{'x' * 80}'; there is none yet"),
        (errors.UnknownName("collection", "?", [f"c{n}" for n in range(10, 61)]),
         "there is no collection '?'; choose from " + ", ".join(f"c{n}" for n in range(10, 60))),
        (errors.UnknownJob("j" * 81),
         f"there is no job '{'j' * 80}'; `kensaku jobs list` lists them"),
        (errors.MissingExtra("ddgs", "duckduckgo"),
         'ddgs is not installed; install it with: pip install "kensaku-search[duckduckgo]"'),
        (errors.NoNetwork("brave"),
         "brave: there is no network; connect this machine, or ask the local index"),
        (errors.NoNetwork("brave", "nobody there", remedy="wait"), "brave: nobody there; wait"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_wrong_and_what_to_do(error, text):
    """Long names and long lists are cut."""
    assert str(error) == text


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (errors.BadQuery("p", "m"), False),
        (errors.KeyRefused("p", "m"), True),
        (errors.Outage("p", "m"), True),
        (errors.NoNetwork("p"), False),
        (errors.NotConfigured("p", "m"), False),
        (errors.Cooling("p", "m"), False),
        (errors.Cooling("p", "m", cause="KeyRefused"), False),
        (errors.Cooling("p", "m", cause="RateLimited"), True),
        (errors.BadQuery("p", "m", transient=True), True),
        (errors.Outage("p", "m", transient=False), False),
    ],
    ids=str,
)
def test_whether_it_helps_to_ask_again(error, transient):
    """Each class has its default; a provider may know better."""
    assert error.transient is transient


@pytest.mark.parametrize(
    "error",
    [
        FULL,
        errors.NoNetwork("brave"),
        errors.Cooling("brave", "not now", retry_after=2.0),
        errors.BudgetExceeded("spent", remedy="raise it"),
        errors.MissingExtra("ddgs", "ddgs"),
        errors.UnknownName("provider", "tavly", ["tavily"]),
        errors.PageUnavailable("gone", status=404),
    ],
    ids=lambda e: type(e).__name__,
)
def test_an_error_is_read_back_as_what_it_was(error):
    """With its type, its sentence and its remedy, so that a retry decides the same."""
    again = error_from_dict(json.loads(json.dumps(error.to_dict())), "brave")

    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.to_dict() == error.to_dict()
    assert again.args == (error.message,)


def test_an_error_of_an_unknown_class_is_a_providers():
    """A later version may have written it."""
    again = error_from_dict({"type": "NoSuchError", "message": "m", "status": 418}, "brave")
    nameless = error_from_dict({"message": "m"})

    assert (type(again), str(again), again.status) == (errors.ProviderError, "brave: m", 418)
    assert (type(nameless), str(nameless)) == (errors.ProviderError, ": m")


def test_what_a_refusal_said_is_kept_beside_its_sentence():
    """Who shows it as it came finds it, and nobody prints it by accident."""
    error = errors.BadQuery("brave", "refused", body="<b>no</b>")

    assert error.body == "<b>no</b>"
    assert "<b>" not in str(error)
    assert errors.PageUnavailable("gone", status=410).status == 410
    assert errors.MissingExtra("ddgs", "ddgs").extra == "ddgs"
    assert errors.UnknownName("provider", "tavly", []).name == "tavly"
    assert errors.Cooling("brave", "m", cause="Blocked").cause == "Blocked"
