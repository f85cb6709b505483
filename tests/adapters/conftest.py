"""A scripted model on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .model_server import ModelServer


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """It searches for otters, and repeats what it is shown."""
    with ModelServer() as server:
        yield server
