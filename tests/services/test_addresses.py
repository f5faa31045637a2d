"""Where a URL leads is decided once, in one normal form, and private addresses are told in every disguise."""

from __future__ import annotations

import pytest

from runtime.core.errors import Invalid
from runtime.services.addresses import is_loopback, is_private, parse_target


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTPS://Example.COM", "https://example.com/"),
        ("https://example.com:443/a/../b/./c", "https://example.com/b/c"),
        ("https://example.com/a/%2e%2e/%2E%2e/b", "https://example.com/b"),
        ("http://example.com:8080/x?q=a%20b#part", "http://example.com:8080/x?q=a%20b"),
        ("https://example.com./x", "https://example.com/x"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("https://example.com/ü?q=ü", "https://example.com/%C3%BC?q=%C3%BC"),
    ],
)
def test_a_url_has_one_normal_form(url: str, normal: str) -> None:
    assert parse_target(url).url == normal


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "https://user:secret@example.com/",
        "https://runtime.internal@example.com/",
        "https://runtime.internal\\@example.com/",
        "https://exa mple.com/",
        "https://example.com/\r\nHost: other",
        "https:///nothing",
        "https://example.com:99999/",
        "//example.com/",
        "",
        "https://example.com/" + "a" * 9000,
    ],
)
def test_what_can_mislead_is_refused_without_telling_credentials(url: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_target(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("169.254.169.254", True),
        ("100.64.0.1", True),
        ("0.0.0.0", True),
        ("224.0.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:10.0.0.1", True),
        ("64:ff9b::7f00:1", True),
        ("2002:7f00:1::", True),
        ("fe80::1%eth0", True),
        ("fc00::1", True),
        ("::127.0.0.1", True),
        ("::ffff:0:127.0.0.1", True),
        ("fec0::1", True),
        ("93.184.216.34", False),
        ("2606:2800:220:1:248:1893:25c8:1946", False),
        ("::ffff:93.184.216.34", False),
    ],
)
def test_addresses_that_are_not_public_are_known_in_every_form(address: str, private: bool) -> None:
    assert is_private(address) is private


def test_loopback_is_known_also_when_mapped() -> None:
    assert is_loopback("127.9.9.9")
    assert is_loopback("::ffff:127.0.0.1")
    assert not is_loopback("10.0.0.1")
