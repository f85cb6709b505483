"""The errors, split by who can act.

    KensakuError
    ├── UsageError (also a ValueError)      the caller: fix the call or the settings
    │   ├── InvalidQuery                    a value out of its bounds; nothing was sent
    │   ├── UnknownName                     no such provider, dialect, …; names the nearest
    │   ├── UnknownJob                      no such job, or another tenant's
    │   ├── ConfigError                     a settings file or variable; says where
    │   └── MissingExtra                    a package is missing or too old; says which command
    ├── ProviderError                       one upstream; another one may answer
    │   ├── BadQuery                        it does not take this query       (400, 422)
    │   ├── KeyRefused                      it does not take the key          (401, 403)
    │   ├── QuotaExhausted                  nothing left on this key          (402, 432, 433)
    │   ├── RateLimited                     too fast                          (429)
    │   ├── Blocked                         it takes us for a robot           (captcha, 403 HTML)
    │   ├── Unreadable                      it answered what we cannot read   (HTML, bad JSON)
    │   ├── Outage                          it is down                        (5xx)
    │   │   ├── Timeout                     … or slower than the deadline
    │   │   └── Unreachable                 … or the connection broke         (reset, cut off)
    │   │       └── NotConnected            … or there was none: nothing sent (refused, DNS, TLS)
    │   │           └── NoNetwork           … and two others cannot be reached either
    │   ├── CalledOff                       another one was faster, and it was not waited for
    │   └── NotAsked                        we did not ask, and why
    │       ├── NotConfigured               no key, no base URL, no package
    │       ├── Cooling                     told to wait, and the time is not over
    │       ├── CircuitOpen                 it failed too often just now
    │       └── DoesNotFit                  the query is outside what it takes
    ├── BudgetExceeded                      the run has spent what it may
    ├── FetchError                          one page
    │   ├── AddressRefused                  not a public address, or not one we may ask
    │   ├── NotAllowed                      robots.txt or the site says no
    │   ├── TooLarge                        over a bound on bytes, time or nesting
    │   ├── PageUnavailable                 status, timeout, reset
    │   └── Unparsable                      no text can be had from it
    ├── IndexFault                          the local index: missing, locked, full, damaged
    ├── DatabaseFault                       the server's database: out of reach, locked, newer
    ├── ChannelFault                        Slack or Telegram: token refused, out of reach
    └── JobFailed                           a job: a part of it, or all of it

Every error is one sentence, and `remedy` says what to do next. No message, `repr` or attribute
holds a key or a query.
"""

from __future__ import annotations

import difflib
import errno
import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from kensaku.messages import msg


class KensakuError(Exception):
    """The root of all errors that Kensaku raises on purpose."""

    summary: ClassVar[str] = msg("it failed")  # what the class means; never the words of others

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        """Return the sentence with its remedy; a translator takes it as a message."""
        if not self.remedy:
            return self.message
        return msg("{message}; {remedy}", message=self.message, remedy=self.remedy)

    def __reduce__(self) -> Any:
        # An exception is usually made again from `args` alone; ours take more than that.
        return _unpickle, (type(self), self.args, self.__dict__)

    def to_dict(self) -> dict[str, Any]:
        """The error, ready for JSON."""
        return {"type": type(self).__name__, "message": self.message, "remedy": self.remedy}


def _unpickle(kind: type[KensakuError], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class UsageError(KensakuError, ValueError):
    """The call cannot be carried out as it stands; nothing was sent."""


class InvalidQuery(UsageError):
    """A value is outside its bounds."""

    summary = msg("the search is not valid")


class UnknownName(UsageError):
    """There is no such provider, dialect, collection, …"""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        name, names = str(name), sorted(known)
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        listed = msg("choose from {names}", names=", ".join(names[:50]))
        hint = msg("did you mean {near!r}?", near=near[0]) if near else listed
        super().__init__(
            msg("there is no {kind} {name!r}", kind=kind, name=name[:80]),
            remedy=hint if names else msg("there is none yet"),
        )
        self.name = name
        self.near = near[0] if near else ""


class UnknownJob(UsageError):
    """There is no such job, or it is another tenant's."""

    def __init__(self, id: str) -> None:
        super().__init__(
            msg("there is no job {id!r}", id=str(id)[:80]),
            remedy=msg("`kensaku jobs list` lists them"),
        )


class ConfigError(UsageError):
    """A settings file or an environment variable cannot be used."""


# What people install an extra for. The others are named after their framework.
PURPOSES = {
    "browser": msg("reading pages with a browser"),
    "bulk": msg("bulk indexing"),
    "chat": msg("the chat"),
    "completion": msg("completion in a shell"),
    "crawl": msg("crawling by patterns"),
    "database": msg("the database of keys, jobs and conversations"),
    "dense": msg("search by meaning"),
    "mcp": msg("the MCP server"),
    "postgres": msg("PostgreSQL"),
    "qdrant": msg("a Qdrant server"),
    "server": msg("the server"),
    "signature": msg("signing requests"),
    "slack": msg("Slack"),
    "telegram": msg("Telegram"),
    "tokens": msg("exact token counts"),
    "valkey": msg("Valkey"),
}


class MissingExtra(UsageError, ImportError):
    """A package that this needs is not installed, or too old.

    `extra` may be several, separated by commas; the first says what they are for. `more` are
    packages that the extra leaves to the person.
    """

    def __init__(self, what: str, extra: str, *more: str) -> None:
        old = _too_old(extra)
        command = " ".join(
            ["pip install", *(f'"{p}"' for p in (f"kensaku-search[{extra}]", *more))]
        )
        if old:
            remedy = msg("upgrade it with: {command}", command=command)
        elif purpose := PURPOSES.get(extra.partition(",")[0]):
            remedy = msg(
                "install all that {purpose} needs with: {command}", purpose=purpose, command=command
            )
        else:
            remedy = msg("install it with: {command}", command=command)
        super().__init__(old or msg("{what} is not installed", what=what), remedy=remedy)
        self.what, self.extra = what, extra


def _too_old(extra: str) -> str:
    """Say which package of an extra is installed in a version below the one needed; "" if none."""
    from importlib.metadata import PackageNotFoundError, requires, version

    try:
        needed = requires("kensaku-search") or []
    except PackageNotFoundError:  # run from a folder
        return ""
    for line in needed:
        found = re.match(rf"([\w.-]+)[^;]*?>=([\d.]+)[^;]*;.*\bextra == ['\"]{extra}['\"]", line)
        try:
            installed = version(found[1]) if found else ""
        except PackageNotFoundError:
            continue
        if found and _numbers(installed) < _numbers(found[2]):
            return msg(
                "{package} {installed} is too old; it must be at least {needed}",
                package=found[1],
                installed=installed,
                needed=found[2],
            )
    return ""


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


class ProviderError(KensakuError):
    """One upstream did not answer a search; the others still can.

    `transient`: asking the same provider again may help. Each class has its default.
    """

    transient: bool = False

    def __init__(
        self,
        provider: str,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
        remedy: str = "",
        transient: bool | None = None,
        body: str = "",
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.provider = provider
        self.body = body  # the text of a refusal, cleaned and cut, for who shows it as it came
        self.status = status
        self.retry_after = retry_after
        self.request_id = request_id
        if transient is not None:
            self.transient = transient

    def __str__(self) -> str:
        return msg("{name}: {text}", name=self.provider, text=super().__str__())

    def to_dict(self) -> dict[str, Any]:
        """The error, ready for JSON."""
        return super().to_dict() | {
            "status": self.status,
            "retry_after": self.retry_after,
            "request_id": self.request_id,
        }


class BadQuery(ProviderError):
    """The provider does not take this query: asking it again cannot help.

    Mostly it is about one parameter, which another provider takes."""

    summary = msg("it does not take this query")


class KeyRefused(ProviderError):
    """The provider does not take this key; another key, or another provider, may do."""

    summary = msg("it does not take this key")
    transient = True


class QuotaExhausted(ProviderError):
    """The key has nothing left until its quota is renewed."""

    summary = msg("the quota of this key is used up")
    transient = True


class RateLimited(ProviderError):
    """The provider asked us to wait; another provider may answer now."""

    summary = msg("too many requests")
    transient = True


class Blocked(ProviderError):
    """The provider takes us for a robot: a challenge page instead of results."""

    summary = msg("it takes us for a robot")
    transient = True


class Unreadable(ProviderError):
    """The provider answered something that is not a search result."""

    summary = msg("it answered something else")
    transient = True


class Outage(ProviderError):
    """The provider is down or out of reach."""

    summary = msg("it is out of order")
    transient = True


class Timeout(Outage):
    """The provider did not answer before the deadline."""

    summary = msg("it took too long")


class Unreachable(Outage):
    """No connection, or a broken one: refused, reset, DNS, TLS."""

    summary = msg("it cannot be reached")


class NotConnected(Unreachable):
    """No connection was made, so nothing was sent: refused, DNS, TLS."""


class NoNetwork(NotConnected):
    """Several hosts could not be reached: this machine seems to be offline."""

    summary = msg("there is no network")
    transient = False

    def __init__(self, provider: str, message: str = "", **more: Any) -> None:
        more.setdefault("remedy", msg("connect this machine, or ask the local index"))
        super().__init__(provider, message or self.summary, **more)


class CalledOff(ProviderError):
    """Another provider had answered: this one was no longer waited for."""

    summary = msg("another one was faster")


class NotAsked(ProviderError):
    """Kensaku did not send a request to this provider."""

    summary = msg("it was not asked")


class NotConfigured(NotAsked):
    """A key, an address or a package is missing."""

    summary = msg("it is not configured")


class Cooling(NotAsked):
    """The provider or key is on cooldown."""

    summary = msg("it is on cooldown after a refusal")

    def __init__(self, provider: str, message: str, *, cause: str = "", **more: Any) -> None:
        more.setdefault("transient", cause == RateLimited.__name__)
        super().__init__(provider, message, **more)
        self.cause = cause  # the name of the error that began it, such as KeyRefused


class CircuitOpen(NotAsked):
    """It failed too often just now; it is tried again after a pause."""

    summary = msg("it failed too often just now")


class DoesNotFit(NotAsked):
    """The query is outside the bounds of this provider."""

    summary = msg("the query is outside its limits")


class BudgetExceeded(KensakuError):
    """The budget is spent; nothing more was sent."""

    summary = msg("the budget is spent")


class FetchError(KensakuError):
    """A page could not be had."""

    summary = msg("it could not be fetched")


class AddressRefused(FetchError):
    """The address may not be fetched. The text never says which rule it met."""

    summary = msg("the address may not be fetched, or nothing answers there")


class NotAllowed(FetchError):
    """robots.txt, or a header of the page, asks us to stay out."""

    summary = msg("the site asks not to be read")


class TooLarge(FetchError):
    """The page is over one of our bounds."""

    summary = msg("it is larger than a page may be")


class PageUnavailable(FetchError):
    """The server did not give the page."""

    summary = msg("the server did not give the page")

    def __init__(
        self, message: str, *, status: int | None = None, remedy: str = "", challenge: str = ""
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.status = status
        self.challenge = challenge  # the service that asks for a check for robots


class Unparsable(FetchError):
    """There is a document, but no text can be had from it."""

    summary = msg("no text can be had from it")


class IndexFault(KensakuError):
    """The local index cannot do this now."""

    summary = msg("the local index cannot do this now")


class DatabaseFault(KensakuError):
    """The server's database cannot do this now. The text never holds its URL."""


class ChannelFault(KensakuError):
    """A chat service refuses the token of the bot, or is out of reach."""


class JobFailed(KensakuError):
    """A job ended before its work was done; it can be resumed."""


# The usual reasons of the system, which says them in English only.
_SYSTEM = {
    errno.ENOENT: msg("No such file or directory"),
    errno.EACCES: msg("Permission denied"),
    errno.EPERM: msg("Operation not permitted"),
    errno.EISDIR: msg("Is a directory"),
    errno.ENOTDIR: msg("Not a directory"),
    errno.EROFS: msg("Read-only file system"),
    errno.ENOSPC: msg("No space left on device"),
    errno.ENAMETOOLONG: msg("File name too long"),
    errno.EADDRINUSE: msg("Address already in use"),
    errno.EADDRNOTAVAIL: msg("Cannot assign requested address"),
    errno.ECONNREFUSED: msg("Connection refused"),
    errno.ELOOP: msg("Too many levels of symbolic links"),
}


def system_reason(error: OSError) -> str:
    """Say why the system refused, without the name of the file."""
    return _SYSTEM.get(error.errno or 0) or error.strerror or type(error).__name__


def error_from_dict(values: Mapping[str, Any], provider: str = "") -> KensakuError:
    """The error that `to_dict` wrote; one of an unknown class becomes a `ProviderError`."""
    more = dict(values)
    kind: type[KensakuError] = globals().get(more.pop("type", ""), ProviderError)
    message = more.pop("message")
    if issubclass(kind, ProviderError):
        return kind(provider, message, **more)
    error: KensakuError = kind.__new__(kind, message)
    KensakuError.__init__(error, message, remedy=more.get("remedy", ""))
    return error
