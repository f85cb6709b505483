"""A vendor's model by itself: its text, its errors, its time, and what it costs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from importlib.metadata import metadata
from typing import Any

import pytest

from kensaku import Kensaku
from kensaku.answers.model import VENDORS, open_model
from kensaku.answers.vendor_model import VendorModel, package_of
from kensaku.errors import MissingExtra, ProviderError, Timeout, Unreadable
from tests.answers.conftest import KEY

from .conftest import says


async def pieces_of(model: Any, **more: Any) -> list[str]:
    """What a vendor's model streams."""
    return [text async for text in VendorModel(model).stream("rules", "question", **more)]


async def test_a_vendors_reply_is_its_text_alone() -> None:
    """Without calls of tools, and without what nobody sees; the prompt has two parts."""
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    seen: list[tuple[str, str]] = []

    def reply(messages: Any, _: AgentInfo) -> ModelResponse:
        seen.extend((type(p).__name__, p.content) for m in messages for p in m.parts)
        call = ToolCallPart("web_search", {"query": "steal"})
        return ModelResponse(parts=[TextPart(" They\u200b hold"), call, TextPart(" hands.\n")])

    made = VendorModel(FunctionModel(reply, model_name="small"))

    assert await made.ask("rules", "question") == "They hold hands."
    assert await pieces_of(FunctionModel(reply)) == [" They\u200b hold hands.\n"]
    assert seen == [("SystemPromptPart", "rules"), ("UserPromptPart", "question")] * 2
    assert (made.name, VendorModel("openai:gpt-5").name) == ("small", "openai:gpt-5")
    assert "small" not in repr(made)


async def test_a_vendors_reply_without_text_is_unreadable() -> None:
    """No empty answer."""
    with pytest.raises(Unreadable, match="sent no text"):
        await VendorModel(says(" \u200b")[0]).ask("", "")


@pytest.mark.parametrize("broken", [NotImplementedError("x"), AssertionError("x")])
async def test_a_vendor_that_breaks_while_it_streams_is_not_asked_again(broken: Exception) -> None:
    """What came is not followed by a second reply; a model that cannot stream is asked plainly."""
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    asked: list[str] = []

    def whole(*_: Any) -> ModelResponse:
        asked.append("whole")
        return ModelResponse(parts=[TextPart("All at once.")])

    async def breaks(*_: Any) -> AsyncIterator[str]:
        yield "They "
        raise broken

    pieces = VendorModel(FunctionModel(whole, stream_function=breaks)).stream("", "")
    assert await anext(pieces) == "They "
    with pytest.raises(ProviderError) as error:
        await anext(pieces)

    assert asked == []
    assert error.value.message == f"the model failed ({type(broken).__name__})"
    assert await pieces_of(FunctionModel(whole)) == ["All at once."]


MISSING = (
    "the package for models of small is not installed; "
    'install it with: pip install "pydantic-ai-slim[openai]"'
)


@pytest.mark.parametrize("vendor", sorted(VENDORS))
def test_the_package_of_a_vendor_is_one_of_pydantic_ai(vendor: str) -> None:
    """pip ignores an unknown extra with a warning that nobody reads."""
    known = metadata("pydantic-ai-slim").get_all("Provides-Extra") or []

    assert package_of(f"{vendor}:any").partition("[")[2].rstrip("]") in known
    assert package_of(f"gateway/{vendor}:any") == package_of(f"{vendor}:any")


@pytest.mark.parametrize(
    ("raised", "said", "status"),
    [
        (None, "the model answered 529", 529),
        (RuntimeError(KEY), "the model failed (RuntimeError)", None),
        (ImportError(KEY), MISSING, None),
    ],
)
async def test_a_vendors_error_is_said_without_its_words(
    raised: Exception | None, said: str, status: int | None
) -> None:
    """They may repeat a key. Asked at once, or streamed."""
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.models.function import FunctionModel

    error_of_vendor = raised or ModelHTTPError(529, "small", {"key": KEY})

    def fail(*_: Any) -> Any:
        raise error_of_vendor

    async def fail_later(*_: Any) -> AsyncIterator[str]:
        raise error_of_vendor
        yield ""

    model = FunctionModel(fail, stream_function=fail_later, model_name="small:8b")
    for call in (VendorModel(model).ask("", ""), pieces_of(model)):
        with pytest.raises(ProviderError) as error:
            await call
        assert (error.value.provider, error.value.status) == ("llm", status)
        assert error.value.message == said


async def test_a_vendor_that_takes_too_long_is_a_timeout() -> None:
    """With the seconds that it had, asked at once or streamed."""
    from pydantic_ai.models.function import FunctionModel

    async def hang(*_: Any) -> Any:
        await asyncio.Event().wait()

    async def hang_later(*_: Any) -> AsyncIterator[str]:
        await asyncio.Event().wait()
        yield ""

    model = FunctionModel(hang, stream_function=hang_later)
    for call in (VendorModel(model).ask("", "", 0.01), pieces_of(model, seconds=0.01)):
        with pytest.raises(Timeout, match=r"^llm: the model took longer than 0\.01 s$"):
            await call


@pytest.mark.parametrize(
    ("name", "settings", "opened"),
    [
        (None, {}, None),
        (None, {"model": "openai:gpt-5"}, ("VendorModel", "openai:gpt-5")),
        ("openai:gpt-5", {"model": "anthropic:x"}, ("VendorModel", "openai:gpt-5")),
        ("nowhere:model", {}, ("VendorModel", "nowhere:model")),
        ("nowhere:model", {"llm_url": "http://127.0.0.1:9/v1"}, ("UrlModel", "nowhere:model")),
        ("openai:gpt-5", {"llm_url": "http://127.0.0.1:9/v1"}, ("VendorModel", "openai:gpt-5")),
        ("gateway/openai:gpt-5", {"llm_url": "http://127.0.0.1:9/v1"},
         ("VendorModel", "gateway/openai:gpt-5")),
        ("openai", {"llm_url": "http://127.0.0.1:9/v1"}, ("UrlModel", "openai")),
        (None, {"llm_url": "http://127.0.0.1:9/v1", "llm_model": "small"}, ("UrlModel", "small")),
    ],
)  # fmt: skip
def test_which_model_a_name_opens(
    name: str | None, settings: dict[str, Any], opened: tuple[str, str] | None, client: Any
) -> None:
    """A vendor's by its colon; at a URL, only where the vendor is a known one."""
    made = open_model(client(**settings), name)

    assert (made and (type(made.model).__name__, made.name)) == opened


async def test_a_model_without_pydantic_ai_names_all_that_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The extra leaves the vendor's client to the person, who installs both by one line."""
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    async with Kensaku(model="ollama:any") as client:
        with pytest.raises(MissingExtra) as error:
            open_model(client)

    packages = '"kensaku-search[pydantic-ai]" "pydantic-ai-slim[openai]"'
    assert error.value.remedy.endswith(f"pip install {packages}")
