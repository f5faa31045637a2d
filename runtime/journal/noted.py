"""Whether a journal ever had a head that somebody noted elsewhere."""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Iterable
from typing import Any

from runtime.core.canonical import digest

_quote = json.encoder.encode_basestring


def noted_at(rows: Iterable[tuple[Any, ...]], noted: str) -> int | None:
    """Return the seq of the event after which the journal had the head `noted`, None where it never had.

    `rows` are (seq, branch, stream, position, hash) by seq, of a journal that was verified. Each state is
    hashed whole, so many streams take long; who knows the head that the journal has now asks nothing here.
    """
    keys: list[tuple[str, str]] = []
    parts: dict[tuple[str, str], str] = {}
    for seq, branch, stream, position, hash_ in rows:
        key = branch, stream
        if key not in parts:
            insort(keys, key)
        parts[key] = f"[{_quote(branch)},{_quote(stream)},{position},{_quote(hash_)}]"
        state = ",".join([parts[each] for each in keys])
        if digest(f"[{state}]".encode()) == noted:
            return int(seq)
    return None
