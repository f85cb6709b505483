"""docs/operations/upgrading.md: every earlier database is upgraded, and a backup leads back."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

import kensaku.database
from kensaku.database.connection import connect
from kensaku.database.keys import hash_secret
from kensaku.database.migrate import REVISIONS, VERSION_TABLE

SECRET = "ksk_" + "a" * 32


def make_database(home: Path, revision: str) -> None:
    """A database as an earlier version left it, with a key."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    config = Config()
    folder = Path(kensaku.database.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    with connect(f"sqlite:///{home}/kensaku.db") as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.execute(
            text(
                "INSERT INTO kensaku_api_keys (id, hash, hint, name, tenant, admin, created)"
                " VALUES ('k1', :hash, 'ksk_aaaa', 'reports', 'acme', :admin, :now)"
            ),
            {"hash": hash_secret(SECRET), "admin": False, "now": str(datetime.now(UTC))},
        )


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_database_of_every_earlier_version_is_upgraded_by_its_first_use(cli, machine, revision):
    """There is no command to run, and keys work as before."""
    make_database(machine, revision)
    (key,) = cli("keys", "list", "--json").json

    assert (key["id"], key["name"], key["tenant"]) == ("k1", "reports", "acme")


def test_an_older_version_refuses_what_a_newer_one_migrated_and_the_backup_leads_back(
    cli, machine, tmp_path
):
    """Nothing is changed by the attempt."""
    make_database(machine, REVISIONS[-1])
    cli("backup", tmp_path / "before-upgrade")
    with connect(f"sqlite:///{machine}/kensaku.db") as connection, connection.begin():
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'from_the_future'"))
    refused = cli("keys", "list")
    machine.rename(tmp_path / "newer")
    shutil.copytree(tmp_path / "before-upgrade", machine)

    assert refused.status == 1
    assert "the database was made by a newer Kensaku" in refused.err
    assert [key["id"] for key in cli("keys", "list", "--json").json] == ["k1"]
