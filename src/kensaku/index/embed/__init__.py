"""Embedding models: an ONNX model from a package, or an HTTP endpoint."""
