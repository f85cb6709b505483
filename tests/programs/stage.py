"""What a program meets: fake web ← `kensaku serve` ← tap ← the program → scripted model."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kensaku.models import Hit
from kensaku.testing import FakeUpstream
from tests import ROOT
from tests.adapters.model_server import QUIET
from tests.docs_stage import REPLY, upstream
from tests.programs.model import NAME, ProgramModel
from tests.programs.program import FACT, Program
from tests.programs.tap import Tap

# How this machine reaches package indexes, which some programs need to start.
_KEPT = ("PATH", "LANG", "TERM", "TMPDIR", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
KENSAKU = Path(sys.executable).parent / "kensaku"
_PAGE = """<!doctype html><html lang="en"><head><title>{title}</title></head><body><main>
<h1>{title}</h1><p>{text}</p><p>{more}</p><p><a href="/">Start</a></p></main></body></html>"""
_MORE = (
    "The release manager keeps this schedule. Alpha versions came from October 2024 to April 2025, "
    "beta versions from May to July 2025, and two release candidates in July and August 2025. " * 3
)


@dataclass(frozen=True)
class Stage:
    """Everything that runs while a program does."""

    tap: Tap
    model: ProgramModel
    upstream: FakeUpstream
    key: str


@contextmanager
def set_stage(program: Program, log: Path) -> Iterator[Stage]:
    """Start everything for one program, and end it again."""
    with (
        tempfile.TemporaryDirectory() as home,
        upstream() as up,
        ProgramModel() as model,
        Tap(log) as tap,
    ):
        serve_pages(up)
        env = server_environment(program, up, model, Path(home))
        more = program.settings.items()  # in which {url} is where programs find the server
        env |= {name: value.replace("{url}", tap.url) for name, value in more}
        key = create_key(env)
        with serving(env, log.with_suffix(".server.log")) as tap.upstream:
            yield Stage(tap, model, up, key)


def serve_pages(up: FakeUpstream) -> None:
    """Put the pages of the two search results on loopback, and let the provider find them."""
    hits = []
    for path, row in zip(("/pep-0745", "/whatsnew"), REPLY["results"], strict=True):
        text = str(row["content"])
        page = _PAGE.format(title=row["title"], text=text, more=_MORE)
        hits.append(Hit(url=up.serves(path, page), title=str(row["title"]), content=text))
    assert FACT in hits[0].content
    links = "".join(f'<li><a href="{hit.url}">{hit.title}</a></li>' for hit in hits)
    up.serves("/robots.txt", "User-agent: *\nAllow: /\n", "text/plain")
    up.serves("/", _PAGE.format(title="Python", text=f"<ul>{links}</ul>", more=_MORE))
    up.answers("brave", hits)


def server_environment(
    program: Program, up: FakeUpstream, model: ProgramModel, home: Path
) -> dict[str, str]:
    """A machine with one provider, which reads pages itself; with the gateway, with a model."""
    env = clean(home) | up.environment("brave", rate="9999/s")
    env |= {"WEB_SEARCH_PROVIDER": "brave", "KENSAKU_FETCH_ALLOW": "127.0.0.0/8"}
    env |= {"KENSAKU_FETCH_PORTS": "any", "KENSAKU_HOME": str(home)}
    if program.gateway:
        env |= {"KENSAKU_GATEWAY": "1", "KENSAKU_LLM_URL": model.openai_url}
        env |= {"KENSAKU_LLM_MODEL": NAME}
    return env


def clean(home: Path) -> dict[str, str]:
    """An environment that holds no setting of the person who runs this."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | QUIET | {"HOME": str(home), "PYTHONWARNINGS": "ignore"}


def create_key(env: Mapping[str, str]) -> str:
    """Create the key that every request then needs; return it."""
    command = [KENSAKU, "keys", "create", "program", "--admin"]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@contextmanager
def serving(env: Mapping[str, str], log: Path) -> Iterator[str]:
    """Run `kensaku serve`; yield its address."""
    with (
        log.open("w") as said,
        subprocess.Popen(
            [KENSAKU, "serve", "--port", "0"], env=env, cwd=ROOT, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stderr
        greeting = process.stderr.readline()
        address = re.search(r"http://[\w.:]+", greeting)
        assert address, greeting + process.stderr.read()
        rest = threading.Thread(target=shutil.copyfileobj, args=(process.stderr, said))
        rest.start()
        try:
            yield address[0]
        finally:
            process.terminate()
            process.wait(30)
            rest.join()
