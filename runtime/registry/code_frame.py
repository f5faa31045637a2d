"""The lines of a file around the place of a fault, numbered, with a mark under the column; secrets masked."""

from __future__ import annotations

from pathlib import Path

from runtime.core.errors import Error, Many, Place
from runtime.core.redact import Redactor
from runtime.core.text import visible

AROUND = 1  # lines before and after
MAX_WIDTH = 100
MAX_FILE = 4 * 1024 * 1024


def add_frames(error: Error, root: Path) -> None:
    """Give `error`, and every error inside it, its frame where its place is in a file under `root`."""
    texts: dict[str, list[str]] = {}
    for each in error.errors if isinstance(error, Many) else [error]:
        if each.place and each.place.line and not each.frame:
            path = each.place.path
            if path not in texts:
                texts[path] = _lines(root / path)
            each.frame = frame(texts[path], each.place)


def frame(lines: list[str], place: Place) -> tuple[str, ...]:
    """Return the frame of `place` in a file of these `lines`; none where the file has no such line."""
    if not 0 < place.line <= len(lines):
        return ()
    first = max(place.line - AROUND, 1)
    last = min(place.line + AROUND, len(lines))
    width = len(str(last))
    found: list[str] = []
    for number in range(first, last + 1):
        mark = ">" if number == place.line else " "
        found.append(f"{mark} {number:>{width}} | {lines[number - 1][:MAX_WIDTH]}".rstrip())
        if number == place.line and 0 < place.column <= MAX_WIDTH:
            found.append(f"  {'':>{width}} | {' ' * (place.column - 1)}^")
    return tuple(found)


def _lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > MAX_FILE:
            return []
        return lines_of(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return []


def lines_of(text: str) -> list[str]:
    """Return the lines of `text` as they may be shown: secrets masked, control characters as escapes."""
    masked = Redactor().text(text)
    if masked.count("\n") != text.count("\n"):  # a secret of several lines is gone, and the numbers with it
        return []
    return [visible(line).expandtabs(1) for line in masked.splitlines()]
