"""That keys were created is known without the database: an empty one opens nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kensaku.cli import main
from kensaku.config.settings import Settings
from kensaku.database import Database
from kensaku.database.key_mark import FILE, KeysLost
from kensaku.database.keys import any_key, create_key

SERVE = "import sys; from kensaku.cli import main; sys.exit(main())"


async def has_keys(home: Path) -> bool:
    """What a server asks when it starts."""
    database = await Database.open(Settings.load(home=home))
    try:
        return await any_key(database)
    finally:
        await database.close()


async def create(home: Path) -> None:
    database = await Database.open(Settings.load(home=home))
    await create_key(database, "team")
    await database.close()


@pytest.mark.parametrize("loss", ["gone", "empty"])
async def test_a_database_that_lost_its_keys_is_no_new_one(machine, loss):
    """The file is missing, or has nothing in it; the backup makes it well again."""
    assert not await has_keys(machine)
    await create(machine)
    file, backup = machine / "kensaku.db", machine / "backup"
    backup.write_bytes(file.read_bytes())
    if loss == "gone":
        file.unlink()
    else:
        file.write_bytes(b"")

    with pytest.raises(KeysLost, match="restore"):
        await has_keys(machine)

    file.write_bytes(backup.read_bytes())
    assert await has_keys(machine)


async def test_keys_of_before_are_marked_when_they_are_seen(machine):
    """A database that an older version made has none beside it."""
    await create(machine)
    (machine / FILE).unlink()

    assert await has_keys(machine)
    assert (machine / FILE).exists()


def test_the_server_does_not_start_and_a_new_key_begins_anew(processes, machine, capsys):
    """In one sentence; creating a key is the way to go on without the old ones."""
    assert main(["keys", "create", "team"]) == 0
    (machine / "kensaku.db").unlink()

    command = [sys.executable, "-c", SERVE, "serve", "--port", "0"]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "kensaku keys create NAME --admin" in refused.stderr

    capsys.readouterr()
    assert main(["keys", "create", "again", "--admin"]) == 0
    assert "it is the first" in capsys.readouterr().err
