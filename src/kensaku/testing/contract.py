"""The contract of a provider, as a class of tests to subclass. Needs pytest and nothing else.

    class TestAcme(ProviderContract):
        provider = Acme
        sample = load_sample(Path("acme.json"))

Every test asks a real server on loopback through the real HTTP client.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from kensaku import errors
from kensaku.models import Hit, Query
from kensaku.providers.base import Findings, Provider, Reply, Request
from kensaku.testing import faults
from kensaku.testing._filter_queries import FILTERS, params_of, strings_in, with_member
from kensaku.testing._wire import ReceivedRequest
from kensaku.testing.faults import Fault
from kensaku.testing.sample import Sample
from kensaku.testing.upstream import FakeUpstream
from kensaku.transport.http import HttpClient

KEY = "contract-key-5f3a9c"
TEXT = 'カワウソ "sea otter" & 🦦 100% a+b'
QUERY = Query(TEXT, max_results=3)

STATUSES = {
    400: errors.BadQuery,
    401: errors.KeyRefused,
    402: errors.QuotaExhausted,
    403: errors.KeyRefused,
    404: errors.Unreadable,
    408: errors.Timeout,
    422: errors.BadQuery,
    429: errors.RateLimited,
    432: errors.QuotaExhausted,
    433: errors.QuotaExhausted,
    500: errors.Outage,
    502: errors.Outage,
    503: errors.Outage,
    504: errors.Outage,
}
NOT_A_REPLY: list[Any] = [
    {}, [], [{}], "text", 5, None, True, {"error": "it broke"}, {"error": {"message": "it broke"}},
    {"error": {"code": 17}}, {"error": True}, {"errors": [{"detail": "it broke"}]},
    {"detail": {"error": "it broke"}}, {"message": "it broke"}, {"success": False},
]  # fmt: skip
ODD_REFUSALS: list[Any] = [
    None, "text", 5, [], {}, {"error": "text"}, {"error": None}, {"error": []}, {"errors": []},
    {"errors": ["text"]}, {"error": {"code": [], "meta": "x", "details": "x", "errors": ["x"]}},
    {"error": {"meta": {"quota_limit": "x", "quota_current": None}, "details": [None]}},
    {"code": {}, "status": [], "detail": 5, "message": {}, "request_id": 5},
]  # fmt: skip
NOT_ROWS: list[Any] = ["text", 5, None, True, {"a": 1}, [None], ["text"], [5], [[]]]
NOT_AN_ADDRESS: list[Any] = [5, None, "", "text", "/relative", "javascript:alert(1)", {}, ["x"]]
ODD: list[Any] = [5, None, True, {}, [], [5], {"a": "b"}]


class ProviderContract:
    """Subclass it with `provider` and `sample`, and run pytest."""

    provider: ClassVar[type[Provider]]
    sample: ClassVar[Sample]

    # --- helpers

    def make_provider(self, base_url: str | None = None) -> Provider:
        """Return the provider, with a value for each option that it needs."""
        return self.provider(base_url, {o: f"test-{o}" for o in self.provider.needs})

    def describe(self, query: Query = QUERY, key: str = KEY) -> Request:
        """Return the request for a query."""
        return self.make_provider("https://upstream.example/base").request(query, key)

    def ask(
        self, fault: Fault | None = None, *, key: str = KEY, seconds: float = 10.0
    ) -> tuple[Findings, ReceivedRequest]:
        """Ask over loopback; return the findings and the request as it arrived."""
        return asyncio.run(self._ask(fault, key, seconds))

    async def _ask(
        self, fault: Fault | None, key: str, seconds: float
    ) -> tuple[Findings, ReceivedRequest]:
        name, http = self.provider.name, HttpClient(user_agent="kensaku-contract")
        async with FakeUpstream({name: self.sample}) as up:
            if fault:
                # What is asked first fails as the rest does; a wrong body would be wrong twice.
                main = None if fault.end == "empty" else lambda seen: self.sample.is_main(seen.path)
                up.fails(name, fault, when=main)
            try:
                async with asyncio.timeout(seconds):
                    findings = await self.make_provider(up.base_url(name)).ask(QUERY, key, http)
                return findings, up.requests[-1]
            finally:
                await http.close()

    def error_from(self, fault: Fault) -> errors.ProviderError:
        """Return the error that a fault leads to; it must be a typed one."""
        with pytest.raises(errors.ProviderError) as caught:
            self.ask(fault)
        assert caught.value.provider == self.provider.name
        return caught.value

    def hits_in(self, body: Any) -> list[Hit]:
        """Return the hits of a body, decoded as a reply is."""
        provider = self.make_provider()
        return provider.hits(provider.decode(Reply(200, {}, faults.as_bytes(body))))

    def replies(self) -> Iterator[Sample]:
        """Return the sample and its other replies."""
        return iter((self.sample, *self.sample.also))

    # --- what it reads

    def test_it_reads_the_sample_as_expected(self) -> None:
        """Every documented member lands where it belongs, in the upstream's order."""
        for sample in self.replies():
            hits = self.hits_in(sample.reply)
            read = [
                {n: getattr(h, n) for n in e} for h, e in zip(hits, sample.expect, strict=False)
            ]
            assert read == [dict(e) for e in sample.expect]
            assert len(hits) == len(sample.expect) >= 1
            assert {h.provider for h in hits} == {self.provider.name}

    def test_it_finds_what_the_upstream_sends(self) -> None:
        """The whole way over HTTP gives the same hits as reading the sample."""
        found, _ = self.ask()
        assert found.hits == self.hits_in(self.sample.reply)

    def test_hits_written_in_its_format_are_read_back(self) -> None:
        """The row of the sample is the row that the provider reads."""
        hit = Hit(url="https://a.example/?b=1&c=日本", title="A 'b' <c> 日本", content="text")
        for sample in self.replies():
            (read,) = self.hits_in(sample.with_hits([hit]))
            assert (read.url, read.title, read.content) == (hit.url, hit.title, hit.content)

    def test_nothing_found_is_an_empty_list(self) -> None:
        """That there is nothing is an answer, not an error."""
        found, _ = self.ask(faults.empty())
        assert found.hits == []

    # --- what it makes of failure

    @pytest.mark.parametrize("status", STATUSES)
    def test_a_status_becomes_its_error(self, status: int) -> None:
        """A wrong query, a wrong key, quota, rate and outage are told apart."""
        error = self.error_from(faults.status(status, headers={"X-Request-Id": "req-1"}))
        assert type(error) is STATUSES[status]
        assert (error.status, error.request_id) == (status, "req-1")
        assert error.retry_after is None

    @pytest.mark.parametrize("body", ODD_REFUSALS, ids=repr)
    def test_a_refusal_in_any_words_is_a_typed_error(self, body: Any) -> None:
        """Nobody documents what an upstream says when it is in trouble."""
        for status in (400, 403, 422, 429, 500):
            with pytest.raises(errors.ProviderError):
                self.make_provider().read(Reply(status, {}, json.dumps(body).encode()))

    @pytest.mark.parametrize("status", [429, 503])
    def test_it_keeps_how_long_to_wait(self, status: int) -> None:
        """`Retry-After` reaches whoever decides when to ask again."""
        assert (
            self.error_from(faults.status(status, headers={"Retry-After": "7"})).retry_after == 7.0
        )

    @pytest.mark.parametrize("status", [200, 403])
    def test_a_web_page_is_a_block(self, status: int) -> None:
        """A captcha is neither a result nor an empty list."""
        assert type(self.error_from(faults.html(status))) is errors.Blocked

    @pytest.mark.parametrize("status", [401, 429, 500, 502, 503])
    def test_a_gateways_page_keeps_the_meaning_of_its_status(self, status: int) -> None:
        """Proxies in front of an upstream answer in HTML."""
        assert type(self.error_from(faults.html(status))) is STATUSES[status]

    @pytest.mark.parametrize("fault", [faults.reset(), faults.half()], ids=["reset", "half"])
    def test_a_broken_connection_is_unreachable(self, fault: Fault) -> None:
        """Half a body is not half a result."""
        assert type(self.error_from(fault)) is errors.Unreachable

    def test_a_silent_upstream_ends_with_the_deadline(self) -> None:
        """No call outlives the time that its caller has given it."""
        with pytest.raises((TimeoutError, errors.Timeout)):
            self.ask(faults.hang(), seconds=0.05)

    @pytest.mark.parametrize("body", [b"", b"{", b'{"results": [{"ti', b"\xff\xfe", b"ok"])
    def test_what_is_not_json_is_unreadable(self, body: bytes) -> None:
        """A cut-off or garbled body is a failure of the upstream."""
        assert type(self.error_from(Fault(body=body))) is errors.Unreadable

    @pytest.mark.parametrize("body", NOT_A_REPLY, ids=repr)
    def test_another_body_is_never_an_empty_list(self, body: Any) -> None:
        """An error with status 200, or another form, is a typed error."""
        self.error_from(faults.wrong_shape(body))

    @pytest.mark.parametrize("rows", NOT_ROWS, ids=repr)
    def test_rows_of_another_form_are_never_an_empty_list(self, rows: Any) -> None:
        """Where the list should be there is something else."""
        assert type(self.error_from(faults.wrong_shape(self.sample.with_rows(rows)))) is (
            errors.Unreadable
        )

    @pytest.mark.parametrize("address", NOT_AN_ADDRESS, ids=repr)
    def test_rows_without_an_address_are_unreadable(self, address: Any) -> None:
        """Results that nobody can open are not results."""
        rows = [with_member(self.sample.row, "url", address)] * 3
        assert type(self.error_from(faults.wrong_shape(self.sample.with_rows(rows)))) is (
            errors.Unreadable
        )

    def test_one_bad_row_does_not_spoil_the_others(self) -> None:
        """It is left out, and a note says so."""
        hits = [Hit(url=f"https://a.example/{n}", title=f"T{n}") for n in range(3)]
        hits.append(Hit(url="", title="no address"))
        body = self.sample.with_hits(hits)
        found, _ = self.ask(faults.wrong_shape(body))
        assert [h.url for h in found.hits] == [h.url for h in hits[:3]]
        assert len(found.notes) == 1

    @pytest.mark.parametrize("odd", ODD, ids=repr)
    @pytest.mark.parametrize("member", ["title", "content", "published", "score"])
    def test_members_of_another_type_do_no_harm(self, member: str, odd: Any) -> None:
        """What reaches a hit has the type that a hit promises."""
        row = with_member(with_member(self.sample.row, "url", "https://a.example/"), member, odd)
        for hit in self.hits_in(self.sample.with_rows([row])):
            texts = (hit.title, hit.content, hit.published or "", hit.author or "")
            assert all(isinstance(t, str) for t in texts)
            assert hit.score is None or isinstance(hit.score, float)

    # --- what it sends

    def test_the_query_arrives_whole(self) -> None:
        """Japanese, quotes, `&`, `+`, `%` and emoji survive the encoding."""
        _, received = self.ask()
        assert any(TEXT in value for value in strings_in([received.params, received.json]))

    def test_the_key_is_in_its_place_and_nowhere_else(self) -> None:
        """A key in two places is a key in a log."""
        _, received = self.ask()
        places = {f"header {name}": value for name, value in received.headers.items()}
        places |= {f"param {name}": value for name, value in received.params.items()}
        places["body"], places["path"] = received.body.decode(), received.path
        holding = [place.lower() for place, value in places.items() if KEY in value]
        assert holding == ([self.sample.key.lower()] if self.sample.key else [])

    def test_without_a_key_it_sends_none(self) -> None:
        """An empty `Bearer` is refused by upstreams that would answer without one."""
        if not self.provider.keyless:
            pytest.skip("it needs a key")
        found, received = self.ask(key="")
        assert found.hits
        assert not any(value in ("", "Bearer", "None") for value in received.headers.values())

    def test_it_only_goes_where_it_was_told_to(self) -> None:
        """A base URL is used as it is: keys and queries go to that host alone."""
        for key in (KEY, ""):
            assert self.describe(key=key).url.startswith("https://upstream.example/base/")

    def test_it_asks_for_no_more_than_it_may(self) -> None:
        """A count above the upstream's bound is refused by it, so it is not sent."""
        few, many = (set(params_of(self.describe(Query(TEXT, max_results=n)))) for n in (1, 50))
        counts = [int(value) for _, value in many - few if str(value).isdigit()]
        assert all(1 <= count <= self.provider.max_results for count in counts)

    @pytest.mark.parametrize(("name", "queries"), FILTERS.items(), ids=list(FILTERS))
    def test_filters_are_declared_and_sent(self, name: str, queries: list[Query]) -> None:
        """A declared filter changes the request; another one, or an unknown value, does not."""
        provider = self.make_provider()
        plain = provider.request(Query("otter"), KEY)
        known = [query for query in queries if name in provider.filters_for(query)]
        unknown = [query for query in queries if query not in known]
        sent = [provider.request(query, KEY) for query in known]
        if name in provider.filters:
            assert sent
            assert plain not in sent
            assert all(sent.count(request) == 1 for request in sent)
        if name in provider.filters or name.removeprefix("not ") not in provider.filters:
            assert all(provider.request(query, KEY) == plain for query in unknown)

    def test_describing_and_reading_are_pure(self) -> None:
        """The same query gives the same request, and reading changes nothing."""
        assert self.describe() == self.describe()
        body = self.sample.with_hits([Hit(url="https://a.example/", title="A")])
        before = repr(body)
        assert self.hits_in(body) == self.hits_in(body)
        assert repr(body) == before

    # --- what it keeps to itself

    def test_no_repr_shows_the_key_or_the_query(self) -> None:
        """Requests and providers end up in logs."""
        shown = repr(self.describe()) + repr(self.make_provider())
        assert KEY not in shown
        assert TEXT not in shown

    @pytest.mark.parametrize("status", [200, 400, 401, 429])
    def test_an_error_repeats_neither_key_nor_query(self, status: int) -> None:
        """Upstreams like to say both back."""
        message = f"bad request for {TEXT} with {KEY}"
        error = self.error_from(faults.status(status, {"error": {"message": message}}))
        shown = f"{error} {error!r} {error.to_dict()}"
        assert KEY not in shown
        assert TEXT not in shown

    # --- what it says of itself

    def test_it_describes_itself(self) -> None:
        """The table of providers is made from these."""
        cls = self.provider
        assert cls.name == cls.name.lower()
        assert cls.name.isidentifier()
        assert cls.label
        assert cls.docs.startswith("https://")
        assert cls.key_variable or cls.keyless
        assert cls.keyless or not cls.pooled
        assert cls.keyless_rate or not cls.pooled
        assert cls.price >= 0
        assert set(cls.needs) <= set(cls.options)
        assert cls.url == "" or cls.url.startswith("https://")
