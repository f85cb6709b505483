"""The directory of Web Bot Auth: the public key by which sites recognise this server's requests.

Only if the setting `fetch.signature_key` names a key. The reply is signed for the address that
`fetch.signature_agent` says, whatever name it was asked by: a mirror cannot pass as the directory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kensaku.errors import KensakuError
from kensaku.fetch.signature import (
    DIRECTORY_PATH,
    DIRECTORY_SECONDS,
    DIRECTORY_TYPE,
    Signer,
)
from kensaku.server.http import Whole, encode
from kensaku.server.wires.base import Asked, Endpoint, Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from kensaku.server.request import Request


class NoSignatures(KensakuError):
    """The server signs nothing."""

    status = 404


class SignatureDirectory(Wire):
    name = "signature"
    label = "Web Bot Auth"
    docs = "https://datatracker.ietf.org/doc/draft-meunier-webbotauth-httpsig-directory/"
    prefixes = ("",)
    keys = ()

    def endpoints(self) -> Sequence[Endpoint]:
        return [Endpoint("GET", DIRECTORY_PATH, do=_directory, is_open=True, is_admitted=False)]


async def _directory(request: Request, asked: Asked) -> ASGIApp:
    signer = await asyncio.to_thread(Signer.from_settings, request.state.settings)
    if signer is None:
        raise NoSignatures(
            "this server signs no requests",
            remedy="make a key with: kensaku config signature-key",
        )
    headers = [
        *((name.lower(), value) for name, value in signer.directory_headers().items()),
        ("cache-control", f"public, max-age={DIRECTORY_SECONDS // 2}"),
    ]
    return Whole(encode(signer.directory()), 200, headers, DIRECTORY_TYPE.encode())
