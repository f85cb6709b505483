"""Gemini with Google Search, by Google's client."""

from __future__ import annotations

from google import genai
from google.genai import types

from kensaku.testing import Sample

from .reading import KEY, Row

DISTRIBUTION = "google-genai"


def search(base_url: str, reply: Sample) -> list[Row]:
    client = genai.Client(
        api_key=KEY, vertexai=False, http_options=types.HttpOptions(base_url=base_url)
    )
    tool = types.Tool(google_search=types.GoogleSearch())
    found = client.models.generate_content(
        model="gemini-2.5-flash",
        contents="otters",
        config=types.GenerateContentConfig(tools=[tool]),
    )
    grounding = found.candidates[0].grounding_metadata
    return [
        Row(
            chunk.web.uri,
            chunk.web.title,
            " ".join(
                support.segment.text
                for support in grounding.grounding_supports
                if number in support.grounding_chunk_indices
            ),
        )
        for number, chunk in enumerate(grounding.grounding_chunks)
    ]
