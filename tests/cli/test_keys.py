"""`kensaku keys`: the secret on stdout, once; everything else can be read later."""

from __future__ import annotations

import asyncio
import sys

import kensaku
from kensaku import Settings, database
from kensaku.database import Database
from kensaku.database.keys import find_key

from .conftest import Cli


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


def test_a_database_out_of_reach_is_said_without_its_password(cli: Cli) -> None:
    """Exit status 1, one sentence."""
    for words in (["keys", "list"], ["usage"]):
        done = cli(*words, KENSAKU_DATABASE_URL="postgresql://user:hunter2@127.0.0.1:1/name")
        assert done.status == 1
        assert "cannot be connected to" in done.err
        assert "hunter2" not in done.out + done.err


def test_the_help_does_not_load_the_database(cli: Cli, monkeypatch) -> None:
    """Nor does a machine without the extra fail at it; the command names the extra."""
    monkeypatch.setattr(kensaku, "database", database)  # which is imported anew, to be as it was
    for name in [n for n in sys.modules if n.startswith(("sqlalchemy", "kensaku.database"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)

    assert cli("help", "keys").status == 0
    done = cli("keys", "list")
    assert done.status == 1
    assert "kensaku-search[server]" in done.err


def test_the_list_is_a_table_with_what_each_key_may_do(cli: Cli, machine) -> None:
    """A dash where nothing is bounded; the state with its date."""
    words = ["--tenant", "acme", "--rate", "10/s", "--searches-per-day", "12000"]
    for name, more in (
        ("one", [*words, "--money-per-month", "2.5"]),
        ("two", ["--admin"]),
        ("three", ["--expires", "36500"]),
        ("four", []),
        ("five", ["--expires", "0.0000001"]),  # days
    ):
        assert cli("keys", "create", name, *more).status == 0
    keys = {key["name"]: key for key in cli("keys", "list", "--json").json}
    assert cli("keys", "revoke", keys["four"]["id"], "--json").json["name"] == "four"
    keys = {key["name"]: key for key in cli("keys", "list", "--json").json}
    lines = cli("keys", "list").out.splitlines()

    assert lines[0].split() == [
        "id", "name", "tenant", "key", "rate", "searches/day", "$/month", "created", "state",
    ]  # fmt: skip
    until, revoked = keys["three"]["expires"][:10], keys["four"]["revoked"][:10]
    rows = {line.split()[1]: line.split() for line in lines[1:]}
    one = keys["one"]
    assert rows["one"] == [
        one["id"], "one", "acme", one["hint"] + "…", "10/s", "12,000", "2.5", one["created"][:10],
        "active",
    ]  # fmt: skip
    assert {name: " ".join(row[8:]) for name, row in rows.items()} == {
        "one": "active", "two": "admin", "three": f"active, until {until}",
        "four": f"revoked {revoked}", "five": "expired",
    }  # fmt: skip
    assert rows["two"][4:7] == ["–", "–", "–"]
    assert len(cli("keys", "list", "--tenant", "acme").out.splitlines()) == 2


def test_what_is_said_about_keys(cli: Cli) -> None:
    """Once: that the secret is not shown again, and what the first key changes."""
    first, second = cli("keys", "create", "a"), cli("keys", "create", "b")
    ids = {key["name"]: key["id"] for key in cli("keys", "list", "--json").json}

    shown = "its key is not shown again: store it now"
    assert first.err.splitlines() == [
        f"a has the id {ids['a']}; {shown}",
        "it is the first: from now on, the server refuses requests without a key",
    ]
    assert second.err == f"b has the id {ids['b']}; {shown}\n"
    assert cli("keys", "list", "--tenant", "acme").err == "the tenant acme has no keys\n"
