"""Kill a process in the middle of a run, and see what the next one does with it.

    python killing.py      the process: reads numbers, runs a question for each, prints what happens

`Killing` starts it, kills it with SIGKILL at a chosen moment, and starts it again. The upstream is
real HTTP on loopback and counts what it is asked. There is no cache that could hide a repeated
search.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from kensaku import Hit
from kensaku.testing import FakeUpstream
from kensaku.testing.faults import Fault, as_bytes

QUESTION = "How do sea otters sleep? What do sea otters eat each day? Where do sea otters live?"
FACTS = {
    "sleep": "Sea otters hold hands while they sleep, so that the current does not part them.",
    "eat": "Sea otters eat sea urchins and clams, up to 25 % of their weight each day.",
    "live": "Sea otters live along the coasts of the northern Pacific Ocean, in kelp forests.",
}
DELAY = 0.15  # seconds of the first search; each of the others takes that much longer
MINUTES_AGO = "2000-01-01 00:00:00.000000"

Line = Callable[[str], bool]  # whether the process is killed when it has printed this


@dataclass(frozen=True)
class Trial:
    """What came of a run whose process was killed."""

    last: str  # what the process printed last
    kept: frozenset[str]  # the searches whose results were stored when it was killed
    asked: Counter[str]  # how often each search was sent
    again: Counter[str]  # how often after the kill
    texts: tuple[str, ...]  # of the answers
    state: str

    @property
    def paid_twice(self) -> set[str]:
        """The searches that were sent twice. There must be none."""
        return {query for query, times in self.asked.items() if times > 1}

    @property
    def is_right(self) -> bool:
        """Whether the run ended with one answer that has all facts, and nothing was paid twice."""
        ended = len(self.texts) == 1 and self.state == "done"
        return ended and not self.paid_twice and all(f in self.texts[0] for f in FACTS.values())


class Killing:
    """One home, one upstream, and one process at a time."""

    def __init__(self, home: Path, upstream: FakeUpstream) -> None:
        self._home, self._upstream = home, upstream
        upstream.answers("tavily", [])
        for n, (word, fact) in enumerate(FACTS.items(), 1):
            hit = Hit(f"https://{word}.example/", f"Otters {word}", fact, score=0.9)
            body = as_bytes(upstream.samples["tavily"].with_hits([hit]))
            upstream.fails("tavily", Fault(body=body, delay=n * DELAY), when=_asks_about(word))
        self._process: subprocess.Popen[str] | None = None
        self.lengths: list[float] = []  # seconds of the runs that were not killed

    def run(self, number: int, kill_when: Line | None = None, after: float | None = None) -> Trial:
        """Run a question, kill its process once, and let the next one finish it.

        `after`: seconds after the question was taken, instead of `kill_when`.
        """
        before = len(self._queries())
        last = self._until_end(number, kill_when, after)
        kept, sent = self._kept(number), len(self._queries())
        if not last.startswith("end"):
            self._expire_leases()
            self._until_end(number)
        queries = self._queries()
        texts, state = self._result(number)
        return Trial(last, kept, Counter(queries[before:]), Counter(queries[sent:]), texts, state)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _until_end(
        self, number: int, kill_when: Line | None = None, after: float | None = None
    ) -> str:
        """Let the process work on a question; return what it printed last."""
        process = self._process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{number}\n")
        process.stdin.flush()
        timer, last, began = None, "", 0.0
        for line in process.stdout:
            last = line.strip()
            if last == "taken":
                began = time.perf_counter()
            if last == "taken" and after is not None:
                timer = threading.Timer(after, process.kill)
                timer.start()
            if last.startswith("end"):
                self.lengths.append(time.perf_counter() - began)
                break
            if kill_when is not None and kill_when(last):
                process.kill()
                break
        if timer is not None:
            timer.cancel()
            timer.join()
        if not last.startswith("end") or (after is not None and process.poll() is not None):
            self.close()
        return last

    def _start(self) -> subprocess.Popen[str]:
        values = {"KENSAKU_HOME": str(self._home), "WEB_SEARCH_PROVIDER": "tavily"}
        values |= self._upstream.environment("tavily", rate="9999/s")
        return subprocess.Popen(
            [sys.executable, __file__], env={**os.environ, **values}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def _queries(self) -> list[str]:
        return [request.json["query"] for request in self._upstream.asked("tavily")]

    def _kept(self, number: int) -> frozenset[str]:
        rows = self._read(
            "SELECT s.name FROM kensaku_run_steps s JOIN kensaku_runs r ON s.run = r.id "
            "JOIN kensaku_conversations c ON r.conversation = c.id WHERE c.thread = ?", number,
        )  # fmt: skip
        return frozenset(
            name.removeprefix("web_search:") for (name,) in rows if name.startswith("web_search:")
        )

    def _result(self, number: int) -> tuple[tuple[str, ...], str]:
        of_thread = "JOIN kensaku_conversations c ON {}.conversation = c.id WHERE c.thread = ?"
        texts = self._read(
            f"SELECT m.text FROM kensaku_messages m {of_thread.format('m')} "
            "AND m.role = 'assistant'", number,
        )  # fmt: skip
        ((state,),) = self._read(
            f"SELECT r.state FROM kensaku_runs r {of_thread.format('r')}", number
        )
        return tuple(text for (text,) in texts), state

    def _read(self, query: str, number: int) -> list[tuple]:  # type: ignore[type-arg]
        path = self._home / "kensaku.db"
        if not path.exists():
            return []  # killed before there was one
        with closing(sqlite3.connect(path)) as db:
            return db.execute(query, [str(number)]).fetchall()

    def _expire_leases(self) -> None:
        """Let the time pass after which a run whose process is gone may be taken over."""
        with closing(sqlite3.connect(self._home / "kensaku.db")) as db, db:
            db.execute("UPDATE kensaku_runs SET lease = ?", [MINUTES_AGO])


@contextmanager
def killing(home: Path) -> Iterator[Killing]:
    """Everything that a trial needs; the upstream runs in a thread."""
    with FakeUpstream.in_thread() as upstream, closing(Killing(home, upstream)) as made:
        yield made


def _asks_about(word: str) -> Callable[..., bool]:
    return lambda request: word in request.json["query"]


async def work() -> None:
    """Answer a question for each number on the standard input, or finish one that is there."""
    from kensaku import Kensaku
    from kensaku.assistant import Assistant
    from kensaku.database import Database

    async with Kensaku(cache_enabled=False, assistant_fetches=0, state_url="memory:") as k:
        db = await Database.open(k.settings)
        async with Assistant(db, lambda _: k) as assistant:
            while number := (await asyncio.to_thread(sys.stdin.readline)).strip():
                print("taken", flush=True)
                await finish(assistant, number)
                print(f"end {number}", flush=True)
        await db.close()


async def finish(assistant, number: str) -> None:  # type: ignore[no-untyped-def]
    """Take the message, once; go on with its run if a process that is gone has left it."""
    from kensaku.assistant import ApprovalNeeded, QuestionAsked
    from kensaku.database.conversations import Sender

    taken = await assistant.receive(Sender("kill", "ann", number), QUESTION, update=number)
    for exchange in [taken] if taken else await assistant.resume("kill"):
        print("stored", flush=True)
        async for event in exchange.follow():
            print(type(event).__name__, flush=True)
            if isinstance(event, ApprovalNeeded | QuestionAsked):
                exchange.reply("skip" if event.question.kind == "help" else "yes")


if __name__ == "__main__":
    asyncio.run(work())
