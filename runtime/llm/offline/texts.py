"""The text that somebody means: inside quotes as it stands, else without what only ends the sentence."""

from __future__ import annotations

import re

_PAIRS = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_LEAD = re.compile(
    r"^(?:the\s+|this\s+)?(?:text|string|word|phrase|input|value)s?\s*:?\s+(?=\S)", re.IGNORECASE
)
_PLEASE = re.compile(r"[\s,]+(?:please|thanks|thank you)$", re.IGNORECASE)


def subject(said: str) -> str:
    """Return the text that `said` means: `'a b?'` means `a b?`, and `hello?` means `hello`."""
    text = _LEAD.sub("", said.strip())
    spans = quoted_spans(text)
    if spans and spans[0][0] == 0:
        return text[1 : spans[0][1] - 1]
    previous = None
    while previous != text:
        previous = text
        text = _PLEASE.sub("", text.rstrip().rstrip("?.!,;:\u2026").rstrip())
    return text


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each quoted part, quotes included. An apostrophe inside a word opens nothing."""
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        closing = _PAIRS.get(text[position])
        if closing and (position == 0 or not text[position - 1].isalnum()):
            end = _closing(text, closing, position + 1)
            if end:
                spans.append((position, end + 1))
                position = end
        position += 1
    return spans


def _closing(text: str, closing: str, start: int) -> int | None:
    """Return where the quote ends: the first closing mark with no letter or digit right behind it."""
    end = text.find(closing, start)
    while end >= 0:
        if end + 1 == len(text) or not text[end + 1].isalnum():
            return end
        end = text.find(closing, end + 1)
    return None
