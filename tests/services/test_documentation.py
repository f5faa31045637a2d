"""The documentation's two routes."""

from __future__ import annotations

from runtime.services.documentation import Documentation, Page

PAGES = {
    "lua/core/time": Page("lua/core/time", "Time", "Clock, zones and timers", "# Time\nnow and zones"),
    "lua/security/hash": Page("lua/security/hash", "Hash", "Digests of text", "# Hash\nsha256 of a text"),
}


def test_a_page_is_answered_by_its_route() -> None:
    assert Documentation(PAGES).respond("https://runtime.internal/path/en/lua/core/time") == (
        200,
        "# Time\nnow and zones",
    )


def test_a_page_that_is_not_there_names_those_near_it() -> None:
    status, text = Documentation(PAGES).respond("https://runtime.internal/path/en/core/time")
    assert status == 404
    assert "lua/core/time" in text


def test_a_search_puts_the_best_page_first() -> None:
    status, text = Documentation(PAGES).respond("https://runtime.internal/search?q=sha256%20hash")
    assert status == 200
    assert text.splitlines()[0].startswith("- lua/security/hash: Hash")


def test_a_search_without_a_find_names_the_pages() -> None:
    assert "lua/core/time" in Documentation(PAGES).respond("https://runtime.internal/search?q=zebra")[1]


def test_other_routes_say_which_there_are() -> None:
    assert Documentation(PAGES).respond("https://runtime.internal/etc/passwd")[0] == 404
