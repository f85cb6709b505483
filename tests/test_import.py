"""Nothing runs at import: no third-party module, nothing heavy, no file, no connection."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kensaku

SOURCE = Path(kensaku.__file__).parent


def modules_after(code: str) -> set[str]:
    """The top-level names in sys.modules after running `code` in a process of its own."""
    told = "import sys; before = set(sys.modules)\n{}\nprint(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", told.format(code)], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    "code",
    [
        "import kensaku",
        "from kensaku import Query, Hit, Response, Outcome, Document, KensakuError; Query('x')",
        "from kensaku import Kensaku; Kensaku(home='/nowhere')",
        "import kensaku.testing.upstream",
    ],
)
def test_no_third_party_module_is_imported(code):
    """The first use of a thing loads it; making a client is no use yet."""
    strangers = modules_after(code) - set(sys.stdlib_module_names) - {"kensaku"}

    assert {name for name in strangers if not name.startswith("_")} == set()


@pytest.mark.usefixtures("processes")
def test_the_bare_import_loads_next_to_nothing():
    """30 ms of CPU are the bound; nothing that costs as much is loaded."""
    heavy = {"asyncio", "dataclasses", "sqlite3", "ssl", "json", "urllib", "email", "http"}

    assert not modules_after("import kensaku") & heavy


def test_making_a_client_touches_no_disk(tmp_path):
    """Files are made by what needs them."""
    kensaku.Kensaku(home=tmp_path / "home", route="tavily")

    assert not (tmp_path / "home").exists()


def test_only_one_module_imports_the_http_library():
    """`transport/sessions.py`, so that it can be swapped; all clients take their sessions from there.

    Webhooks use its server.
    """
    importers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(
            line.strip().startswith(("import aiohttp", "from aiohttp"))
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    }

    assert importers == {"transport/sessions.py", "assistant/channels/_webhook.py"}


def test_only_one_module_reads_the_environment():
    """`config/settings.py`: every variable is then in one table, and in the documentation."""
    allowed = {
        "config/settings.py",
        "_settings_folder.py",  # where the settings are
        "_child_process.py",  # hands on what a child process needs
        "cli/_terminal.py",  # what the terminal can do is no setting
        "compat/slack_bot/tools.py",  # a seed's own file, with its own ${VAR}
        "server/page/snippets.py",  # shows readers how to keep their key
    }
    readers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "os.environ" in path.read_text(encoding="utf-8")
        or "os.getenv" in path.read_text(encoding="utf-8")
    }

    assert readers <= allowed
