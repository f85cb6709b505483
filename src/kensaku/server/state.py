"""What a server owns: the core, the database, keys, the clients of its tenants.

    principal(…): draining? → started? → key → direct?     client_of(principal): the tenant's

Everything opens with the first request, or with the application's lifespan: inside somebody
else's application there is none.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from kensaku._logger import get_logger
from kensaku.assistant.channels import web
from kensaku.client import Kensaku
from kensaku.errors import KensakuError, UsageError
from kensaku.messages import msg
from kensaku.models import LOCAL
from kensaku.observe import Observer
from kensaku.server.auth import Principal, principal_of
from kensaku.server.http import BodyMemory
from kensaku.server.limits import Admission, KeyLimits
from kensaku.server.logs import RequestLog
from kensaku.server.metrics import Metrics
from kensaku.server.token import load_token
from kensaku.transport.listen import is_loopback

if TYPE_CHECKING:
    from starlette.types import Scope

    from kensaku.assistant.assistant import Assistant
    from kensaku.config.settings import Settings
    from kensaku.database import Database
    from kensaku.database.conversations import Sender
    from kensaku.database.key_cache import KeyCache
    from kensaku.database.usage import UsageWriter
    from kensaku.database.usage_observer import UsageObserver
    from kensaku.jobs.jobs import Jobs
    from kensaku.search.budget import Budget
    from kensaku.server.request import Request

log = get_logger("kensaku.server")
FILL_AFTER = 2.0  # seconds after the start, which the first requests may need for themselves
MAX_TENANTS = 512  # whose clients are kept: each is small
# What proxies say of whom they ask for. nginx says nothing unless it is told to; Caddy does.
FORWARDED = frozenset({"forwarded", "via", "x-real-ip"})
FORWARDED_PREFIX = "x-forwarded"


class WrongHost(KensakuError):
    """Without keys the server answers to this machine alone."""

    status = 421


class Forwarded(KensakuError):
    """Without keys the server answers no proxy: whom it asks for cannot be known."""

    status = 403


class Draining(KensakuError):
    """The server is about to stop."""

    status, retry_after = 503, 2.0


class State:
    """Lives as long as the server. One per application."""

    def __init__(
        self, settings: Settings, *, client: Kensaku | None = None, hosts: Iterable[str] = ()
    ) -> None:
        """`hosts`: names, besides this machine's own, that a server without keys answers to."""
        self.settings = settings
        self.client = client or Kensaku(settings)
        self.metrics = Metrics()
        self.admission = Admission()
        self.body_memory = BodyMemory()
        self.probing = asyncio.Lock()
        self.probed: tuple[dict[str, str], float] | None = None  # what was found, and until when
        self._observers: list[Observer] = [self.metrics, RequestLog()]
        self.client.observers.add(*self._observers)
        self._owns_client = client is None
        self._hosts = {h.lower() for h in hosts}
        self._tenants: OrderedDict[str, Kensaku] = OrderedDict()
        self._starting = asyncio.Lock()
        self._database: Database | None = None
        self._keys: KeyCache | None = None
        self._usage: UsageWriter | None = None
        self._usage_observer: UsageObserver | None = None
        self._jobs: Jobs | None = None
        self._resuming: asyncio.Task[None] | None = None
        self._resuming_runs: asyncio.Task[None] | None = None
        self._filling: asyncio.Task[None] | None = None
        self._closers: list[Callable[[], Awaitable[None]]] = []
        self.draining = False
        self.token = ""  # what proves, while there are no keys, that the owner asks

    @property
    def started(self) -> bool:
        """Whether requests are served."""
        return self._keys is not None

    @property
    def database(self) -> Database:
        """The database. The server has started."""
        assert self._database is not None
        return self._database

    @property
    def keys(self) -> KeyCache:
        """Who may ask. The server has started."""
        assert self._keys is not None
        return self._keys

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant of all tenants. The server has started."""
        from kensaku.assistant.assistant import Assistant

        made = Assistant(self.database, self.client_of_tenant, budget_of=self._budget_of)
        self.on_close(made.close)
        return made

    @cached_property
    def limits(self) -> KeyLimits:
        """The rates and quotas of keys, shared with other processes."""
        return KeyLimits(self.client.resources.store)

    async def start(self) -> None:
        """Open what every request needs. Starting twice is fine. Raises `KensakuError`."""
        if self.started:
            return
        async with self._starting:
            if self.started:
                return
            from kensaku.database.key_cache import KeyCache
            from kensaku.database.usage import UsageWriter
            from kensaku.database.usage_observer import UsageObserver

            # A package that is missing is said now, and not with every search.
            _ = self.client.resources.store, self.client.resources.cache
            self._database = await self._open_database()
            self._usage = await UsageWriter(
                self._database, days=self.settings.usage_days
            ).__aenter__()
            self._usage_observer = UsageObserver(self._usage)
            self.client.observers.add(self._usage_observer)
            self._keys = KeyCache(self._database)
            self._resuming = asyncio.create_task(self._resume_jobs())
            self._resuming_runs = asyncio.create_task(web.resume_runs(self))

    async def _open_database(self) -> Database:
        """Open the database; make the token if it has no keys. Raises `KeysLost`."""
        from kensaku.database import Database
        from kensaku.database.keys import any_key

        database = await Database.open(self.settings)
        try:
            if not await any_key(database):
                _check_cors(self.settings.cors_origins)
                self.token = await asyncio.to_thread(load_token, self.settings.home)
        except BaseException:
            await database.close()
            raise
        return database

    def fill_index(self) -> None:
        """Fill an empty local index in the background, before the first search needs it."""
        self._filling = asyncio.create_task(self._fill_index())

    def on_close(self, close: Callable[[], Awaitable[None]]) -> None:
        """Await this when the server stops."""
        self._closers.append(close)

    async def close(self) -> None:
        """Stop taking requests, and close everything. Closing twice is fine."""
        if self.draining:
            return
        self.draining = True
        for task in filter(None, (self._resuming_runs, self._filling)):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for close in self._closers:
            await close()
        self.client.observers.remove(*self._observers)
        if self._usage_observer is not None:
            self.client.observers.remove(self._usage_observer)
        if self._resuming is not None:
            await self._resuming
        if self._jobs is not None:
            await self._jobs.close()
        if self._usage is not None:
            await self._usage.close()
        if self._owns_client:
            await self.client.close()
        if self._database is not None:
            await self._database.close()
        self._database = self._keys = None

    def client_of(self, principal: Principal) -> Kensaku:
        """The client of a principal's tenant."""
        return self.client_of_tenant(principal.tenant)

    def client_of_tenant(self, tenant: str) -> Kensaku:
        """The client of a tenant."""
        if tenant == self.settings.tenant:
            return self.client
        if (client := self._tenants.get(tenant)) is None:
            client = self._tenants[tenant] = self.client.for_tenant(tenant)
            if len(self._tenants) > MAX_TENANTS:
                self._tenants.popitem(last=False)
        else:
            self._tenants.move_to_end(tenant)
        return client

    async def jobs(self) -> Jobs:
        """The jobs, which this process runs from the first call on."""
        async with self._starting:
            if self._jobs is None:
                from kensaku.jobs.jobs import Jobs

                # Usage is not among the observers: jobs write it before a step counts as done.
                jobs = Jobs(self.settings, database=self.database, observers=self._observers)
                await jobs.start()
                self._jobs = jobs
        return self._jobs

    async def _resume_jobs(self) -> None:
        """Run jobs if some are unfinished: of a server that was killed, or of the command line."""
        from kensaku.jobs.stored import StoredJobs

        try:
            if await StoredJobs(self.database).any_unfinished() and not self.draining:
                await self.jobs()
        except KensakuError as error:
            log.warning("unfinished jobs wait until the next job or start: %s", error)

    async def _fill_index(self) -> None:
        from kensaku.providers.local import Local
        from kensaku.search.route import plan

        await asyncio.sleep(FILL_AFTER)
        local = self.client.resources.provider(LOCAL)
        if not isinstance(local, Local) or LOCAL not in plan(self.settings, None, None).names:
            return
        try:
            await local.prepare(background=True)
        except KensakuError as error:
            log.warning("the local index is still empty: %s", error)

    async def needs_key(self) -> bool:
        """Whether callers need a key. Raises `Draining`."""
        if self.draining:
            raise Draining(msg("the server is about to stop"), remedy=msg("ask again in a moment"))
        await self.start()
        return await self.keys.required()

    async def principal(self, scope: Scope, headers: Mapping[str, str], secret: str) -> Principal:
        """Who asks with this key. Raises `Unauthorized`, `WrongHost`, `Forwarded` or `Draining`."""
        await self.needs_key()
        principal = await principal_of(self.keys, secret, self.token)
        if principal.key is None:
            self._check_direct(scope, headers)
        return principal

    def record(self, request: Request, elapsed_ms: float) -> None:
        """Record a request that has ended."""
        if self._usage is not None:
            self._usage.record(
                outcome=request.outcome,
                tenant=request.principal.tenant,
                key=request.principal.key_id,
                endpoint=request.name,
                cached=request.cached,
                elapsed_ms=elapsed_ms,
            )

    async def _budget_of(self, sender: Sender) -> Budget | None:
        """What the key of a person may still spend; None when nothing bounds it."""
        from kensaku.database.keys import get_key

        key = await get_key(self.database, sender.person)
        if key is None or key.tenant != sender.tenant:
            return None
        # Not `client.budget`: in a request, that is the money of the key already.
        operators = self.client_of_tenant(sender.tenant).resources.budget
        return self.limits.of_run(key, operators)

    def _check_direct(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Refuse other machines, proxies, and pages that have their own name point at this one."""
        if any(name in FORWARDED or name.startswith(FORWARDED_PREFIX) for name in headers):
            raise Forwarded(
                msg("this request came through a proxy, and this server has no keys yet"),
                remedy=msg("create one on its machine: kensaku keys create NAME --admin"),
            )
        host = _name(headers.get("host", ""))
        peer = (scope.get("client") or ("127.0.0.1", 0))[0]
        if (is_loopback(host) or host in self._hosts) and is_loopback(peer):
            return
        raise WrongHost(
            msg("this server has no keys yet, so only local requests are accepted"),
            remedy=msg("create one there: kensaku keys create NAME"),
        )


def _check_cors(origins: Iterable[str]) -> None:
    """Raises `UsageError`: any page in a browser of this machine could search."""
    if "*" in origins:
        raise UsageError(
            msg("cors_origins is *, and this server has no keys"),
            remedy=msg("create one first: kensaku keys create NAME; or name the origins"),
        )


def _name(authority: str) -> str:
    """The host of `[::1]:80` or `example.com:80`, in lower case."""
    name = authority.rpartition(":")[0] if not authority.endswith("]") else authority
    return (name or authority).lower()
