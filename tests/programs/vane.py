"""Vane, which was Perplexica: its search by SearXNG, of a clone, as its server calls it."""

from __future__ import annotations

import json
import shutil

from tests.programs.node import run
from tests.programs.program import FACT, HERE, QUERY, Place, Program

PROGRAM = Program(
    "vane",
    title="Vane (Perplexica)",
    package="ItzCrazyKns/Vane",
    way="`SEARXNG_API_URL=…/searxng?format=json&api_key=KEY&path=`",
    by="checkout",
    scripts=True,  # Node.js itself comes by one
)


@PROGRAM.check("search")
def search(place: Place) -> None:
    assert PROGRAM.checkout
    shutil.copytree(PROGRAM.checkout / "src", place.home / "src")
    for file in (PROGRAM.checkout / "tsconfig.json", HERE / "vane" / "check.mts"):
        shutil.copy(file, place.home)
    (place.home / "node_modules").symlink_to(place.environment / "node_modules")
    (place.home / "data").mkdir()
    address = f"{place.url}/searxng?format=json&api_key={place.key}&path="
    said = run(
        place, "node", "--import", "tsx", "check.mts", QUERY,
        env={"SEARXNG_API_URL": address, "DATA_DIR": str(place.home)},
    )  # fmt: skip
    first = json.loads(said)["results"][0]
    assert FACT in first["content"]
    assert first["url"] == f"{place.site}/pep-0745"
