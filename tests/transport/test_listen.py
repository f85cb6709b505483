"""Addresses to listen on, and how they are served."""

from __future__ import annotations

import socket

import pytest

from kensaku.errors import UsageError
from kensaku.transport.listen import is_loopback, listen, make_config, url_of, with_brackets
from kensaku.transport.protocol import BoundedProtocol


@pytest.mark.parametrize(
    ("host", "written"),
    [("::1", "[::1]"), ("[::1]", "[::1]"), ("127.0.0.1", "127.0.0.1"), ("a:80", "a:80")],
)
def test_an_address_is_written_as_in_a_url(host, written):
    """IPv6 in brackets."""
    assert with_brackets(host) == written


@pytest.mark.parametrize(
    ("host", "own"),
    [("LocalHost", True), ("127.8.8.8", True), ("[::1]", True), ("0.0.0.0", False), ("x", False)],
)
def test_which_hosts_are_this_machine(host, own):
    """Whatever their letters."""
    assert is_loopback(host) is own


def test_a_port_is_opened_and_named():
    """One that is free, or why there is none."""
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert url_of("127.0.0.1", listener) == f"http://127.0.0.1:{port}"
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}: ") as taken:
            listen("127.0.0.1", port)
    assert taken.value.remedy == "choose another port with --port"
    with pytest.raises(UsageError, match="no such address"):
        listen("no.such.host.invalid", 0)


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_an_address_of_six_parts_is_listened_on():
    """With or without brackets."""
    try:
        listener = listen("[::1]", 0)
    except UsageError:
        pytest.skip("IPv6 is switched off")
    with listener:
        assert listener.family == socket.AF_INET6


def test_how_an_application_is_served():
    """No log of addresses, no banner, no trust in a proxy's headers, no websockets."""

    async def app(scope, receive, send):
        """Never called."""

    config, draining = make_config(app), make_config(app, 3)

    assert (config.log_config, config.access_log, config.server_header) == (None, False, False)
    assert (config.lifespan, config.proxy_headers, config.ws) == ("on", False, "none")
    assert (config.timeout_graceful_shutdown, draining.timeout_graceful_shutdown) == (None, 3)
    assert issubclass(config.http.func, BoundedProtocol)
    assert config.timeout_keep_alive == 75  # load balancers close a connection after 60
