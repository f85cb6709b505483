"""Which addresses may be fetched."""

from __future__ import annotations

import shutil
import subprocess
import sys
from ipaddress import ip_address

import pytest

from kensaku.errors import AddressRefused, ConfigError
from kensaku.transport.guard import AddressGuard, embedded_v4, is_public, refused, well_formed
from tests.fetch import ssrf_corpus as corpus


@pytest.mark.parametrize("address", corpus.CLOSED_V4 + corpus.CLOSED_V6)
def test_every_special_range_is_closed(address):
    """The table is ours: what Python calls global changes with its version."""
    assert not is_public(ip_address(address))
    assert not AddressGuard().admits(address)


@pytest.mark.parametrize("address", corpus.PUBLIC)
def test_the_neighbours_of_special_ranges_are_public(address):
    """A guard that refuses everything is not a guard; firecrawl once closed 127.16/12 instead."""
    assert is_public(ip_address(address))


@pytest.mark.parametrize("closed", ["127.0.0.1", "10.0.0.1", "169.254.169.254"])
def test_an_ipv4_address_in_an_ipv6_one_is_judged_by_itself(closed):
    """Each transition mechanism was somebody's bypass once."""
    for host in corpus.in_v6(closed):
        address = ip_address(host.strip("[]"))
        assert not is_public(address), host
        assert str(embedded_v4(address)) == closed, host


def test_a_network_that_is_allowed_does_not_open_what_it_carries():
    """On a NAT64 network one allows 64:ff9b::/96, and still not the loopback behind it."""
    guard = AddressGuard.allowing(["64:ff9b::/96"])
    assert guard.admits("64:ff9b::808:808")
    assert not guard.admits("64:ff9b::7f00:1")


def test_only_what_the_operator_named_is_allowed():
    """Private addresses need an explicit setting, and it opens no more than it says."""
    guard = AddressGuard.allowing(["10.1.0.0/16", "::1", "wiki.internal", ".lab.test"])
    assert guard.admits("10.1.2.3")
    assert guard.admits("::1")
    assert not guard.admits("10.2.0.1")
    assert not guard.admits("127.0.0.1")
    assert guard.admits("10.9.9.9", "wiki.internal")
    assert guard.admits("10.9.9.9", "a.b.lab.test.")
    assert not guard.admits("10.9.9.9", "evil-lab.test")
    assert not guard.admits("10.9.9.9", "sub.wiki.internal")


@pytest.mark.parametrize("entry", ["10.0.0.0/33", "a b", "0x7f.1", "*", "http://x/"])
def test_an_entry_that_cannot_be_meant_is_refused(entry):
    """A typing error in an allow-list must not become a hole."""
    with pytest.raises(ConfigError):
        AddressGuard.allowing([entry])


@pytest.mark.parametrize("port", [80, 443, 8080, 8443])
def test_the_ports_of_the_web_are_open(port):
    """The four that serve pages."""
    assert AddressGuard().target("http", "public.test", port, proxied=False).port == port


@pytest.mark.parametrize("port", [0, 21, 22, 25, 53, 2375, 3306, 5432, 6379, 9200, 11211, 65535])
def test_other_ports_are_closed(port):
    """A web client that talks to Redis or SMTP is a weapon."""
    with pytest.raises(AddressRefused):
        AddressGuard().target("http", "public.test", port, proxied=False)


def test_other_ports_can_be_opened():
    """By name, or all of them."""
    assert AddressGuard.allowing(ports=[81]).target("http", "public.test", 81, proxied=False)
    assert AddressGuard.allowing(ports=None).target("http", "public.test", 9, proxied=False)


@pytest.mark.parametrize(
    "host",
    ["127.1", "0x7f.1", "2130706433", "0177.0.0.1", "x.0x7f", "1.2.3", "0", "127.0.0.1.", "a b",
     "%31", "a..b", "-" * 64, "x" * 254, "[::1]", "::1%lo", "fe80::1%25eth0", "a/b", "a@b", "ü"],
)  # fmt: skip
def test_a_host_in_an_odd_spelling_is_refused(host):
    """What libraries read differently is read by none of them."""
    with pytest.raises(AddressRefused):
        AddressGuard().target("http", host, 80, proxied=False)


@pytest.mark.parametrize("host", ["localhost", "db", "wiki.internal", "x.local", "router.lan"])
def test_a_proxy_is_not_asked_for_names_that_can_only_be_inside(host):
    """When a proxy looks names up, we never see the address."""
    with pytest.raises(AddressRefused):
        AddressGuard().target("http", host, 80, proxied=True)
    assert AddressGuard.allowing([host]).target("http", host, 80, proxied=True)
    assert AddressGuard().target("http", "public.test", 80, proxied=True)


@pytest.mark.parametrize(
    "text", ["http://a\\b", "http://a\tb", "http://a\x00", "http://a\x85", 7, None]
)
def test_text_that_parsers_disagree_on_is_no_address(text):
    """Backslashes and control characters have split hosts in three projects."""
    with pytest.raises(AddressRefused):
        well_formed(text)


def test_a_refusal_says_nothing_of_the_address():
    """One sentence for closed, missing and silent: a probe learns nothing."""
    assert str(refused()) == str(refused())
    assert not any(char.isdigit() for char in str(refused()))


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("route", "offline"),
    [("true", True), ("ip -4 route add {}", False), ("ip -6 route add {}", False)],
)
def test_a_machine_is_offline_without_a_route_of_either_kind(route, offline):
    """In a network namespace of its own: nothing there reaches this one's network."""
    program = "from kensaku.transport.guard import is_offline; print(is_offline())"
    setup = f"ip link set lo up && {route.format('default dev lo')} || exit 77"
    alone = ["unshare", "--map-root-user", "--net", "sh", "-c", f'{setup}; "$@"', "sh"]
    if not shutil.which("unshare"):
        pytest.skip("needs unshare, of Linux")
    done = subprocess.run([*alone, sys.executable, "-c", program], capture_output=True, text=True)
    if "unshare failed" in done.stderr or done.returncode == 77:
        pytest.skip("needs the right to make a network namespace, and a network of this kind")

    assert done.stdout.strip() == str(offline)
