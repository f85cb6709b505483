"""`kensaku keys`: the secret on stdout, once; everything else can be read later."""

from __future__ import annotations

import asyncio
import sys

import pytest

from kensaku import Settings
from kensaku.database import Database
from kensaku.database.keys import find_key

from .conftest import Cli, Run


def find(machine, secret):
    """The key of a secret, as the server finds it."""

    async def main():
        db = await Database.open(Settings(home=machine))
        try:
            return await find_key(db, secret)
        finally:
            await db.close()

    return asyncio.run(main())


def test_a_key_is_created_listed_and_revoked(cli: Cli, machine) -> None:
    """The secret alone is on stdout, so that it can be piped."""
    words = ["--tenant", "acme", "--rate", "10/s", "--searches-per-day", "1000"]
    made = cli("keys", "create", "my agent", *words, "--money-per-month", "2.5")
    secret = made.out.strip()
    key = find(machine, secret)

    assert (made.status, made.out) == (0, f"{secret}\n")
    assert (key.name, key.tenant, key.rate) == ("my agent", "acme", "10/s")
    assert (key.searches_per_day, key.money_per_month) == (1000, 2.5)
    assert "not shown again" in made.err
    assert "it is the first" in made.err
    listed = cli("keys", "list")
    assert key.id in listed.out
    assert secret not in listed.out + listed.err + cli("keys", "list", "--json").out
    assert cli("keys", "revoke", key.id).out == f"revoked {key.id} (my agent)\n"
    assert find(machine, secret) is None
    assert "revoked 20" in cli("keys", "list").out


def test_json_has_everything(cli: Cli) -> None:
    """For scripts that create keys."""
    made = cli("keys", "create", "a", "--admin", "--expires", "30", "--json").json
    (listed,) = cli("keys", "list", "--json").json

    assert made.pop("key").startswith(made["hint"])
    assert made == listed
    assert listed["admin"] is True
    assert listed["expires"] > listed["created"]
    assert cli("keys", "list", "--tenant", "other", "--json").json == []


def test_no_keys_is_said(cli: Cli) -> None:
    """And what that means for the server."""
    done = cli("keys", "list")

    assert (done.status, done.out) == (0, "")
    assert "kensaku keys create NAME" in done.err
    assert "no keys" in cli("keys", "list", "--tenant", "acme").err


@pytest.mark.parametrize(
    "words",
    [
        ["create"], ["list", "x"], ["revoke"], ["revoke", "nowhere"], ["create", "a", "--rate", "fast"],
        ["create", "a", "--searches-per-day", "0"], ["create", "a", "--expires", "0"],
        ["create", "a", "--money-per-month", "nan"], ["create", "a", "--tenant", "a b"], ["create", ""],
    ],
)  # fmt: skip
def test_wrong_usage_is_one_sentence(cli: Cli, words) -> None:
    """Exit status 2, nothing on stdout, nothing created."""
    done = cli("keys", *words)

    assert (done.status, done.out) == (2, "")
    assert len(done.err.strip().splitlines()) == 1
    assert cli("keys", "list", "--json").json == []


def test_a_database_out_of_reach_is_said_without_its_password(run: Run) -> None:
    """Exit status 1, one sentence."""
    for words in (["keys", "list"], ["usage"]):
        done = run(*words, KENSAKU_DATABASE_URL="postgresql://user:hunter2@127.0.0.1:1/name")
        assert done.returncode == 1
        assert "cannot be connected to" in done.stderr
        assert "hunter2" not in done.stdout + done.stderr


def test_the_help_does_not_load_the_database(cli: Cli, monkeypatch) -> None:
    """Nor does a machine without the extra fail at it; the command names the extra."""
    for name in [n for n in sys.modules if n.startswith(("sqlalchemy", "kensaku.database"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)

    assert cli("help", "keys").status == 0
    done = cli("keys", "list")
    assert done.status == 1
    assert "kensaku[server]" in done.err
