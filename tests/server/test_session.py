"""A request that is admitted: its caller, its money, its slot, and what is recorded of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

import pytest

from kensaku.errors import InvalidQuery
from kensaku.observe import Caller, caller
from kensaku.search.budget import current_budget
from kensaku.server.auth import ANYONE, Principal
from kensaku.server.limits import Overloaded
from kensaku.server.session import Admitted, ForeignPage, Session

from .page.page_request import api_key

ANN = Principal("ann", "t1", key=api_key("ann", tenant="t1"))


class Limits:
    """Notes how a key is counted."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def check(self, key: Any, searches: int) -> None:
        self.asked.append(("check", key.id, searches))

    async def check_run(self, key: Any, parent: Any) -> str:
        self.asked.append(("run", key.id, parent))
        return "of a run"

    def money(self, key: Any, parent: Any) -> str:
        self.asked.append(("money", key.id, parent))
        return "of the key"


class Client:
    """Has the budget of the operator, and in a request that of the key."""

    budget = "the client's"

    def __init__(self) -> None:
        self._resources = type("Resources", (), {"budget": "the operator's"})


@pytest.mark.parametrize(
    ("principal", "asked", "budget", "run"),
    [
        (ANYONE, [], None, None),
        (
            ANN,
            [
                ("check", "id-ann", 0), ("check", "id-ann", 3),
                ("run", "id-ann", "the operator's"), ("money", "id-ann", "the client's"),
            ],
            "of the key",
            "of a run",
        ),
    ],
    ids=["anyone", "key"],
)  # fmt: skip
async def test_a_key_is_counted_and_who_needs_none_is_not(principal, asked, budget, run):
    """A run is counted against what the operator allows besides."""
    limits = Limits()
    session = Session(principal, Client(), limits)  # type: ignore[arg-type]
    await session.check_limits()
    await session.check_limits(3)

    assert (await session.check_run(), session.budget) == (run, budget)
    assert limits.asked == asked
    assert (session.outcome, session.cached) == ("failed", False)
    assert "Limits" not in repr(session)


class Slots:
    """Slots of tenants and keys; it may be full."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.steps = error, []

    def slot(self, key: str) -> Any:
        self.steps.append(("slot", key))
        slots = self

        class Slot:
            async def __aenter__(self) -> None:
                slots.steps.append("enter")
                if slots.error:
                    raise slots.error

            async def __aexit__(self, *_: object) -> None:
                slots.steps.append("leave")

        return Slot()


class State:
    """Knows who asks."""

    def __init__(self, principal: Principal, error: Exception | None = None) -> None:
        self.who, self.limits = principal, Limits()
        self.admission, self.recorded = Slots(error), []
        self.client = Client()

    async def principal(self, scope: Any, headers: Any, body: Any) -> Principal:
        self.recorded.append(("principal", scope, headers, body))
        return self.who

    def client_of(self, principal: Principal) -> Any:
        return self.client

    def record(self, session: Session, endpoint: str, elapsed_ms: float) -> None:
        assert 0 <= elapsed_ms < 600_000
        self.recorded.append((session.outcome, endpoint, caller.get(), current_budget.get()))


@asynccontextmanager
async def as_before() -> Any:
    """The context of the test is left as it was."""
    before = caller.get(), current_budget.get()
    yield
    assert (caller.get(), current_budget.get()) == before


@pytest.mark.parametrize(
    ("principal", "slot"),
    [(ANN, "t1"), (Principal("ben", "", key=api_key("ben")), "id-ben"), (ANYONE, "")],
    ids=["tenant", "key", "anyone"],
)
async def test_a_request_has_its_caller_its_money_and_a_slot(principal, slot):
    """Those of a tenant share theirs; afterwards all is as it was."""
    state, scope = State(principal), {"state": {"request_id": "req-1"}}
    made = Admitted(state, scope, "x", {"a": "b"}, {"c": 1}, None)  # type: ignore[arg-type]
    async with as_before(), made as session:
        assert (session.principal, session.client) == (principal, state.client)
        assert caller.get() == Caller("req-1", principal.tenant, principal.key_id, "x")
        assert current_budget.get() == ("of the key" if principal.key else None)
        session.outcome = "found"

    assert state.admission.steps == [("slot", slot), "enter", "leave"]
    assert scope["state"]["key_id"] == principal.key_id
    assert state.recorded == [
        ("principal", scope, {"a": "b"}, {"c": 1}),
        ("found", "x", caller.get(), None),
    ]


async def test_a_request_that_fails_is_recorded_as_its_error():
    """And gives its slot back."""
    state = State(ANN)
    async with as_before():
        with pytest.raises(InvalidQuery):
            async with Admitted(state, {"state": {"request_id": "r"}}, "x", {}, {}, ANN):  # type: ignore[arg-type]
                raise InvalidQuery("no")

    assert state.admission.steps[-1] == "leave"
    assert [r[:2] for r in state.recorded] == [("InvalidQuery", "x")]


async def test_a_request_without_a_slot_is_recorded_too():
    """It has none to give back."""
    state = State(ANN, Overloaded(2.0))
    async with as_before():
        with pytest.raises(Overloaded):
            await Admitted(state, {"state": {"request_id": "r"}}, "x", {}, {}, ANN).__aenter__()  # type: ignore[arg-type]

    assert state.admission.steps == [("slot", "t1"), "enter"]
    assert [r[:2] for r in state.recorded] == [("Overloaded", "x")]


async def test_a_page_of_another_site_is_refused_where_no_key_is_needed():
    """With a key it could not have sent the request; who is known already was checked before."""
    foreign = {"sec-fetch-site": "cross-site"}
    for principal, known in ((ANYONE, None), (ANN, None), (ANYONE, ANYONE)):
        state = State(principal)
        made = Admitted(state, {"state": {"request_id": "r"}}, "x", foreign, {}, known)  # type: ignore[arg-type]
        if principal is ANYONE and known is None:
            with pytest.raises(ForeignPage):
                await made.__aenter__()
            assert state.admission.steps == []
        else:
            async with made as session:
                assert session.principal is principal
