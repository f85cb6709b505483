"""The machinery of `make test-live`, against the fake upstream: it shows no key to anybody."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from kensaku.config.settings import Settings
from kensaku.models import Hit
from kensaku.providers import provider_class
from kensaku.testing import FakeUpstream, faults
from kensaku.testing.sample import built_in_samples
from kensaku.transport.reply import Reply

from .__main__ import main
from .recording import KeyFound, refuse_keys

KEY = "sk-Live+7f/3a9c=="  # a key that is written otherwise in an address
KEYED = [n for n in built_in_samples() if provider_class(n).key_variable]


@pytest.fixture
def up():
    with FakeUpstream.in_thread() as upstream:
        yield upstream


def settings(up, home, *names, keys=True):
    environ = {"KENSAKU_HOME": str(home), **up.environment(*names, keys=keys)}
    for name in names if keys else ():
        if variable := provider_class(name).key_variable:
            environ[variable] = KEY
    return Settings.load(environ=environ)


def written(folder):
    return "\n".join(p.read_text(encoding="utf-8") for p in folder.rglob("*.json"))


def in_any_form(text):
    encoded = base64.b64encode(KEY.encode()).decode()
    return [f for f in (KEY, quote(KEY, safe=""), encoded) if f.lower() in text.lower()]


@pytest.mark.parametrize("name", KEYED)
def test_no_recording_holds_the_key(up, tmp_path, capsys, name):
    """Not where it is sent (a header, the query string), nor where the service repeats it."""
    echo = f"you sent {KEY} and {quote(KEY, safe='')} and {KEY.upper()}"
    up.answers(name, [Hit(f"https://a.example/?k={quote(KEY, safe='')}", echo, echo)])

    assert main([name, "--to", str(tmp_path)], settings(up, tmp_path / "home", name)) == 0

    text = written(tmp_path)
    assert in_any_form(text + capsys.readouterr().out) == []
    assert "you sent" in text


@pytest.mark.parametrize("name", ["serpapi", "google", "mojeek", "brave"])
def test_no_error_holds_the_key(up, tmp_path, capsys, name):
    """Services like to say which key it was that they did not accept."""
    up.fails(name, faults.status(401, {"error": {"message": f"bad key {KEY}"}}))

    assert main([name, "--to", str(tmp_path)], settings(up, tmp_path / "home", name)) == 1

    out = capsys.readouterr().out
    assert "KeyRefused" in out
    assert in_any_form(written(tmp_path) + out) == []


def test_a_login_is_not_recorded(up, tmp_path, capsys):
    """SearXNG's header is made of an option, in base64."""
    login = "ann:correct-horse"
    environ = {
        "KENSAKU_HOME": str(tmp_path / "home"),
        "SEARXNG_BASE_URL": up.base_url("searxng"),
        "SEARXNG_AUTHORIZATION": login,
    }

    main(["searxng", "--keyless", "--to", str(tmp_path)], Settings.load(environ=environ))

    text = written(tmp_path) + capsys.readouterr().out
    assert up.asked("searxng")[0].headers["authorization"].startswith("Basic ")
    assert "horse" not in text
    assert base64.b64encode(login.encode()).decode() not in text


def test_a_recording_with_a_key_is_not_kept():
    """The last look is at the text itself, whatever came before."""
    for form in (KEY, KEY.upper(), quote(KEY, safe=""), base64.b64encode(KEY.encode()).decode()):
        with pytest.raises(KeyFound):
            refuse_keys(json.dumps({"somewhere": f"x{form}x"}), [KEY])
    refuse_keys(json.dumps({"somewhere": "⟦key⟧"}), [KEY])


def test_what_was_recorded_is_read_as_it_was(up, tmp_path):
    """The reply is there as it came: a sample can be made of it."""
    main(["brave", "--to", str(tmp_path)], settings(up, tmp_path / "home", "brave"))

    reply = json.loads((tmp_path / "brave.reply.json").read_text(encoding="utf-8"))["reply"]
    read = provider_class("brave")().read(Reply(200, {}, json.dumps(reply["body"]).encode()))
    assert [h.url for h in read.hits] == [e["url"] for e in up.samples["brave"].expect]


def test_only_those_with_a_key_are_asked(up, tmp_path, capsys):
    """A keyless service is asked when somebody says so."""
    only = settings(up, tmp_path / "home", "brave")

    assert main(["brave", "exa", "wikipedia", "--to", str(tmp_path)], only) == 0

    out = capsys.readouterr().out
    assert "EXA_API_KEY is not set" in out
    assert "KEYLESS=1 asks it" in out
    assert [r.provider for r in up.requests] == ["brave"]


def test_keyless_ones_are_asked_when_that_is_wanted(up, tmp_path):
    """And no key is sent to them."""
    free = settings(up, tmp_path / "home", "wikipedia", "keenable", keys=False)

    assert main(["wikipedia", "keenable", "--keyless", "--to", str(tmp_path)], free) == 0
    assert [r.provider for r in up.requests] == ["wikipedia", "keenable"]


def test_when_nobody_can_be_asked_it_says_so(tmp_path, capsys):
    """Neither a success nor a failure."""
    nothing = Settings.load(environ={"KENSAKU_HOME": str(tmp_path / "home")})

    assert main(["--to", str(tmp_path)], nothing) == 2
    assert "0 asked" in capsys.readouterr().out
