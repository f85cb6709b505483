"""Drive a vendor's client against a server, in the environment of `make test-sdks`.

    python sdk_clients.py litellm|perplexity URL      → what it found, as JSON

Run as a script: the packages do not go together with those of the tests.
"""

from __future__ import annotations

import json
import sys
from typing import Any

KEY = "any-key"
QUERY = {
    "query": "otters",
    "max_results": 2,
    "country": "JP",
    "search_domain_filter": ["a.example", "b.example"],
}


def litellm(url: str) -> Any:
    import litellm

    found = litellm.search(
        search_provider="perplexity", api_key=KEY, api_base=f"{url}/litellm", **QUERY
    )
    return [[row.title, row.url, row.snippet] for row in found.results]


def litellm_error(url: str) -> Any:
    import litellm

    try:
        litellm.search(query="", search_provider="perplexity", api_key=KEY,
                       api_base=f"{url}/litellm", max_retries=0)  # fmt: skip
    except Exception as error:
        return [type(error).__name__, str(error)]


def perplexity(url: str) -> Any:
    from perplexity import Perplexity

    client = Perplexity(api_key=KEY, base_url=f"{url}/perplexity", max_retries=0)
    found = client.search.create(**QUERY, search_recency_filter="week")
    return [[row.title, row.url, row.snippet] for row in found.results]


def perplexity_error(url: str) -> Any:
    from perplexity import APIStatusError, Perplexity

    client = Perplexity(api_key=KEY, base_url=f"{url}/perplexity", max_retries=0)
    try:
        client.search.create(query="")
    except APIStatusError as error:
        return [type(error).__name__, str(error)]


if __name__ == "__main__":
    drive = {f.__name__: f for f in (litellm, litellm_error, perplexity, perplexity_error)}
    print(json.dumps(drive[sys.argv[1]](sys.argv[2])))
