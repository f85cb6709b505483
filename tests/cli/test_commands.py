"""The other commands, and what all of them have in common."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kensaku import __version__
from kensaku.cli import docs
from kensaku.cli._main import COMMANDS, parser_of
from kensaku.providers import provider_names
from kensaku.testing import FakeUpstream, faults
from tests import ROOT

from .conftest import Run

PAGE = ROOT / "docs" / "command-line.md"
KEY = "tvly-0123456789-secret"


def test_the_version_needs_nothing_heavy(run: Run) -> None:
    """`kensaku --version` is asked by scripts: it loads no parser, no loop, no client."""
    program = "import sys; from kensaku.cli import main; main(['--version']); print(*sys.modules)"
    said, modules = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert said == f"kensaku {__version__}"
    heavy = {"argparse", "asyncio", "dataclasses", "json", "logging", "kensaku.errors", "aiohttp"}
    assert not heavy & set(modules.split())
    assert run("-V").stdout == f"kensaku {__version__}\n"


def test_help_is_for_asking_and_silence_is_wrong_use(run: Run) -> None:
    """Every command is in the overview; a misspelt one is named, with the nearest."""
    asked, nothing, wrong = run("--help"), run(), run("serch", "otter")

    assert (asked.returncode, nothing.returncode, wrong.returncode) == (0, 2, 2)
    assert all(f"  {name} " in asked.stdout for name in COMMANDS)
    assert nothing.stdout == ""
    assert "did you mean 'search'?" in wrong.stderr
    assert run("help", "search").stdout.startswith("usage: kensaku search ")


def test_the_pages_show_the_help_as_it_is() -> None:
    """docs/command-line.md; `python -m kensaku.cli.docs docs/command-line.md` renews it."""
    text = PAGE.read_text(encoding="utf-8")

    assert docs.current(text) == text
    assert docs.shown(text) == {"", *COMMANDS}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_option_is_explained(command: str, run: Run) -> None:
    """And every command has a --help that ends well."""
    assert all(action.help for action in parser_of(command)._actions)
    assert run(command, "--help").returncode == 0
    assert run(command, "--nonsense").returncode == 2


def test_providers_are_listed_with_what_they_can_do(run: Run) -> None:
    """In the order in which they are asked; what is missing is named; keys are masked."""
    done = run("providers")
    rows = done.stdout.splitlines()

    assert done.returncode == 0
    assert rows[1].split()[:3] == ["1", "tavily", "ready"]
    assert "…cret" in rows[1]
    assert "needs BRAVE_API_KEY" in done.stdout
    assert "2027-01-01" in done.stderr  # Google's ends
    assert KEY not in done.stdout


def test_providers_as_json_say_everything(run: Run) -> None:
    """Filters, bounds, price, keys, sunset."""
    found = {p["name"]: p for p in json.loads(run("providers", "--json").stdout)}

    assert set(found) == set(provider_names())
    assert found["tavily"]["max_query_chars"] == 400
    assert "dates" in found["tavily"]["filters"]
    assert found["google"]["sunset"] == "2027-01-01"
    assert run("providers", "tavly").returncode == 2


def test_the_state_of_a_provider_is_everybodys(up: FakeUpstream, run: Run) -> None:
    """What one process was told, the next one knows."""
    up.fails("tavily", faults.status(432))
    run("search", "otter", "--route", "tavily")

    assert "its quota is used up" in run("providers", "tavily").stdout


def test_settings_are_shown_with_their_origin(run: Run, tmp_path: Path) -> None:
    """Environment, file and default; keys masked."""
    file = tmp_path / "mine.toml"
    file.write_text('max_results = 7\n[providers.brave]\napi_key = "BSA0123456789abcdef"\n')
    done = run("config", "--config", str(file), KENSAKU_TIMEOUT="9")
    found = {s["name"]: s for s in json.loads(
        run("config", "--json", "--config", str(file), KENSAKU_TIMEOUT="9").stdout
    )}  # fmt: skip

    assert found["timeout"] == {
        "name": "timeout",
        "value": "9.0",
        "origin": "environment KENSAKU_TIMEOUT",
        "about": "seconds a search may take in all",
    }
    assert found["max_results"]["origin"].endswith("mine.toml, line 1")
    assert found["mode"]["origin"] == "default"
    assert found["providers.brave.api_key"]["value"] == "…cdef"
    assert "BSA0123456789abcdef" not in done.stdout + done.stderr
    assert run("config", "cache").stdout.count("\ncache.") == len(
        [name for name in found if name.startswith("cache")]
    )


def test_a_broken_settings_file_is_wrong_use(run: Run, tmp_path: Path) -> None:
    """It says where, in one line."""
    file = tmp_path / "mine.toml"
    file.write_text("max_results = 7\nmax_result = 8\n")
    done = run("config", "--config", str(file))

    assert done.returncode == 2
    assert "line 2" in done.stderr
    assert "max_results" in done.stderr


def test_the_cache_can_be_counted_and_forgotten(run: Run) -> None:
    """stats, clear, stats."""
    run("search", "otter")
    kept = json.loads(run("cache", "stats", "--json").stdout)
    cleared = run("cache", "clear")

    assert kept["responses"] == 1
    assert kept["bytes"] > 0
    assert cleared.stdout == "1 forgotten\n"
    assert run("cache", "stats").stdout.startswith("0 responses, 0 bytes, in ")
    assert run("cache").returncode == 2


def test_a_password_in_a_store_url_is_not_shown(run: Run) -> None:
    """Valkey's may stand before the host."""
    url = "valkey://user:hunter2@127.0.0.1:1"
    done = run("cache", "stats", KENSAKU_CACHE_URL=url)

    assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(shell: str, run: Run) -> None:
    """Generated from the parsers, so it is never behind."""
    script = run("completion", shell).stdout

    for command in COMMANDS:
        assert command in script
    for word in ("include-domain", "tavily", "compact", "advanced"):
        assert word in script
    if found := shutil.which(shell):
        subprocess.run([found, "-n"], input=script, text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sea"], {"search"}),
        (["search", "--dep"], {"--depth"}),
        (["search", "--depth", "adv"], {"advanced"}),
        (["search", "--route", "tav"], {"tavily"}),
        (["cache", "cl"], {"clear"}),
        (["completion", "f"], {"fish"}),
    ],
)
def test_bash_completes(words: list[str], expected: set[str], run: Run) -> None:
    """What a person types, and what the shell offers."""
    line = " ".join(f'"{w}"' for w in ["kensaku", *words])
    script = run("completion", "bash").stdout + (
        f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _kensaku; echo "${{COMPREPLY[@]}}"\n'
    )
    offered = subprocess.run(
        ["bash"], input=script, capture_output=True, text=True, check=True
    ).stdout.split()

    assert set(offered) == expected


def test_python_m_is_the_same_as_the_script() -> None:
    """The entry point of the installed package is this function."""
    script = Path(sys.executable).with_name("kensaku")
    if not script.exists():
        pytest.skip("the package is not installed")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, env=os.environ)

    assert done.stdout == f"kensaku {__version__}\n"
