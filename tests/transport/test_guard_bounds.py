"""The guard at its edges: the first and the last of every range, name, length and number."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest

from kensaku.errors import AddressRefused, ConfigError
from kensaku.transport.egress import Egress
from kensaku.transport.guard import (
    MAX_URL_CHARS,
    AddressGuard,
    embedded_v4,
    is_public,
    no_network,
    refused,
    well_formed,
)

# The special-purpose registries of the IANA, as far as they are not public (November 2026), and
# Azure's address.
SPECIAL = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16
192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3
2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3ffe::/16 3fff::/20
::/3 4000::/2 8000::/1
""".split()


@pytest.mark.parametrize("network", SPECIAL)
def test_a_closed_range_is_closed_to_its_edges_and_no_further(network):
    """First and last address are closed; their neighbours are open, unless another range begins."""
    closed = [ip_network(n) for n in SPECIAL]
    first, last = ip_network(network)[0], ip_network(network)[-1]

    assert not is_public(first)
    assert not is_public(last)
    for number in (int(first) - 1, int(last) + 1):
        if 0 <= number < 2**first.max_prefixlen:
            neighbour = type(first)(number)
            inside = any(neighbour in n for n in closed if n.version == neighbour.version)
            assert is_public(neighbour) is not inside, neighbour


@pytest.mark.parametrize(
    ("address", "carried"),
    [
        ("::", None),
        ("::1", None),
        ("::ffff", None),
        ("::1:0", "0.1.0.0"),
        ("::1.2.3.4", "1.2.3.4"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("::ffff:0:1.2.3.4", "1.2.3.4"),
        ("64:ff9b::1.2.3.4", "1.2.3.4"),
        ("64:ff9b:1:ffff::1.2.3.4", "1.2.3.4"),
        ("2002:102:304:ffff::1", "1.2.3.4"),
        ("2002:ffff:ffff::", "255.255.255.255"),
        ("2001::fefd:fcfb", "1.2.3.4"),
        ("2001:0:4136:e378:8000:63bf:fefd:fcfb", "1.2.3.4"),
        ("2001:1::fefd:fcfb", None),
        ("2600::5efe:1.2.3.4", "1.2.3.4"),
        ("2600::200:5efe:1.2.3.4", "1.2.3.4"),
        ("2600::5eff:1.2.3.4", None),
        ("2600::1:0:5efe:1.2.3.4", "1.2.3.4"),
        ("2600::1.2.3.4", None),
        ("1.2.3.4", None),
    ],
)
def test_the_ipv4_address_that_an_ipv6_one_carries(address, carried):
    """By each transition mechanism; an address of its own carries none."""
    found = embedded_v4(ip_address(address))

    assert found == (None if carried is None else ip_address(carried))


def test_an_address_that_carries_a_public_one_is_public_where_its_prefix_is():
    """ISATAP under a public prefix: both must be open."""
    assert is_public(ip_address("2600::5efe:8.8.8.8"))
    assert not is_public(ip_address("2600::5efe:10.0.0.1"))


# --- what the operator allows


def test_an_allowed_address_must_carry_something_allowed_or_public():
    """An allowed network does not open what is behind it, unless that is allowed, too."""
    nat = "64:ff9b::/96"

    assert not AddressGuard().admits("64:ff9b::8.8.8.8")
    assert AddressGuard.allowing([nat]).admits("64:ff9b::8.8.8.8")
    assert not AddressGuard.allowing([nat]).admits("64:ff9b::10.0.0.1")
    assert AddressGuard.allowing([nat, "10.0.0.0/8"]).admits("64:ff9b::10.0.0.1")
    assert not AddressGuard.allowing(["10.0.0.0/8"]).admits("64:ff9b::10.0.0.1")


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        (" 10.1.2.3/16 ", "10.1.255.255"),  # host bits are forgiven
        ("[::1]", "::1"),
        ("fd00::/8", "fd12::1"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
def test_an_entry_may_be_a_network_or_an_address(entry, address):
    """As people write them, brackets and blanks included; an IPv4 entry opens no IPv6 one."""
    guard = AddressGuard.allowing([entry])

    assert guard.admits(address)
    assert not guard.admits("10.2.0.0")
    assert not guard.admits("127.0.0.2")
    assert not guard.admits("::2")


@pytest.mark.parametrize("entry", [" Wiki.Internal. ", "wiki.internal"])
def test_an_entry_may_be_a_name(entry):
    """In any case, with or without the dot at its end; and no name under it."""
    guard = AddressGuard.allowing([entry])

    for host in ("wiki.internal", "wiki.internal."):
        assert guard.admits("10.0.0.1", host)
    for host in ("", "internal", "a.wiki.internal", "xwiki.internal"):
        assert not guard.admits("10.0.0.1", host)


def test_an_entry_may_be_everything_under_a_name():
    """One label below it, or several; and not the name itself."""
    guard = AddressGuard.allowing([".internal"])

    for host in ("wiki.internal", "a.b.internal", "a.b.c.internal."):
        assert guard.admits("10.0.0.1", host)
    for host in ("internal", "internal.evil.test", "xinternal"):
        assert not guard.admits("10.0.0.1", host)
    assert not AddressGuard.allowing([".a.internal"]).admits("10.0.0.1", "b.internal")


@pytest.mark.parametrize("entry", ["x" * 200 + " y", "127.1", ".1", "", "."])
def test_an_entry_is_quoted_when_it_is_refused(entry):
    """The first sixty characters of it."""
    with pytest.raises(ConfigError) as error:
        AddressGuard.allowing([entry])

    assert f"holds {entry[:60]!r};" in str(error.value)


@pytest.mark.parametrize("entry", ["-", "a_b.test", "a.b.c"])
def test_an_odd_name_is_a_name(entry):
    """Underscores and dashes are in use inside."""
    assert AddressGuard.allowing([entry]).names == {entry}


def test_the_ports_are_those_of_the_web_unless_others_are_named():
    """A guard that was made without a word about ports has the usual ones."""
    web = {80, 443, 8080, 8443}

    for guard in (AddressGuard(), AddressGuard.allowing(), AddressGuard.allowing(["10.0.0.1"])):
        assert guard.ports == web
    assert AddressGuard.allowing(ports=None).ports is None
    assert AddressGuard.allowing(ports=iter([81])).ports == {81}


@pytest.mark.parametrize("port", [0, None])
def test_no_port_is_no_port_even_when_all_are_open(port):
    """Port 0 means "any" to some systems."""
    with pytest.raises(AddressRefused):
        AddressGuard.allowing(ports=None).target("http", "public.test", port, proxied=False)


@pytest.mark.parametrize(
    ("host", "own", "public"),
    [
        ("public.test", False, True),
        ("8.8.8.8", False, True),
        ("8.8.4.4", True, False),
        ("10.1.2.3", True, False),
        ("10.2.0.1", False, False),
        ("wiki.test", True, False),
        ("a.lab.test", True, False),
        ("wiki.internal", True, False),
        ("x.internal", False, False),
        ("db", False, False),
    ],
)
def test_what_the_operator_allows_is_the_operators_own_and_not_public(host, own, public):
    """Credentials may go there without TLS, and no service outside may learn of it."""
    guard = AddressGuard.allowing(
        ["10.1.0.0/16", "8.8.4.0/24", "wiki.test", ".lab.test", "wiki.internal"]
    )

    assert guard.is_own_host(host) is own
    assert guard.is_public_host(host) is public


# --- URLs


def test_a_checked_url_has_neither_fragment_nor_password():
    """What is left is what is sent."""
    checked = AddressGuard().check(" \thttps://user:secret@public.test:8443/a?b=c#d\r\n")

    assert str(checked) == "https://public.test:8443/a?b=c"
    assert str(AddressGuard().check("http://user@public.test/")) == "http://public.test/"
    assert str(AddressGuard().check("http://:secret@public.test/")) == "http://public.test/"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://user@public.test/", "starts with http"),
        ("ftp://public.test/", "starts with http"),
        ("http://", "has no host"),
        ("/path", "starts with http"),
        ("http://[", "not a web address"),
        ("http://[]a@", "not a web address"),
        ("http://public.test:99999/", "not a web address"),
        ("http://public.test:22/", "cannot be fetched"),
        ("http://10.0.0.1/", "cannot be fetched"),
        ("http://[::1]/", "cannot be fetched"),
        ("http://127.1/", "cannot be fetched"),
    ],
)
def test_a_url_that_is_refused_is_told_why_as_far_as_it_gives_nothing_away(url, said):
    """What is wrong with the text is said; what is behind an address is not."""
    with pytest.raises(AddressRefused, match=said):
        AddressGuard().check(url)


def test_a_target_is_the_parts_of_the_url():
    """The address is there when the host is one."""
    named = AddressGuard().target("https", "public.test", 443, proxied=False)
    literal = AddressGuard().target("http", "8.8.8.8", 80, proxied=False)
    sixth = AddressGuard().target("http", "2600::1", 80, proxied=False)

    assert (named.scheme, named.host, named.port, named.address) == (
        "https", "public.test", 443, None,
    )  # fmt: skip
    assert literal.address == ip_address("8.8.8.8")
    assert sixth.address == ip_address("2600::1")


def test_a_name_may_have_253_characters_and_a_label_63():
    """One more is one too many."""
    label = "a" * 63
    longest = ".".join([label, label, label, "a" * 61])

    assert len(longest) == 253
    assert AddressGuard().target("http", longest, 80, proxied=False)
    for host in (longest + "a", "a" + label + ".test"):
        with pytest.raises(AddressRefused):
            AddressGuard().target("http", host, 80, proxied=False)


@pytest.mark.parametrize("ending", [
    "localhost", "local", "internal", "intranet", "lan", "home", "corp", "localdomain",
])  # fmt: skip
def test_every_ending_that_can_only_be_inside_is_kept_from_a_proxy(ending):
    """With and without the dot at the end; the middle of a name may be called anything."""
    for host in (f"a.{ending}", f"a.b.{ending}."):
        with pytest.raises(AddressRefused):
            AddressGuard().target("http", host, 80, proxied=True)
        assert AddressGuard().target("http", host, 80, proxied=False)
        assert AddressGuard.allowing([f".{ending}"]).target("http", host, 80, proxied=True)
    assert AddressGuard().target("http", f"{ending}.test", 80, proxied=True)


@pytest.mark.parametrize("host", ["a", "a."])
def test_a_name_of_one_label_is_kept_from_a_proxy(host):
    """Only a resolver inside knows it."""
    with pytest.raises(AddressRefused):
        AddressGuard().target("http", host, 80, proxied=True)


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1.",
        "8.8.8.8.",
        "8.8.8.8%eth0",
        "2600::1%eth0",
        "2600::1%25",
        "8.8.8.8X",
        "public.test",
        "",
    ],
)
def test_admits_takes_addresses_only(address):
    """A dot at the end is a spelling of the same address; anything else is none."""
    assert AddressGuard().admits(address) is (address == "8.8.8.8.")


def test_without_a_proxy_we_look_names_up_and_see_the_address():
    """So a name of one label is admitted here, and judged by its addresses."""
    assert str(AddressGuard().check("http://db/")) == "http://db/"
    with pytest.raises(AddressRefused):
        AddressGuard().check("http://db/", proxied=True)


def test_a_url_may_have_8192_characters():
    """The white space around it does not count."""
    longest = "http://public.test/".ljust(MAX_URL_CHARS, "a")

    assert len(longest) == 8_192
    assert well_formed(f" {longest}\n") == longest
    with pytest.raises(AddressRefused, match="8,192"):
        well_formed(longest + "a")


@pytest.mark.parametrize(
    "char",
    ["\x00", "\x1f", "\x7f", "\x80", "\x9f", "\u2028", "\u2029", "\ud800", chr(0xDFFF), "\\"],
)
def test_each_character_that_splits_hosts_is_refused(char):
    """Their neighbours are not."""
    with pytest.raises(AddressRefused, match="backslash or a control"):
        well_formed(f"http://a.test/{char}b")


@pytest.mark.parametrize("char", [" ", "~", "\xa0", "\u2027", "\u202a", "\ue000", "["])
def test_other_characters_are_left_to_the_parser(char):
    """A guard of text refuses no more than it must."""
    assert well_formed(f"http://a.test/{char}b") == f"http://a.test/{char}b"


@pytest.mark.parametrize("text", [b"http://a.test/", 1, None, ["http://a.test/"]])
def test_a_url_is_text(text):
    """Nothing is turned into text on the way."""
    with pytest.raises(AddressRefused, match="is text"):
        well_formed(text)


def test_a_refusal_says_what_may_be_the_reason_and_what_to_do():
    """The same for all of them."""
    assert refused().message == (
        "the address cannot be fetched: it is not public, does not exist, or does not answer"
    )
    assert "fetch.allow" in refused().remedy
    assert "connect this machine" in no_network().remedy


@pytest.mark.parametrize(
    ("egress", "looked_up", "by_proxy"),
    [
        ("public private", True, True),
        ("public", True, True),
        ("private", True, False),  # its address decides; behind a proxy nobody sees it
        ("10.0.0.0/8", True, False),
        ("page.test", True, True),
        (".test", True, True),
        ("other.test", False, False),
        ("none", False, False),
    ],
)
def test_egress_narrows_the_names(egress, looked_up, by_proxy):
    """A name that no allowed address can have is refused before it is looked up."""
    guard = replace(AddressGuard(), egress=Egress.from_words(egress.split()))

    for proxied, allowed in ((False, looked_up), (True, by_proxy)):
        if allowed:
            assert guard.target("http", "page.test", 80, proxied).host == "page.test"
        else:
            with pytest.raises(AddressRefused) as caught:
                guard.target("http", "page.test", 80, proxied)
            assert str(caught.value) == (
                "egress does not allow this host; the setting egress says where connections may go"
            )


@pytest.mark.parametrize(
    ("egress", "public", "private"),
    [
        ("public private", True, True),
        ("public", True, False),
        ("private", False, True),
        ("10.0.0.0/8", False, True),
        ("page.test", True, True),
        ("none", False, False),
    ],
)
def test_egress_narrows_the_addresses(egress, public, private):
    """Those of a name, too; what the guard closes stays closed."""
    words = Egress.from_words(egress.split())
    guard = replace(AddressGuard.allowing(["10.1.0.0/16"]), egress=words)
    closed = replace(AddressGuard(), egress=words)

    assert guard.admits("8.8.8.8", "page.test") is public
    assert guard.admits("10.1.2.3", "page.test") is private
    assert not guard.admits("10.2.0.1", "page.test")
    assert not closed.admits("10.1.2.3", "page.test")
