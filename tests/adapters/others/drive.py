"""Drive one framework in its own environment: `python -m tests.adapters.others.drive crewai`.

    scripted model on loopback → the framework's agent → our tool → fake upstream → answer

Prints one line of JSON: the version, and for each check "ok" or what went wrong.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .. import model_server, parity
from ..scenes import OTTER, SCENES, SECRET, staged

Check = Callable[[], None]


@contextmanager
def stage() -> Iterator[tuple[Any, Any]]:
    """An upstream, and a maker of clients that ask it."""
    from kensaku import Kensaku, Settings
    from kensaku.testing import FakeUpstream

    with tempfile.TemporaryDirectory() as home, FakeUpstream.in_thread() as up:

        def make(*route: str) -> Kensaku:
            environ = {"KENSAKU_HOME": home, **up.environment(*route, rate="9999/s")}
            return Kensaku(
                Settings.load(environ=environ, route=route, state_url="memory:",
                              cache_url="memory:", cache_enabled=False)
            )  # fmt: skip

        yield up, make


def checks(framework: str, it: Any) -> Iterator[tuple[str, Check]]:
    """The checks of a framework, by name."""
    for scene in SCENES:
        yield scene, lambda scene=scene: agent(it, scene)
    if hasattr(it, "ask_sync") or hasattr(it, "call_sync"):
        yield "sync", lambda: check_sync(it)
    yield "words", lambda: check_words(framework, it)
    yield "texts", lambda: check_texts(it)
    if hasattr(it, "facts"):
        yield "data", lambda: check_data(it)


def agent(it: Any, scene: str, sync: bool = False) -> None:
    """An agent that calls the tool ends with an answer that holds what the model was shown."""
    mode, shown = SCENES[scene]
    with stage() as (up, make), model_server.ModelServer(mode=mode) as model:
        tool = staged(scene, up, make)
        answer = it.ask_sync(tool, model) if sync else run(it.ask(tool, model))
        wire = json.dumps([r.body for r in model.requests], ensure_ascii=False)
        asked = up.asked("tavily")
    expect("FINAL" in answer, f"the agent did not end: {answer[:200]!r}")
    expect(shown in answer or shown in wire, f"{shown!r} is not in {answer[:300]!r}")
    expect(SECRET not in wire + answer, "the secret reached the model")
    expect(bool(asked) == (scene in ("found", "empty", "unavailable")), f"{len(asked)} were sent")


def check_sync(it: Any) -> None:
    """Also where a loop is running: there a naive `asyncio.run` fails."""
    if hasattr(it, "ask_sync"):
        agent(it, "found", sync=True)
    if not hasattr(it, "call_sync"):
        return

    async def inside() -> str:
        return it.call_sync(tool, {"query": "otter"})

    with stage() as (up, make):
        tool = staged("found", up, make)
        expect(OTTER.content in it.call_sync(tool, {"query": "otter"}), "outside a loop")
        expect(OTTER.content in run(inside()), "inside a loop")


def check_words(framework: str, it: Any) -> None:
    """What the model is told is the tool's own, but for what cannot be carried."""
    from kensaku.tools.registry import TOOLS, make_tool

    lost = parity.CANNOT_CARRY.get(framework, set())
    for name in TOOLS:
        for language in ("en", "ja"):
            tool = make_tool(name, language=language)
            own, found = parity.Words.of(tool).without(lost), it.words(tool)
            expect(found == own, f"{name} ({language}): {found} is not {own}")
    on_the_wire(it, lost)


def on_the_wire(it: Any, lost: set[str]) -> None:
    """The same where the model really reads it."""
    with stage() as (up, make), model_server.ModelServer() as model:
        tool = staged("found", up, make)
        run(it.ask(tool, model))
        offered = getattr(it, "offered", lambda m: m.offered)(model)
        seen = next((t for n, t in offered.items() if n.endswith("web_search")), None)
    if seen is None:  # some frameworks put the words into the prompt
        said = json.dumps([r.body for r in model.requests], ensure_ascii=False)
        expect(json.dumps(tool.description)[1:-1] in said, "the description is not in the prompt")
        return
    own = parity.Words.of(tool).without(lost | getattr(it, "LOST_ON_THE_WIRE", set()))
    found = parity.Words(tool.name, seen.description, seen.parameters)
    found = found.without(lost | getattr(it, "LOST_ON_THE_WIRE", set()))
    expect(found == own, f"on the wire: {found} is not {own}")


def check_texts(it: Any) -> None:
    """What comes back is the tool's own text, in every scene."""
    for scene, arguments in parity.SENT.items():
        if scene in getattr(it, "CHECKS_ITSELF", ()):
            continue
        with stage() as (up, make):
            parity.set_up(scene, up)
            from kensaku.tools import WebSearchTool

            own = run(WebSearchTool(make("tavily")).invoke(arguments)).text
            text = run(it.call(WebSearchTool(make("tavily")), arguments))
        expect(parity.same(text) == parity.same(own), f"{scene}: {text!r} is not {own!r}")


def check_data(it: Any) -> None:
    """The same facts are there as data."""
    with stage() as (up, make):
        found = run(it.facts(staged("found", up, make), {"query": "otter"}))
    expect(found["output"]["hits"][0]["url"] == OTTER.url, f"not the facts: {found}")


def run(work: Any) -> Any:
    """Wait for a coroutine in a loop of its own, as every caller may."""

    async def bounded() -> Any:
        return await asyncio.wait_for(work, 120)

    return asyncio.run(bounded()) if inspect.isawaitable(work) else work


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def outcome(check: Check) -> str:
    try:
        check()
    except Exception as error:
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"[:600]
    return "ok"


def main(framework: str) -> int:
    logging.disable(logging.CRITICAL)
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    it = import_module(f"{__package__}.{framework.replace('-', '_')}")
    results = {name: outcome(check) for name, check in checks(framework, it)}
    report = {
        "framework": framework,
        "distribution": it.DISTRIBUTION,
        "version": version(it.DISTRIBUTION),
        "python": platform.python_version(),
        "checks": results,
    }
    Path(sys.argv[2]).write_text(json.dumps(report)) if len(sys.argv) > 2 else None
    print(json.dumps(report))
    return int(any(r != "ok" for r in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
