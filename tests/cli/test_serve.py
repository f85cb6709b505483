"""`kensaku serve`: what it listens on, whom it answers, and what it says of itself."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

import kensaku
from kensaku import Hit, Settings
from kensaku.cli import main, serve
from kensaku.cli._main import make_parser
from kensaku.database import Database
from kensaku.database.keys import create_key
from kensaku.errors import UsageError
from kensaku.testing import FakeUpstream

OPEN = (
    "kensaku serve: no key was created yet, so this machine alone may ask, with any key or none; "
    "create one with: kensaku keys create NAME"
)


@pytest.fixture
def survives_signals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """uvicorn sends the signal that ended it on to the process, which is that of the tests."""
    monkeypatch.setattr("sse_starlette.sse.AppStatus.should_exit", False)  # else for ever true
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    yield
    signal.signal(signal.SIGTERM, before)
    gc.unfreeze()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_another_machine_is_refused_without_a_key(host, capsys):
    """Wrong usage, before a port is opened, with what to do."""
    assert main(["serve", "--host", host, "--port", "0"]) == 2

    assert "kensaku keys create" in capsys.readouterr().err


async def test_with_a_key_other_machines_may_ask():
    """And nobody without one."""
    settings = Settings.load()
    assert await serve._check_exposure(settings, "127.0.0.1") is True
    with pytest.raises(UsageError, match=r"on 192\.0\.2\.1 other machines could use this server"):
        await serve._check_exposure(settings, "192.0.2.1")
    db = await Database.open(settings)
    await create_key(db, "ann")
    await db.close()

    assert await serve._check_exposure(settings, "192.0.2.1") is False
    assert await serve._check_exposure(settings, "127.0.0.1") is False


@pytest.mark.parametrize(("is_open", "more"), [(True, [OPEN]), (False, [])])
def test_the_greeting_names_the_address(is_open, more, capsys, survives_signals):
    """And whether it asks for keys."""
    serve._greet("http://127.0.0.1:1", is_open)

    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["kensaku serve: http://127.0.0.1:1", *more]
    assert gc.get_freeze_count() > 0


async def test_it_serves_as_the_options_say_until_it_is_ended(
    upstream: FakeUpstream, monkeypatch, capsys, survives_signals
):
    """A route, a further host name, a level of the log; SIGTERM is a good end."""
    upstream.answers("tavily", [Hit("https://a.example/", "A", "b")])
    for name, value in upstream.environment("tavily", "brave").items():
        monkeypatch.setenv(name, value)
    words = "--port 0 --route tavily --allow-host other.example --log-level warning".split()
    ready, greet = asyncio.Event(), serve._greet
    monkeypatch.setattr(serve, "_greet", lambda *said: (greet(*said), ready.set()))

    running = asyncio.create_task(serve.run(make_parser("serve").parse_args(words)))
    await asyncio.wait(
        {running, asyncio.ensure_future(ready.wait())}, return_when="FIRST_COMPLETED"
    )
    assert logging.getLogger().level == logging.WARNING
    first, *more = capsys.readouterr().err.splitlines()
    url = first.removeprefix("kensaku serve: ")
    statuses = {}
    async with aiohttp.ClientSession() as session:
        for host in ("127.0.0.1", "other.example", "third.example"):
            asked = session.post(f"{url}/search", json={"query": host}, headers={"Host": host})
            async with asked as answer:
                statuses[host] = answer.status
    os.kill(os.getpid(), signal.SIGTERM)

    assert await running == 0
    assert more == [OPEN]
    assert url.startswith("http://127.0.0.1:")
    assert statuses.pop("third.example") >= 400
    assert statuses == {"127.0.0.1": 200, "other.example": 200}
    assert (len(upstream.asked("tavily")), len(upstream.asked("brave"))) == (2, 0)


def test_the_settings_are_those_of_the_file_and_the_route(tmp_path: Path):
    """Without --route, that of the settings is used."""
    file = tmp_path / "k.toml"
    file.write_text('route = ["brave"]\ntimeout = 7\n')
    parse = make_parser("serve").parse_args

    assert serve._settings(parse(["--config", str(file)])).route == ("brave",)
    given = serve._settings(parse(["--config", str(file), "--route", "exa,local"]))
    assert (given.route, given.timeout) == (("exa", "local"), 7)


def test_the_file_for_node_is_printed_alone(capsys):
    """It is there; nothing is served."""
    assert main(["serve", "--node-preload"]) == 0

    file = Path(kensaku.__file__).parent / "server" / "node" / "redirect.cjs"
    assert capsys.readouterr() == (f"{file}\n", "")
    assert file.is_file()


def test_the_event_loop_is_the_fast_one():
    """Where uvloop is installed, as it is here."""
    uvloop = pytest.importorskip("uvloop")
    loop = serve.new_event_loop()
    try:
        assert isinstance(loop, uvloop.Loop)
    finally:
        loop.close()
