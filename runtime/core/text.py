"""Text of strangers as it may be shown: nothing in it can steer a terminal or hide what is there."""

from __future__ import annotations

import re
import unicodedata

_SUSPECT = re.compile(r"[^\x20-\x7e\n\t]")
_HIDING = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")
_KEY = re.compile(r"\x1b(?:\[[0-9;?<]*[ -/]*[@-~]|O[A-Za-z]|.)?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_UNSAFE = re.compile(r"\x1b(?!\[[0-9;]*m)|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f\x80-\x9f]")
# Bold, faint, italic, underlined, their ends, and foreground colours that can be read: nothing conceals.
_STYLES = frozenset(
    ("", "0", "1", "2", "3", "4", "22", "23", "24", "39", *map(str, range(31, 38)), *map(str, range(91, 98)))
)


def visible(text: str) -> str:
    """Return `text` with control and formatting characters written as escapes; line ends and tabs stay."""
    return _SUSPECT.sub(_escaped, text)


def printable(text: str) -> str:
    """Return `text` for a terminal: no control characters, and of styles only those that hide nothing."""
    return _SEQUENCE.sub(_style, _UNSAFE.sub("", text))


def typed(text: str) -> str:
    """Return a line from a terminal without what keys such as arrows send: it is no text."""
    return _CONTROL.sub("", _KEY.sub("", text))


def _escaped(match: re.Match[str]) -> str:
    sign = match.group()
    return f"\\u{{{ord(sign):x}}}" if unicodedata.category(sign) in _HIDING else sign


def _style(match: re.Match[str]) -> str:
    return match.group() if all(part in _STYLES for part in match[1].split(";")) else ""
