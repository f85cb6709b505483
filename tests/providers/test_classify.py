"""What single upstreams mean by their refusals, where the status alone does not say it."""

from __future__ import annotations

import pytest

from kensaku.errors import (
    BadQuery,
    Blocked,
    KeyRefused,
    Outage,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Unreadable,
)
from kensaku.providers import provider_class
from kensaku.testing.faults import Fault, error_body, html, status

BRAVE_WINDOWS = {"X-RateLimit-Limit": "1, 15000", "X-RateLimit-Policy": "1;w=1, 15000;w=2592000"}
HTML = {"Content-Type": "text/html"}
SECOND_FULL = {**BRAVE_WINDOWS, "X-RateLimit-Remaining": "0, 1400", "X-RateLimit-Reset": "1, 99000"}
MONTH_FULL = {**BRAVE_WINDOWS, "X-RateLimit-Remaining": "0, 0", "X-RateLimit-Reset": "1, 99000"}


def brave(code: str, **meta: object) -> dict[str, object]:
    return {"type": "ErrorResponse", "error": {"code": code, "detail": "no", "meta": meta}}


def google(reason: str, **metadata: str) -> dict[str, object]:
    details = [{"reason": "RATE_LIMIT_EXCEEDED", "metadata": metadata}] if metadata else []
    return {"error": {"message": "no", "errors": [{"reason": reason}], "details": details}}


def linkup(code: str) -> dict[str, object]:
    return {"error": {"code": code, "message": "no", "details": []}}


def mojeek(status: str) -> dict[str, object]:
    return {"response": {"status": status}}


def kagi(message: str) -> dict[str, object]:
    return {"data": [], "error": [{"code": "x", "url": "https://k.example", "message": message}]}


CASES: list[tuple[str, Fault, type[ProviderError]]] = [
    ("brave", status(429, brave("RATE_LIMITED"), SECOND_FULL), RateLimited),
    ("brave", status(429, brave("RATE_LIMITED"), MONTH_FULL), QuotaExhausted),
    ("brave", status(429, brave("RATE_LIMITED", quota_limit=9, quota_current=9)), QuotaExhausted),
    ("brave", status(429, brave("RATE_LIMITED", quota_limit=9, quota_current=3)), RateLimited),
    ("brave", status(429, {"errors": [{"code": "QUOTA_LIMITED"}]}), QuotaExhausted),
    ("brave", status(422, brave("SUBSCRIPTION_TOKEN_INVALID")), KeyRefused),
    ("brave", status(422, brave("VALIDATION")), BadQuery),
    ("serper", status(400, {"message": "Not enough credits", "statusCode": 400}), QuotaExhausted),
    ("serper", status(403, {"message": "Unauthorized.", "statusCode": 403}), KeyRefused),
    ("serper", status(400, {"message": "Query not allowed."}), BadQuery),
    ("exa", status(402, {"error": "no", "tag": "NO_MORE_CREDITS"}), QuotaExhausted),
    ("exa", status(402, {"error": "no", "tag": "API_KEY_BUDGET_EXCEEDED"}), QuotaExhausted),
    ("exa", status(400, {"error": "no", "tag": "NUM_RESULTS_EXCEEDED"}), BadQuery),
    ("linkup", status(429, linkup("TOO_MANY_REQUESTS")), RateLimited),
    ("linkup", status(429, linkup("INSUFFICIENT_FUNDS_CREDITS")), QuotaExhausted),
    ("linkup", status(429, linkup("EXCEED_BUDGET_LIMIT")), QuotaExhausted),
    ("linkup", status(400, linkup("VALIDATION_ERROR")), BadQuery),
    ("linkup", status(403, linkup("IP_NOT_WHITELISTED")), KeyRefused),
    ("serpapi", status(429, {"error": "Your account has run out of searches."}), QuotaExhausted),
    ("serpapi", status(429, {"error": "You are exceeding the hourly limit."}), RateLimited),
    ("serpapi", status(401, {"error": "Invalid API key."}), KeyRefused),
    ("google", status(403, google("dailyLimitExceeded")), QuotaExhausted),
    ("google", status(403, google("userRateLimitExceeded")), RateLimited),
    ("google", status(403, google("forbidden")), KeyRefused),
    ("google", status(400, google("keyInvalid")), KeyRefused),
    ("google", status(400, google("badRequest")), BadQuery),
    ("google", status(429, google("rateLimitExceeded")), RateLimited),
    ("google", status(429, google("x", quota_limit="DefaultPerDayPerProject")), QuotaExhausted),
    ("google", status(429, google("x", quota_limit="DefaultPerMinutePerUser")), RateLimited),
    ("bocha", error_body({"code": "401", "message": "Invalid API KEY"}), KeyRefused),
    ("bocha", error_body({"code": 429, "msg": "You have reached the limit"}), RateLimited),
    ("bocha", error_body({"code": 403, "msg": "You do not have enough money"}), QuotaExhausted),
    ("bocha", status(403, {"code": "403", "message": "not enough money"}), QuotaExhausted),
    ("bocha", error_body({"code": "500", "msg": "x"}), Outage),
    ("wikipedia", error_body({"error": {"code": "ratelimited", "info": "slow"}}), RateLimited),
    ("wikipedia", error_body({"error": {"code": "maxlag", "info": "lagging"}}), Outage),
    ("searxng", html(403), Blocked),
    ("searxng", status(429, "too many"), RateLimited),
    ("jina", status(402, {"code": 402, "name": "InsufficientBalanceError"}), QuotaExhausted),
    ("jina", status(422, {"code": 422, "status": 42201, "message": "bad"}), BadQuery),
    ("mojeek", error_body(mojeek("ERROR: Daily Limit Reached")), QuotaExhausted),
    ("mojeek", error_body(mojeek("ERROR: Invalid API key")), KeyRefused),
    ("mojeek", error_body(mojeek("ERROR: No such keyword")), Unreadable),
    ("kagi", status(429, kagi("Usage limit exhausted")), QuotaExhausted),
    ("kagi", status(429, kagi("Not enough credits")), QuotaExhausted),
    ("kagi", status(429, kagi("Too many requests")), RateLimited),
    ("kagi", status(429, {"error": [{"code": "rate_limited"}]}), RateLimited),
    ("marginalia", status(429, "QPM Limit Exceeded"), RateLimited),
    ("marginalia", status(429, "Daily Limit Exceeded"), QuotaExhausted),
    ("marginalia", status(429, "Daily Limit Exceeded", HTML), QuotaExhausted),
    ("marginalia", status(500, "Query Execution Failed"), Outage),
    ("tavily", status(432, {"detail": {"error": "plan"}}), QuotaExhausted),
    ("perplexity", status(422, {"detail": [{"loc": ["body"], "msg": "too long"}]}), BadQuery),
]


@pytest.mark.parametrize(("name", "fault", "kind"), CASES)
async def test_a_refusal_means_what_its_upstream_means_by_it(ask, name, fault, kind):
    """Quota, rate and a wrong key lead to different next steps, whatever the status is."""
    with pytest.raises(ProviderError) as caught:
        await ask(name, fault)

    assert type(caught.value) is kind


async def test_brave_waits_for_the_second_and_not_for_the_month(ask):
    """Its headers are lists, and only the exhausted window counts (modelled on its documents)."""
    with pytest.raises(RateLimited) as caught:
        await ask("brave", status(429, brave("RATE_LIMITED"), SECOND_FULL))

    assert caught.value.retry_after == 1.0


async def test_brave_says_when_the_month_is_over(ask):
    """An exhausted quota is left alone until it is renewed."""
    with pytest.raises(QuotaExhausted) as caught:
        await ask("brave", status(429, brave("RATE_LIMITED"), MONTH_FULL))

    assert caught.value.retry_after == 99_000.0


@pytest.mark.parametrize("lists", ["", "0", "x, y", "0, 0, 0"])
async def test_brave_without_whole_lists_is_still_a_refusal(ask, lists):
    """Headers that cannot be read change nothing but the wait."""
    broken = {"X-RateLimit-Remaining": lists, "X-RateLimit-Reset": lists}
    with pytest.raises(RateLimited):
        await ask("brave", status(429, brave("RATE_LIMITED"), broken))


@pytest.mark.parametrize("fault", [html(403), status(403, "Forbidden")], ids=["page", "text"])
async def test_searxng_names_the_line_that_turns_json_on(ask, fault):
    """Half of all first runs end here (searxng #3749, open-webui #2824)."""
    with pytest.raises(ProviderError) as caught:
        await ask("searxng", fault)

    assert "search: formats: [html, json]" in caught.value.remedy


async def test_kagi_names_the_address_that_it_does_not_take(ask):
    """Its 403 is about the address, not about the key (docs/SearchApi.md of its SDK)."""
    with pytest.raises(KeyRefused) as caught:
        await ask("kagi", status(403, kagi("IP address not authorized")))

    assert "address of this machine" in caught.value.remedy


async def test_searxng_without_engines_is_an_outage(ask):
    """That some engines did not answer does not mean that there is nothing."""
    silent = {"results": [], "unresponsive_engines": [["brave", "timeout"], ["google", "CAPTCHA"]]}
    with pytest.raises(Outage) as caught:
        await ask("searxng", error_body(silent))

    assert "2 of its engines did not answer: brave (timeout), goo" in caught.value.message


@pytest.mark.parametrize(
    "said",
    [
        {"answers": [{"answer": "42", "template": "answer/legacy.html"}]},
        {"answers": ["42"]},
        {"answers": [], "infoboxes": [{"infobox": "Answer", "content": "42", "urls": []}]},
    ],
)
async def test_searxng_with_an_answer_is_no_outage(ask, said):
    """An engine did answer, though others did not."""
    body = {"results": [], "unresponsive_engines": [["brave", "timeout"]], **said}

    found = await ask("searxng", error_body(body))

    assert (found.hits, found.answer) == ([], "42")


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        ("3.5", 3.5, 3.5),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 1e6, 1e8),
        ("Fri, 01 Jan 1999 00:00:00 GMT", 0, 0),
        ("-5", 0, 0),
        ("inf", 1e6, 1e8),
    ],
)
async def test_a_time_to_wait_is_read_in_every_form(ask, value, least, most):
    """A number or a date, and never longer than a year."""
    with pytest.raises(RateLimited) as caught:
        await ask("tavily", status(429, headers={"Retry-After": value}))

    assert least <= caught.value.retry_after <= most


async def test_a_day_of_reset_in_the_body_is_a_time_to_wait(ask):
    """You.com's SDK 3.6.0 has it in the body of a 402, and nowhere else."""
    spent = {"error": "payment_required", "message": "Limit reached", "reset_at": "2100-01-01"}
    with pytest.raises(QuotaExhausted) as caught:
        await ask("you", status(402, spent))

    assert 1e6 < caught.value.retry_after < 1e8


@pytest.mark.parametrize("reset", [None, 5, "soon", "", {}, ["x"]])
async def test_a_reset_that_is_no_date_is_no_time_to_wait(ask, reset):
    """It is left out, and the refusal stays what it is."""
    with pytest.raises(QuotaExhausted) as caught:
        await ask("you", status(402, {"error": "payment_required", "reset_at": reset}))

    assert caught.value.retry_after is None


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("you", {"error": "payment_required", "message": "You have 0 credits"}, "0 credits"),
        ("brave", {"error": {"code": "X_Y", "detail": "No such plan"}}, "No such plan"),
        ("tavily", {"error": {"code": "rate", "message": "Slow down"}}, "Slow down"),
        ("kagi", {"data": [], "error": [{"code": "quota.usage", "url": "https://k.example"}]}, "quota.usage"),
        ("marginalia", "QPM Limit Exceeded", "QPM Limit Exceeded"),
        ("wikipedia", "Too many requests. Contact noc@example.org", "Contact noc@example.org"),
    ],
)  # fmt: skip
async def test_the_sentence_of_a_refusal_is_kept(ask, name, body, words):
    """It is the sentence for people, not the code beside it; also where it is plain text."""
    with pytest.raises(ProviderError) as caught:
        await ask(name, status(429, body, {"Content-Type": "text/plain"}))

    assert words in caught.value.message


@pytest.mark.parametrize("body", ["x" * 300, "a\x00b", "<p>page</p>", "{broken"])
async def test_a_text_that_is_no_sentence_is_left_out(ask, body):
    """Dumps, pages and half a JSON explain nothing."""
    with pytest.raises(ProviderError) as caught:
        await ask("marginalia", status(500, body, {"Content-Type": "text/plain"}))

    assert caught.value.message.endswith("(HTTP 500)")


@pytest.mark.parametrize(
    ("name", "variable"),
    [("tavily", "TAVILY_API_KEY"), ("you", "YDC_API_KEY"), ("firecrawl", "FIRECRAWL_API_KEY")],
)
@pytest.mark.parametrize("code", [401, 402, 429])
async def test_without_a_key_the_remedy_names_the_key_that_would_help(ask, name, variable, code):
    """Nobody can raise the plan of a key that they do not have."""
    with pytest.raises(ProviderError) as caught:
        await ask(name, status(code), key="")

    assert caught.value.remedy == f"set {variable}: a key has limits of its own"
    assert "without a key" in caught.value.message


async def test_with_a_key_the_remedy_is_another_key(ask):
    """The words of a key that is used up."""
    with pytest.raises(QuotaExhausted) as caught:
        await ask("tavily", status(432))

    assert caught.value.message.startswith("the quota of this key is used up")
    assert "add another key" in caught.value.remedy


async def test_a_provider_that_has_no_keys_asks_for_none(ask):
    """Wikipedia's limit is not lifted by a key."""
    with pytest.raises(RateLimited) as caught:
        await ask("wikipedia", status(429), key="")

    assert "key" not in caught.value.remedy


async def test_an_id_in_the_body_is_kept(ask):
    """Exa names its request nowhere else."""
    with pytest.raises(ProviderError) as caught:
        await ask("exa", status(400, {"requestId": "abc", "error": "no", "tag": "INVALID"}))

    assert caught.value.request_id == "abc"


async def test_a_redirect_is_not_followed_and_names_the_setting(ask):
    """A key must not travel to a host that an answer names."""
    with pytest.raises(ProviderError) as caught:
        await ask("brave", status(301, "", {"Location": "https://elsewhere.example/"}))

    assert "BRAVE_BASE_URL" in caught.value.remedy


def test_google_says_when_it_ends():
    """Whoever depends on it has to know before the day."""
    assert provider_class("google").sunset.isoformat() == "2027-01-01"
