"""Dependencies whose providers are all at the fake upstream."""

from __future__ import annotations

import pytest

from kensaku.compat.terminal import (
    Deps,
    SettingsService,
)

from .doubles import Log


@pytest.fixture
async def make_deps(upstream, machine):
    """`make_deps(WEB_SEARCH_PROVIDER="brave")`: every provider is at the fake upstream."""
    made: list[Deps] = []

    def make(*arguments, keys: bool = True, without: str = "", **env: str) -> Deps:
        environ = {**upstream.environment(keys=keys, rate="9999/s"), "KENSAKU_HOME": str(machine)}
        environ |= {"KENSAKU_STATE_URL": "memory:", "KENSAKU_CACHE_URL": "memory:"}
        environ = {n: v for n, v in {**environ, **env}.items() if n != without}
        made.append(Deps(SettingsService(*arguments, environ=environ), Log()))
        return made[-1]

    yield make
    for deps in made:
        await deps.close()


@pytest.fixture
def deps(make_deps) -> Deps:
    return make_deps()
