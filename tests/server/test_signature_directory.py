"""The directory of Web Bot Auth: a site finds the public key there, and that it is the server's."""

from __future__ import annotations

from base64 import urlsafe_b64decode

import aiohttp
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from kensaku.fetch.signature import DIRECTORY_PATH
from kensaku.fetch.signature import make_key as write_key
from tests.fetch.test_signature import AGENT, DirectoryReply, Message, verify


async def test_anyone_gets_the_public_key_signed_for_the_address_of_the_setting(
    make_server, make_key, tmp_path
):
    """Also when there are keys: sites have none. The name it was asked by changes nothing."""
    path = tmp_path / "key.pem"
    write_key(path)
    server = await make_server(fetch_signature_key=str(path), fetch_signature_agent=AGENT)
    await make_key(server)
    async with aiohttp.ClientSession() as http, http.get(server.url + DIRECTORY_PATH) as reply:
        assert reply.status == 200
        assert reply.content_type == "application/http-message-signatures-directory+json"
        (key,), headers = (await reply.json(content_type=None))["keys"], dict(reply.headers)

    assert "d" not in key
    public = Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(key["x"] + "="))
    asked = Message(AGENT + DIRECTORY_PATH, {})
    tag = "http-message-signatures-directory"
    assert verify(
        DirectoryReply(headers, asked), public, tag, ('"@authority";req',), key_id=key["kid"]
    )


async def test_without_a_key_there_is_no_directory(server):
    """And the reply says how to make one."""
    async with aiohttp.ClientSession() as http, http.get(server.url + DIRECTORY_PATH) as reply:
        assert reply.status == 404
        assert "kensaku config signature-key" in await reply.text()
