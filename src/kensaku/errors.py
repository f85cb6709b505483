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
import re
from collections.abc import Iterable, Mapping
from typing import Any


class KensakuError(Exception):
    """The root of all errors that Kensaku raises on purpose."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message

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


class UnknownName(UsageError):
    """There is no such provider, dialect, collection, …"""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        name, names = str(name), sorted(known)
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        listed = f"choose from {', '.join(names[:50])}" if names else "there is none yet"
        hint = f"did you mean {near[0]!r}?" if near else listed
        super().__init__(f"there is no {kind} {name[:80]!r}", remedy=hint)
        self.name = name


class UnknownJob(UsageError):
    """There is no such job, or it is another tenant's."""

    def __init__(self, id: str) -> None:
        super().__init__(
            f"there is no job {str(id)[:80]!r}", remedy="`kensaku jobs list` lists them"
        )


class ConfigError(UsageError):
    """A settings file or an environment variable cannot be used."""


class MissingExtra(UsageError, ImportError):
    """A package that this needs is not installed, or too old."""

    def __init__(self, what: str, extra: str) -> None:
        old = _too_old(extra)
        command = f'pip install "kensaku-search[{extra}]"'
        super().__init__(
            old or f"{what} is not installed",
            remedy=f"{'upgrade' if old else 'install'} it with: {command}",
        )
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
            return f"{found[1]} {installed} is too old; it must be at least {found[2]}"
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
        return f"{self.provider}: {super().__str__()}"

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


class KeyRefused(ProviderError):
    """The provider does not take this key; another key, or another provider, may do."""

    transient = True


class QuotaExhausted(ProviderError):
    """The key has nothing left until its quota is renewed."""

    transient = True


class RateLimited(ProviderError):
    """The provider asked us to wait; another provider may answer now."""

    transient = True


class Blocked(ProviderError):
    """The provider takes us for a robot: a challenge page instead of results."""

    transient = True


class Unreadable(ProviderError):
    """The provider answered something that is not a search result."""

    transient = True


class Outage(ProviderError):
    """The provider is down or out of reach."""

    transient = True


class Timeout(Outage):
    """The provider did not answer before the deadline."""


class Unreachable(Outage):
    """No connection, or a broken one: refused, reset, DNS, TLS."""


class NotConnected(Unreachable):
    """No connection was made, so nothing was sent: refused, DNS, TLS."""


class NoNetwork(NotConnected):
    """Several hosts could not be reached: this machine seems to be offline."""

    transient = False

    def __init__(self, provider: str, message: str = "", **more: Any) -> None:
        more.setdefault("remedy", "connect this machine, or ask the local index")
        super().__init__(provider, message or "there is no network", **more)


class CalledOff(ProviderError):
    """Another provider had answered: this one was no longer waited for."""


class NotAsked(ProviderError):
    """Kensaku did not send a request to this provider."""


class NotConfigured(NotAsked):
    """A key, an address or a package is missing."""


class Cooling(NotAsked):
    """The provider or key is on cooldown."""

    def __init__(self, provider: str, message: str, *, cause: str = "", **more: Any) -> None:
        super().__init__(provider, message, **more)
        self.cause = cause  # the name of the error that began it, such as KeyRefused
        self.transient = cause == RateLimited.__name__


class CircuitOpen(NotAsked):
    """It failed too often just now; it is tried again after a pause."""


class DoesNotFit(NotAsked):
    """The query is outside the bounds of this provider."""


class BudgetExceeded(KensakuError):
    """The budget is spent; nothing more was sent."""


class FetchError(KensakuError):
    """A page could not be had."""


class AddressRefused(FetchError):
    """The address may not be fetched. The text never says which rule it met."""


class NotAllowed(FetchError):
    """robots.txt, or a header of the page, asks us to stay out."""


class TooLarge(FetchError):
    """The page is over one of our bounds."""


class PageUnavailable(FetchError):
    """The server did not give the page."""

    def __init__(self, message: str, *, status: int | None = None, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.status = status


class Unparsable(FetchError):
    """There is a document, but no text can be had from it."""


class IndexFault(KensakuError):
    """The local index cannot do this now."""


class DatabaseFault(KensakuError):
    """The server's database cannot do this now. The text never holds its URL."""


class ChannelFault(KensakuError):
    """A chat service refuses the token of the bot, or is out of reach."""


class JobFailed(KensakuError):
    """A job ended before its work was done; it can be resumed."""


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
