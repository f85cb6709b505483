"""API keys of the server: random, shown once, stored as a hash.

    create_key → (ApiKey, secret)     the only time that the secret is seen
    find_key(secret) → ApiKey | None  by its SHA-256; None when unknown, expired or revoked

A key has about 190 random bits, so a plain SHA-256 is enough: there is nothing to guess.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import RowMapping, exists, insert, select, update

from kensaku.database.tables import API_KEYS
from kensaku.errors import InvalidQuery, UnknownName
from kensaku.messages import msg
from kensaku.text.rate import read_rate

if TYPE_CHECKING:
    from kensaku.database.engine import Database

PREFIX = "ksk_"
SECRET_CHARS = 32  # log2(62) × 32 = 190 bits
ID_CHARS = 12
HINT_CHARS = len(PREFIX) + 4
MAX_NAME = 200
MAX_RATE = 20  # characters
MAX_SEARCHES = 10**12
MAX_MONEY = 10**9
_LETTERS = string.ascii_letters + string.digits
_SECRET = re.compile(rb"%s[0-9A-Za-z]{%d}" % (PREFIX.encode(), SECRET_CHARS))
_ID = re.compile(rf"[0-9a-z]{{{ID_CHARS}}}")
_TENANT = re.compile(r"[\w.@+-]{0,64}")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret, and its limits. None means unlimited."""

    id: str
    name: str
    tenant: str
    hint: str  # how the secret begins
    rate: str | None
    searches_per_day: int | None
    money_per_month: float | None  # US dollars
    admin: bool
    created: datetime
    expires: datetime | None
    revoked: datetime | None

    def is_live(self, now: datetime | None = None) -> bool:
        """Whether it may be used: neither revoked nor expired."""
        if self.revoked is not None:
            return False
        return self.expires is None or (now or datetime.now(UTC)) < self.expires

    def to_dict(self) -> dict[str, Any]:
        """The key, ready for JSON."""
        values = asdict(self)
        for name in ("created", "expires", "revoked"):
            values[name] = values[name] and values[name].isoformat()
        return values


_COLUMNS = [API_KEYS.c[name] for name in ApiKey.__dataclass_fields__]


async def create_key(
    db: Database,
    name: str,
    *,
    tenant: str = "",
    rate: str | None = None,
    searches_per_day: int | None = None,
    money_per_month: float | None = None,
    admin: bool = False,
    expires: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Create a key; return it with its secret, which is stored nowhere. Raises `InvalidQuery`."""
    now = datetime.now(UTC)
    _check_bounds(name, tenant, searches_per_day, money_per_month)
    if expires is not None and (expires.tzinfo is None or expires <= now):
        raise InvalidQuery(msg("expires is not in the future, or has no time zone"))
    if rate is not None:
        read_rate(rate := rate.strip()[:MAX_RATE])
    secret = PREFIX + _random(_LETTERS, SECRET_CHARS)
    key = ApiKey(
        id=_random(string.ascii_lowercase + string.digits, ID_CHARS),
        name=name,
        tenant=tenant,
        hint=secret[:HINT_CHARS],
        rate=rate,
        searches_per_day=searches_per_day,
        money_per_month=money_per_month,
        admin=admin,
        created=now,
        expires=expires,
        revoked=None,
    )
    async with db.write() as connection:
        row = {**asdict(key), "hash": hash_secret(secret)}
        await connection.execute(insert(API_KEYS).values(row))
    db.key_mark.set()
    return key, secret


async def find_key(db: Database, secret: bytes | str) -> ApiKey | None:
    """Return the live key of a secret; None for anything else, whatever it is."""
    digest = hash_secret(secret)
    if digest is None:
        return None
    key = (await find_hashes(db, [digest])).get(digest)
    return key if key is not None and key.is_live() else None


async def find_hashes(db: Database, digests: Iterable[bytes]) -> dict[bytes, ApiKey]:
    """Return the keys with these hashes, live or not."""
    wanted = list(digests)
    async with db.read() as connection:
        query = select(API_KEYS.c.hash, *_COLUMNS).where(API_KEYS.c.hash.in_(wanted))
        rows = (await connection.execute(query)).mappings().all()
    stored = {bytes(row["hash"]): row for row in rows}
    pairs = [(digest, stored.get(digest)) for digest in wanted]
    return {
        digest: _key(row)
        for digest, row in pairs
        # The database and the dictionary compare as they like; this takes constant time.
        if row is not None and hmac.compare_digest(bytes(row["hash"]), digest)
    }


async def get_key(db: Database, id: str) -> ApiKey | None:
    """Return the key with this id, live or not."""
    async with db.read() as connection:
        query = select(*_COLUMNS).where(API_KEYS.c.id == id)
        row = (await connection.execute(query)).mappings().first()
    return None if row is None else _key(row)


async def list_keys(db: Database, *, tenant: str | None = None) -> list[ApiKey]:
    """Return all keys, or a tenant's, oldest first, including revoked ones."""
    query = select(*_COLUMNS).order_by(API_KEYS.c.created, API_KEYS.c.id)
    if tenant is not None:
        query = query.where(API_KEYS.c.tenant == _checked_tenant(tenant))
    async with db.read() as connection:
        return [_key(row) for row in (await connection.execute(query)).mappings()]


async def revoke_key(db: Database, id: str, *, tenant: str | None = None) -> ApiKey:
    """Revoke a key; one that is revoked stays so. Raises `UnknownName`.

    With `tenant`, the keys of others are unknown. The row stays: usage refers to it.
    """
    own = API_KEYS.c.id == id
    if tenant is not None:
        own &= API_KEYS.c.tenant == _checked_tenant(tenant)
    if _ID.fullmatch(id):
        async with db.write() as connection:
            change = update(API_KEYS).where(own, API_KEYS.c.revoked.is_(None))
            await connection.execute(change.values(revoked=datetime.now(UTC)))
            row = (await connection.execute(select(*_COLUMNS).where(own))).mappings().first()
        if row is not None:
            return _key(row)
    raise UnknownName(msg("key"), id, [key.id for key in await list_keys(db, tenant=tenant)])


async def any_key(db: Database) -> bool:
    """Whether a key was ever created: revoking the last one must not open the server.

    Raises `KeysLost` when the database has none, and some were created.
    """
    found = await has_keys(db)
    db.key_mark.check(found)
    return found


async def has_keys(db: Database) -> bool:
    """Whether the database has a key, live or not."""
    async with db.read() as connection:
        return bool(await connection.scalar(select(exists().select_from(API_KEYS))))


def hash_secret(secret: object) -> bytes | None:
    """Return the SHA-256 of a secret; None if it does not have our format."""
    if isinstance(secret, str):
        secret = secret[: len(PREFIX) + SECRET_CHARS + 1].encode("utf-8", "replace")
    if not isinstance(secret, bytes) or not _SECRET.fullmatch(secret):
        return None
    return hashlib.sha256(secret).digest()


def _key(row: RowMapping) -> ApiKey:
    return ApiKey(**{column.name: row[column.name] for column in _COLUMNS})


def _random(letters: str, count: int) -> str:
    return "".join(secrets.choice(letters) for _ in range(count))


def _check_bounds(name: str, tenant: str, searches: int | None, money: float | None) -> None:
    if not 0 < len(name) <= MAX_NAME or not name.isprintable() or name.isspace():
        raise InvalidQuery(
            msg(
                "the name of a key must have 1 to {max_name} printable characters",
                max_name=MAX_NAME,
            )
        )
    _checked_tenant(tenant)
    if searches is not None and not 0 < searches <= MAX_SEARCHES:
        raise InvalidQuery(
            msg(
                "searches a day are {searches}; they must be 1 to {max_searches:,}",
                searches=searches,
                max_searches=MAX_SEARCHES,
            )
        )
    if money is not None and not 0 < money <= MAX_MONEY:
        raise InvalidQuery(
            msg(
                "money a month is {money}; it must be above 0, up to {max_money:,}",
                money=money,
                max_money=MAX_MONEY,
            )
        )


def _checked_tenant(tenant: str) -> str:
    if not _TENANT.fullmatch(tenant):
        raise InvalidQuery(
            msg("the tenant {tenant!r} cannot be used", tenant=tenant[:80]),
            remedy=msg("write up to 64 letters, digits, . _ @ + or -"),
        )
    return tenant
