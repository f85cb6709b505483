"""A server whose gateway leads to a scripted model, over a small web."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.answers.conftest import Web
from tests.answers.conftest import web as web
from tests.server.conftest import READS, MakeServer, Running, serve
from tests.server.conftest import make_server as make_server

from .scripted import ScriptedModel

SECRET = "sk-model-0123456789"


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    """A model that says what it is told to."""
    made = ScriptedModel()
    async with serve(made.app) as url:
        made.url = f"{url}/v1"
        yield made


@pytest.fixture
async def gateway(make_server: MakeServer, web: Web, model: ScriptedModel) -> Running:
    """A server with the gateway switched on."""
    made: Running = await make_server(**settings(model))
    return made


def settings(model: ScriptedModel, **more: Any) -> dict[str, Any]:
    """The settings of a server in front of the model."""
    reach = {**READS, "llm_url": model.url, "llm_model": "small", "llm_api_key": SECRET}
    return {**reach, "gateway": True, **more}
