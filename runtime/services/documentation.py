"""The documentation that ships with the runtime, served under two routes for the host `runtime.internal`.

`/path/en/<page>` answers one page as Markdown; `/search?q=` answers the pages that fit, best first, one
line each. There is a page for every Lua module that exists and for no other, since a page is the module's
own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

INTERNAL_HOST = "runtime.internal"
MAX_RESULTS = 12


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its route such as `lua/core/time`, its title, a line about it and its Markdown."""

    path: str
    title: str
    summary: str
    text: str


class Documentation:
    """Answers requests for pages; `pages` maps routes to pages."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self._pages = dict(pages)

    def respond(self, url: str) -> tuple[int, str]:
        """Return (status, body) for `url`: 200 with Markdown, or 404 with a line that helps."""
        parts = urlsplit(url)
        path = unquote(parts.path)
        if "/path/en/" in path:
            return self._page(path.split("/path/en/", 1)[1])
        if path.endswith("/search"):
            return self._search(" ".join(parse_qs(parts.query).get("q", [])))
        return 404, "not found: the routes are /path/en/<page> and /search?q=<words>"

    def search(self, query: str) -> list[Page]:
        """Return the pages that hold the words of `query`, best first; titles and routes weigh more."""
        words = re.findall(r"[a-z0-9_]+", query.lower())
        scored = [(self._score(page, words), page) for page in self._pages.values()]
        found = sorted((item for item in scored if item[0] > 0), key=lambda item: (-item[0], item[1].path))
        return [page for _, page in found[:MAX_RESULTS]]

    def _page(self, name: str) -> tuple[int, str]:
        page = self._pages.get(name.strip("/").removesuffix(".md"))
        if page:
            return 200, page.text
        near = ", ".join(found.path for found in self.search(name.replace("/", " "))[:3])
        return 404, f"no page `{name}`" + (f"; near it: {near}" if near else "; search for it instead")

    def _search(self, query: str) -> tuple[int, str]:
        found = self.search(query)
        if not found:
            return 200, f"no page about `{query}`; pages: {', '.join(sorted(self._pages))}\n"
        return 200, "".join(f"- {page.path}: {page.title}. {page.summary}\n" for page in found)

    @staticmethod
    def _score(page: Page, words: list[str]) -> int:
        head, summary, body = f"{page.path} {page.title}".lower(), page.summary.lower(), page.text.lower()
        return sum(
            10 * (word in head) + 3 * (word in summary) + min(body.count(word), 3) for word in set(words)
        )
