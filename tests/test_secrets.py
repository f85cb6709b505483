"""Canaries: planted keys and a planted query, looked for wherever something could be written."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import pickle
import traceback
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

import pytest

from kensaku import Kensaku, Outcome, Settings
from kensaku.errors import ConfigError
from kensaku.providers import provider_class
from kensaku.testing import Cassette, FakeUpstream, faults

KEYS = {
    "TAVILY_API_KEY": "tvly-CANARY+a/0123456789==",  # in a header
    "SERPAPI_API_KEY": "serp-CANARY+b/0123456789==",  # in the address
    "EXA_API_KEY": "exa-CANARY+c/0123456789==",
    "KENSAKU_LLM_API_KEY": "sk-CANARY+d/0123456789==",
}
PASSWORD = "hunter2-CANARY"
QUERY = "where does Canary Person-zz91 live?"
PROVIDERS = ("tavily", "serpapi", "exa")


def written(secret: str) -> list[str]:
    """A secret as it is, in an address, and in base64."""
    return [
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        base64.b64encode(secret.encode()).decode().rstrip("=")[:-2],
        repr(secret)[1:-1],
    ]


def assert_absent(secrets, *places: str) -> None:
    for secret in secrets:
        for form in written(secret):
            for place in places:
                assert form not in place, f"{form!r} in {place[:2000]}"


def echo(status: int):
    """A refusal that repeats all that it was sent, in every form, also in its headers."""

    def made(key: str):
        forms = " ".join(f for s in (key, QUERY) for f in written(s)[:3])
        body = {"error": {"message": forms}, "detail": forms, "request_id": forms}
        return faults.status(status, body, {"X-Request-Id": key})

    return made


def owned(client: Kensaku) -> list[object]:
    """The client and all objects of ours that it holds, however deep: a debugger shows them."""
    found: dict[int, object] = {}
    queue: list[object] = [client]
    while queue:
        held = queue.pop()
        if id(held) in found:
            continue
        found[id(held)] = held
        queue += [o for o in _members(held) if _is_ours(o)]
    assert len(found) > 10
    return list(found.values())


def _is_ours(value: object) -> bool:
    # A secret shows itself to nobody, which is what is looked at; a cassette is a file's content.
    ours = type(value).__module__.startswith("kensaku.")
    return isinstance(value, (dict, list, tuple)) or (ours and not isinstance(value, type))


def _members(held: object) -> Iterable[object]:
    if isinstance(held, dict):
        return held.values()
    if isinstance(held, (list, tuple)):
        return held
    slots = (getattr(held, name, None) for name in getattr(type(held), "__slots__", ()))
    return [*getattr(held, "__dict__", {}).values(), *slots]


SCENES = {
    "success": None,
    "400": echo(400),
    "401": echo(401),
    "429": echo(429),
    "432": echo(432),
    "500": echo(500),
    "200 with an error": lambda key: faults.error_body({"error": f"{QUERY} {key}"}),
    "a page": lambda key: faults.html(403),
    "bad JSON": lambda key: faults.bad_json(),
    "wrong shape": lambda key: faults.wrong_shape({"results": QUERY, "organic_results": key}),
    "reset": lambda key: faults.reset(),
    "half": lambda key: faults.half(),
    "timeout": lambda key: faults.hang(),
}


@pytest.fixture
async def watched(upstream, machine, caplog):
    """A client with canaries in it, at the most talkative log level, in a debugging loop."""
    caplog.set_level(logging.DEBUG)
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    environ = {
        **upstream.environment(*PROVIDERS),
        **KEYS,
        "KENSAKU_HOME": str(machine),
        "WIKIPEDIA_BASE_URL": f"http://user:{PASSWORD}@127.0.0.1:9",
    }
    settings = Settings.load(environ=environ, route=",".join(PROVIDERS))
    client = Kensaku(settings, cassette=Cassette(machine.parent / "tape.json", mode="record"))
    yield client
    loop.set_debug(False)
    await client.close()


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_no_canary_is_seen_anywhere(scene, provider, watched, upstream, caplog, machine):
    """Logs, errors, tracebacks, reprs, files: whatever the upstream does."""
    if SCENES[scene] is not None:
        upstream.fails(provider, SCENES[scene](KEYS[f"{provider.upper()}_API_KEY"]))

    found = await watched.search(QUERY, route=provider, timeout=20 if scene == "success" else 0.5)
    objects = [found, *found.attempts, *found.hits, *owned(watched)]
    errors = [a.error for a in found.attempts if a.error is not None]
    await watched.close()

    assert (found.outcome is Outcome.FOUND) == (scene == "success")
    logs = "\n".join(r.getMessage() + str(r.exc_text or "") for r in caplog.records)
    loud = "\n".join(r.getMessage() for r in caplog.records if r.levelno > logging.DEBUG)
    shown = "\n".join(f"{o!r} {o}" for o in objects)
    inside = "\n".join(repr(vars(o)) for o in objects if hasattr(o, "__dict__"))
    told = "\n".join(
        "".join(traceback.format_exception(e)) + f"{e!r} {e} {vars(e)} {e.to_dict()}"
        for e in errors
    )
    folder = machine.parent
    files = "\n".join(p.read_bytes().decode("latin-1") for p in folder.rglob("*") if p.is_file())
    answer = json.dumps(found.to_dict(), ensure_ascii=False)

    assert_absent(KEYS.values(), logs, shown, inside, told, files, answer)
    assert pickle.dumps(found).decode("latin-1").find("CANARY") < 0
    assert_absent([QUERY], loud, shown, told, files)


async def test_what_went_wrong_holds_no_frames(watched, upstream):
    """A traceback with its locals holds the request, with the key, and the whole reply."""
    upstream.fails("tavily", echo(500)(KEYS["TAVILY_API_KEY"]))

    found = await watched.search(QUERY, route="tavily")

    for attempt in found.attempts:
        assert attempt.error.__traceback__ is None
        assert attempt.error.__context__ is None
        assert attempt.error.__cause__ is None


async def test_a_password_in_an_address_is_shown_to_nobody(watched, caplog):
    """Not in the settings that are printed, not when the host cannot be reached."""
    found = await watched.search(QUERY, route="wikipedia", timeout=1)

    shown = [repr(watched.settings), str(watched.settings.described()), caplog.text]
    shown += [str(a.to_dict()) for a in found.attempts]
    assert found.outcome is Outcome.UNAVAILABLE
    assert_absent([PASSWORD], *shown)


ADDRESSES = (
    "state_url",
    "cache_url",
    "index_url",
    "index_model",
    "fetch_proxy",
    "llm_url",
    "proxy",
)


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.parametrize("user", ["user:", "", "u%40x:p@", "user:a/"])
def test_no_setting_shows_the_password_of_an_address(name, user):
    """Neither its `repr` nor what `kensaku config` prints."""
    settings = Settings(**{name: f"http://{user}{PASSWORD}@127.0.0.1:9/v1"})

    assert_absent([PASSWORD], repr(settings), str(settings.described()))
    assert "…@127.0.0.1:9/v1" in str(settings.described())


def test_a_setting_that_cannot_be_used_is_named_without_its_password():
    """A forgotten `https://` is a common mistake."""
    environ = {"WIKIPEDIA_BASE_URL": f"user:{PASSWORD}@wiki.example"}

    with pytest.raises(ConfigError, match="WIKIPEDIA_BASE_URL") as refused:
        Settings.load(environ=environ)

    assert_absent([PASSWORD], str(refused.value), repr(refused.value))


async def test_a_key_is_sent_to_its_own_provider_alone(watched, upstream):
    """Each of them sees its own, and nobody another's."""
    upstream.fails("*", faults.bad_json())

    await watched.search(QUERY)

    assert {s.provider for s in upstream.requests} == set(PROVIDERS)
    for seen in upstream.requests:
        sent = seen.head.decode("latin-1") + seen.body.decode() + "".join(seen.params.values())
        own = KEYS[f"{seen.provider.upper()}_API_KEY"]
        assert any(form in sent for form in written(own)[:3])
        assert_absent([k for k in KEYS.values() if k != own], sent)


async def test_an_unexpected_error_of_an_adapter_is_logged_without_its_text(
    watched, caplog, monkeypatch
):
    """Somebody else's provider may put anything into its exceptions."""

    def careless(self, query, key):
        raise RuntimeError(f"cannot send {key} {query.text}")

    monkeypatch.setattr(provider_class("tavily"), "request", careless)

    found = await watched.search(QUERY, route="tavily")

    assert "RuntimeError" in str(found.attempts[0].error)
    assert_absent([*KEYS.values(), QUERY], caplog.text, str(found.attempts[0].to_dict()))


async def test_a_bad_certificate_gives_nothing_away(make_client, caplog, bad_tls):
    """The handshake fails before anything is sent; the error says so, and no more."""
    caplog.set_level(logging.DEBUG)
    url, received = bad_tls

    found = await make_client("tavily", env={**KEYS, "TAVILY_BASE_URL": url}).search(QUERY)

    told = "".join(str(a.to_dict()) + repr(a) for a in found.attempts)
    loud = "\n".join(r.getMessage() for r in caplog.records if r.levelno > logging.DEBUG)
    assert found.outcome is Outcome.UNAVAILABLE
    assert received == []
    assert_absent(KEYS.values(), told, caplog.text)
    assert_absent([QUERY], told, loud)


def test_files_of_home_are_for_their_owner_alone(machine):
    """Also under a careless umask."""
    import os

    before = os.umask(0)
    try:
        with FakeUpstream.in_thread() as up:
            client = Kensaku(Settings.load(environ=up.environment("tavily"), home=machine))

            async def once():
                await client.search("otters", route="tavily")
                await client.close()

            asyncio.run(once())
    finally:
        os.umask(before)

    made = [machine, *machine.iterdir()]
    assert len(made) >= 2
    assert not [p for p in made if p.stat().st_mode & 0o077]
