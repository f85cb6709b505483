"""API keys: shown once, stored hashed, found by nothing but themselves."""

from __future__ import annotations

import math
import random
import re
import string
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text, update

from kensaku.database.keys import (
    PREFIX,
    SECRET_CHARS,
    any_key,
    create_key,
    find_key,
    get_key,
    hash_secret,
    list_keys,
    revoke_key,
)
from kensaku.database.tables import API_KEYS
from kensaku.errors import ConfigError, InvalidQuery, UnknownName
from kensaku.text.redact import redact


async def test_a_key_is_found_by_its_secret_alone(db):
    """As text or as the bytes of a header."""
    key, secret = await create_key(
        db, "agent", tenant="acme", rate="10/s", searches_per_day=5, money_per_month=1.5
    )
    await create_key(db, "other")

    assert await find_key(db, secret) == key
    assert await find_key(db, secret.encode()) == key
    for other in (key.id, key.hint, secret[:-1], secret + "x", secret.upper(), " " + secret):
        assert await find_key(db, other) is None


async def test_the_secret_is_stored_nowhere(db):
    """Only its hash, and enough of its beginning to tell two keys apart."""
    key, secret = await create_key(db, "agent")

    async with db.read() as connection:
        (row,) = (await connection.execute(text("SELECT * FROM kensaku_api_keys"))).all()
    assert secret not in repr(row) + repr(key) + str(key.to_dict())
    assert secret.startswith(key.hint)
    assert len(secret) - len(key.hint) >= 28


def test_a_secret_has_160_bits_and_looks_like_nothing_else():
    """No JSON web token: a client sends those to another host. Redaction knows its shape."""
    assert SECRET_CHARS * math.log2(62) >= 160
    secret = PREFIX + "aB3" * 10 + "xy"
    assert re.fullmatch(r"ksk_[0-9A-Za-z]{32}", secret)
    assert "." not in secret
    assert secret not in redact(f"refused {secret} here")
    assert hash_secret(secret) is not None


async def test_secrets_and_ids_are_random(db):
    """Twenty keys, twenty of each."""
    made = [await create_key(db, "agent") for _ in range(20)]

    assert len({secret for _, secret in made}) == 20
    assert len({key.id for key, _ in made}) == 20


def hostile() -> list[object]:
    """500 values of an Authorization header that nobody sends by accident."""
    chance = random.Random(7)
    sql = [
        "' OR 1=1 --", "ksk_' OR '1'='1", "'; DROP TABLE kensaku_api_keys; --", "ksk_%", "ksk_" + "_" * 32,
        "ksk_" + "%" * 32, "\\'; SELECT pg_sleep(10); --", "ksk_aaaa' UNION SELECT * FROM kensaku_usage --",
    ]  # fmt: skip
    odd = [
        "", " ", "\0", "ksk_\0" + "a" * 31, "ksk_" + "a" * 31 + "\0", "ksk_" + "é" * 32, "鍵" * 36,
        "\ud800", "ksk_" + "\udfff" * 32, "ksk_" + "a" * 31 + "\ud800", "x" * 2**20, "ksk_" + "a" * 2**20,
        "ksk_" + "١" * 32, "ksk_" + "a" * 32 + "\n", "Bearer ksk_" + "a" * 32, b"\xff\xfe" * 18, b"",
        b"ksk_" + b"\x00" * 32, None, 0, 1.5, ["ksk_"], {"k": 1}, True, ("ksk_", "a"), float("nan"), object(),
    ]  # fmt: skip
    values: list[object] = [*sql, *odd]
    letters = string.printable + "é鍵\0\ud800"
    while len(values) < 500:
        guess = "".join(chance.choices(letters, k=chance.randrange(80)))
        values.append(chance.choice([guess, PREFIX + guess, guess.encode("utf-8", "replace")]))
    return values


async def test_500_hostile_values_are_no_keys(db):
    """None, and never an exception (G14)."""
    key, secret = await create_key(db, "agent")
    values = hostile()
    assert len(values) == 500

    assert [await find_key(db, value) for value in values] == [None] * 500
    assert await find_key(db, PREFIX + "a" * SECRET_CHARS) is None
    assert await find_key(db, secret) == key


async def test_a_revoked_key_is_found_no_more(db):
    """Its row stays, since usage refers to it."""
    key, secret = await create_key(db, "agent")

    revoked = await revoke_key(db, key.id)
    again = await revoke_key(db, key.id)

    assert revoked.revoked is not None
    assert again.revoked == revoked.revoked
    assert await find_key(db, secret) is None
    assert [k.id for k in await list_keys(db)] == [key.id]
    assert await any_key(db)


@pytest.mark.parametrize("id", ["", "nowhere", "aaaaaaaaaaaa", "\0", "' OR 1=1 --", "x" * 10_000])
async def test_an_unknown_id_is_said(db, id):
    """With the nearest of those that are there."""
    await create_key(db, "agent")
    with pytest.raises(UnknownName):
        await revoke_key(db, id)


async def test_a_tenant_sees_and_revokes_its_own_keys(db):
    """Those of others are unknown to it."""
    ours, _ = await create_key(db, "a", tenant="acme")
    theirs, secret = await create_key(db, "b", tenant="umbrella")

    assert await list_keys(db, tenant="acme") == [ours]
    with pytest.raises(UnknownName) as caught:
        await revoke_key(db, theirs.id, tenant="acme")
    assert theirs.id not in caught.value.remedy
    assert await find_key(db, secret) == theirs


async def test_an_expired_key_is_found_no_more(db):
    """Without anybody revoking it."""
    key, secret = await create_key(db, "agent", expires=datetime.now(UTC) + timedelta(hours=1))
    assert await find_key(db, secret) == key

    async with db.write() as connection:
        await connection.execute(update(API_KEYS).values(expires=datetime.now(UTC)))
    assert await find_key(db, secret) is None


async def test_there_is_no_key_at_first(db):
    """Then the server takes any, and binds to loopback."""
    assert not await any_key(db)
    await create_key(db, "agent")
    assert await any_key(db)


@pytest.mark.parametrize(
    "bad",
    [
        {"name": ""}, {"name": " "}, {"name": "a\0b"}, {"name": "a\nb"}, {"name": "x" * 201},
        {"tenant": "a b"}, {"tenant": "a:b"}, {"tenant": "x" * 65}, {"tenant": "\ud800"},
        {"searches_per_day": 0}, {"searches_per_day": -1}, {"searches_per_day": 10**13},
        {"money_per_month": 0}, {"money_per_month": float("nan")}, {"money_per_month": math.inf},
        {"rate": "fast"}, {"rate": "0/s"}, {"rate": "1" * 30 + "/s"},
        {"expires": datetime(2020, 1, 1, tzinfo=UTC)}, {"expires": datetime(2099, 1, 1)},  # noqa: DTZ001
    ],
)  # fmt: skip
async def test_a_value_out_of_its_bounds_is_refused(file_db, bad):
    """Before anything is written."""
    with pytest.raises((InvalidQuery, ConfigError)):
        await create_key(file_db, **{"name": "agent", **bad})
    assert not await any_key(file_db)


@pytest.mark.parametrize(
    "good",
    [
        {"name": "x"}, {"name": "x" * 200}, {"tenant": ""}, {"tenant": "A.b_c@d+e-" + "x" * 54},
        {"searches_per_day": 1}, {"searches_per_day": 10**12},
        {"money_per_month": 0.001}, {"money_per_month": 10**9}, {"rate": " 10/s "},
        {"rate": "1." + "0" * 16 + "/s"},
    ],
)  # fmt: skip
async def test_a_value_at_its_bound_is_taken(file_db, good):
    """And stored as it was given, but for blanks around it."""
    key, secret = await create_key(file_db, **{"name": "agent", **good})

    ((name, value),) = good.items()
    assert getattr(key, name) == (value.strip() if isinstance(value, str) else value)
    assert await find_key(file_db, secret) == key
    assert await get_key(file_db, key.id) == key


@pytest.mark.parametrize(
    "bad",
    [
        {"money_per_month": 10**9 + 1},
        {"searches_per_day": 10**12 + 1},
        {"rate": "1." + "0" * 17 + "/s"},
    ],
)
async def test_a_value_just_beyond_its_bound_is_refused(file_db, bad):
    """As is anything further off."""
    with pytest.raises((InvalidQuery, ConfigError)):
        await create_key(file_db, "agent", **bad)


async def test_the_form_of_a_key(file_db):
    """Ids and secrets are told apart by their length and their letters."""
    expires = datetime.now(UTC) + timedelta(hours=1)
    key, secret = await create_key(file_db, "agent", admin=True, expires=expires)

    assert re.fullmatch(r"[0-9a-z]{12}", key.id)
    assert re.fullmatch(r"ksk_[0-9A-Za-z]{32}", secret)
    assert key.to_dict() == {
        "id": key.id,
        "name": "agent",
        "tenant": "",
        "hint": secret[:8],
        "rate": None,
        "searches_per_day": None,
        "money_per_month": None,
        "admin": True,
        "created": key.created.isoformat(),
        "expires": expires.isoformat(),
        "revoked": None,
    }
    assert (await create_key(file_db, "other"))[0].admin is False
    assert [k.name for k in await list_keys(file_db)] == ["agent", "other"]
    assert await get_key(file_db, "nowhere") is None


async def test_a_key_is_live_until_the_very_instant_at_which_it_expires(file_db):
    """And not then."""
    expires = datetime.now(UTC) + timedelta(hours=1)
    key, _ = await create_key(file_db, "agent", expires=expires)

    instants = [expires - timedelta(microseconds=1), expires]

    assert [key.is_live(at) for at in instants] == [True, False]
