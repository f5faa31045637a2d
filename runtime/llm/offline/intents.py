"""What a message asks for: several questions in it are several intents.

What belongs to a text (after "sha256 of") stays with it, also where it holds words that could be a question.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from runtime.llm.offline.intent import Intent
from runtime.llm.offline.readers import read_intent
from runtime.llm.offline.texts import quoted_spans, subject
from runtime.llm.offline.zones import find_zone

MAX_QUESTION = 4000
"""Characters that are read; the patterns look back and forth, so the time grows faster than the text."""

_SMALL = re.compile(
    r"\s*(?:hi|hello|hey|thanks?|thank you|please|ok(?:ay)?|good (?:morning|evening)|cheers)\b[\s,!.?]*",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"\n+|(?<=[?.!])\s+|\s*;\s*|,?\s+(?:and|then|plus)(?:\s+(?:then|also))?\s+", re.IGNORECASE
)


def understand(text: str, tool_names: Collection[str] = ()) -> list[Intent]:
    """Return what `text` asks for, in order; one intent of kind `other` when it is nothing that is known.

    Nothing is read of a text longer than `MAX_QUESTION`.
    """
    if len(text) > MAX_QUESTION:
        return [Intent("other")]
    found: list[Intent] = []
    raw: list[str] = []
    for separator, piece in _pieces(text):
        intent = read_intent(piece, tool_names)
        takes_text = bool(found) and found[-1].kind in ("hash", "base64")
        if intent.kind != "other" and not (takes_text and len(piece.split()) < 2):
            found.append(intent)
            raw.append(piece)
        elif not found or not piece.strip() or (_SMALL.fullmatch(piece) and "\n" not in separator):
            continue
        elif takes_text:
            raw[-1] += separator + piece  # it is the rest of the text
            found[-1] = read_intent(raw[-1], tool_names)
        elif found[-1].kind == "time" and found[-1].place and (zone := find_zone(subject(piece))):
            found.append(replace(found[-1], place=subject(piece), zone=zone))
            raw.append(piece)
    return found or [Intent("other")]


def _pieces(text: str) -> list[tuple[str, str]]:
    """Return (what stood before, piece) for each question; nothing inside quotes is split."""
    hidden = list(text)
    for start, end in quoted_spans(text):
        hidden[start:end] = "_" * (end - start)
    pieces: list[tuple[str, str]] = []
    start, separator = 0, ""
    for match in _SPLIT.finditer("".join(hidden)):
        pieces.append((separator, text[start : match.start()]))
        start, separator = match.end(), text[match.start() : match.end()]
    return [*pieces, (separator, text[start:])]
