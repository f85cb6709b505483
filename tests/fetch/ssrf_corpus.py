"""URLs that lead, or try to lead, to where we must not go: spellings × ranges × IPv6 forms."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote

# One or more of every closed range, and the metadata services that live in them.
CLOSED_V4 = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.254 100.64.0.1 100.100.100.200 100.127.255.254 127.0.0.1
127.1.2.3 127.255.255.254 168.63.129.16 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.254
192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.254 198.18.0.1 198.19.255.254
198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
""".split()

CLOSED_V6 = """
:: ::1 ::2 fe80::1 fe80::a9fe:a9fe febf::1 fec0::1 fc00::1 fd00:ec2::254 fd20:ce::254 ff02::1
ff0e::1 100::1 100:0:0:1::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2001:1ff::1
2002:7f00:1:: 3fff::1 3ffe::1 5f00::1 64:ff9b::1 64:ff9b:1::1 4000::1 8000::1 e000::1 1::1
""".split()

PUBLIC = """
1.1.1.1 8.8.8.8 9.9.9.9 11.0.0.1 93.184.215.14 100.63.255.254 100.128.0.1 126.255.255.254 128.0.0.1
169.253.255.254 169.255.0.1 172.15.255.254 172.32.0.1 192.0.1.1 192.0.3.1 192.167.255.254
192.169.0.1 198.17.255.254 198.20.0.1 203.0.112.1 203.0.114.1 223.255.255.254
168.63.129.15 168.63.129.17 2600::1
2606:4700:4700::1111 2001:4860:4860::8888 2001:200::1 2003::1 2400::1
2a00:1450:4001::1 2c00::1
""".split()


def spellings(address: str) -> Iterator[str]:
    """An IPv4 address as hosts have been known to be written."""
    a, b, c, d = (int(part) for part in address.split("."))
    number = int(IPv4Address(address))
    yield address
    yield address + "."
    yield str(number)
    yield hex(number)
    yield hex(number).upper().replace("X", "x")
    yield f"0{number:o}"
    yield f"0x{number:08x}"
    yield f"0x1{number:08x}"  # over 32 bits: some libraries let the top fall off
    yield ".".join(map(hex, (a, b, c, d)))
    yield ".".join(f"0{part:o}" for part in (a, b, c, d))
    yield ".".join(f"{part:03d}" for part in (a, b, c, d))
    yield ".".join(f"000{part:o}" for part in (a, b, c, d))
    yield f"{a}.{b}.{(c << 8) + d}"
    yield f"{a}.{(b << 16) + (c << 8) + d}"
    yield f"{a:#x}.{b}.{c:o}.{d}"
    yield f"{a + 256}.{b}.{c}.{d}"
    yield address.replace(".", "。")
    yield address.replace(".", "．")
    yield address.translate({ord(str(n)): chr(0xFF10 + n) for n in range(10)})
    yield address.translate({ord(str(n)): "⓪①②③④⑤⑥⑦⑧⑨"[n] for n in range(10)})
    yield quote(address, safe="").replace(".", "%2e")
    yield "".join(f"%{ord(char):02x}" for char in address)


def in_v6(address: str) -> Iterator[str]:
    """An IPv4 address in every IPv6 form that something may translate back."""
    number = int(IPv4Address(address))
    yield f"[::ffff:{address}]"
    yield f"[::ffff:{number >> 16:x}:{number & 0xFFFF:x}]"
    yield f"[0:0:0:0:0:ffff:{address}]"
    yield f"[::{address}]"
    yield f"[::ffff:0:{address}]"  # SIIT
    yield f"[64:ff9b::{address}]"
    yield f"[64:ff9b:1::{address}]"
    yield f"[2002:{number >> 16:x}:{number & 0xFFFF:x}::1]"
    yield f"[2001:0:4136:e378:8000:63bf:{number >> 16 ^ 0xFFFF:x}:{number & 0xFFFF ^ 0xFFFF:x}]"
    yield f"[2606:4700::5efe:{address}]"  # ISATAP under somebody's real prefix
    yield f"[2606:4700::200:5efe:{address}]"
    yield f"[fe80::5efe:{address}]"


def tricks(closed: str = "127.0.0.1", public: str = "public.test") -> Iterator[str]:
    """Where two parsers may see two hosts."""
    yield from (
        f"http://{public}@{closed}/",
        f"http://{closed}@{public}/",
        f"http://{closed}#@{public}/",
        f"http://{public}#@{closed}/",
        f"http://{public}?@{closed}/",
        f"http://{closed}\\@{public}/",
        f"http://{public}\\@{closed}/",
        f"http://{closed}\\.{public}/",
        f"http:\\\\{closed}\\",
        f"http:/{closed}/",
        f"http:{closed}/",
        f"http:///{closed}/",
        f"http:////{closed}/",
        f"//{closed}/",
        f"http://{closed}%00.{public}/",
        f"http://{closed}\x00.{public}/",
        f"http://{closed}%0d%0aHost:%20{public}/",
        f"http://{closed}\r\nHost: {public}/",
        f"http://{closed}\t/",
        f"http://{closed[:3]}\t{closed[3:]}/",
        f"http://{closed[:3]}\n{closed[3:]}/",
        f"http:// {closed}/",
        f"http://{closed} /",
        f"http://{closed}:80@{public}/",
        f"http://{public}:80@{closed}:80/",
        f"http://{public}:@{closed}/",
        f"http://:@{closed}/",
        f"http://a:b@c:d@{closed}/",
        f"http://{public}%2f@{closed}/",
        f"http://{public}%40{closed}/",
        f"http://[{closed}]/",
        f"http://[::1]%eth0.{public}/",
        "http://[::1%25lo]/",
        "http://[fe80::1%25eth0]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
        "http://[::]/",
        "http://[::0.0.0.1]/",
        "http://[v1.::1]/",
        "http://[::1/",
        "http://::1/",
        "http://localhost/",
        "http://LOCALHOST/",
        "http://localhost./",
        "http://localhost../",
        "http://localhost.localdomain/",
        "http://a.localhost/",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
        "http://loc\u00adalhost/",
        "http://ip6-localhost/",
        "http://metadata.google.internal/",
        f"http://{closed}:65536/",
        f"http://{closed}:-1/",
        f"http://{closed}:80:80/",
        f"http://{closed}:0080/",
        f"http://{closed};.{public}/",
        f"http://{closed}|{public}/",
        f"http://{closed},{public}/",
        f"http://{public}&@{closed}/",
        f"http://{public};@{closed}/",
        f"HTTP://{closed}/",
        f" http://{closed}/ ",
        f"http://closed.test@{closed}:80#{public}/",
    )


SCHEMES = [
    "file:///etc/passwd", "file://localhost/etc/passwd", "file:/etc/passwd", "FILE:///etc/passwd",
    "/etc/passwd", "etc/passwd", "./x", "../x", "~/.ssh/id_rsa", "C:\\Windows\\win.ini", "\\\\h\\s",
    "ftp://public.test/", "ftps://public.test/", "sftp://public.test/", "scp://public.test/",
    "gopher://public.test:70/_x", "dict://public.test:2628/", "ldap://public.test/", "ldaps://x/",
    "tftp://public.test/", "telnet://public.test/", "ssh://public.test/", "smb://public.test/x",
    "jar:http://public.test/!/", "netdoc:///etc/passwd", "data:text/html,hi", "blob:http://x/1",
    "javascript:alert(1)", "vbscript:x", "about:blank", "chrome://version", "view-source:http://x/",
    "mailto:a@b.c", "tel:1", "ws://public.test/", "wss://public.test/", "http+unix://%2Fvar%2Frun/",
    "unix:/var/run/docker.sock", "httpx://public.test/", "", " ", "http", "http:", "http://", "://x",
]  # fmt: skip


def urls() -> list[str]:
    """The whole corpus."""
    found = [f"http://{host}/" for a in CLOSED_V4 for host in (*spellings(a), *in_v6(a))]
    found += [f"https://{host}:8443/" for a in CLOSED_V4 for host in in_v6(a)]
    found += [f"http://[{IPv6Address(a)}]/" for a in CLOSED_V6]
    found += [f"http://[{IPv6Address(a).exploded}]:8080/" for a in CLOSED_V6]
    found += [f"http://v4-{i}.closed.test/" for i, _ in enumerate(CLOSED_V4)]
    found += [f"http://v6-{i}.closed.test/" for i, _ in enumerate(CLOSED_V6)]
    found += [f"http://mixed-{i}.closed.test/" for i, _ in enumerate(CLOSED_V4)]
    found += [url for a in ("127.0.0.1", "169.254.169.254", "10.0.0.1") for url in tricks(a)]
    return list(dict.fromkeys(found + SCHEMES))


def names() -> dict[str, list[str]]:
    """What the resolver of the attacker says."""
    found = {f"v4-{i}.closed.test": [a] for i, a in enumerate(CLOSED_V4)}
    found |= {f"v6-{i}.closed.test": [a] for i, a in enumerate(CLOSED_V6)}
    found |= {f"mixed-{i}.closed.test": ["93.184.215.14", a] for i, a in enumerate(CLOSED_V4)}
    for name in ("localhost", "localhost.", "a.localhost", "localhost.localdomain"):
        found[name] = ["127.0.0.1", "::1"]
    found["ip6-localhost"] = ["::1"]
    found["metadata.google.internal"] = ["169.254.169.254"]
    return found
