"""Tokens of Lua 5.4 with types: one compiled expression cuts the source, in time linear in its length.

A token is a row of three parallel lists: its kind (a keyword or sign is its own kind; else `name`, `number`,
`string`, `eof`), its text and the offset of its first character. Comments and white space are no tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, compress

from runtime.core.errors import Invalid, Place

_WORDS = """and break do else elseif end false for function goto if in local nil not or repeat return then
    true until while"""
_SIGNS = "... .. :: -> == ~= <= >= << >> // + - * / % ^ # & ~ | < > = ( ) { } [ ] ; : , . ? @ !"
KEYWORDS = frozenset(re.findall(r"\S+", _WORDS))

# Possessive quantifiers: no text makes the expression go back, so a hostile one costs its length and no more.
# What is cut short (a string, a long bracket) is one piece to the end of its line or file, and refused below.
# It has no group, so that what is found is one list of strings; long brackets of more than two `=` have
# an expression of their own, which needs one.
_PIECE = r"""
      [ \t\n\r\v\f]++
    | [A-Za-z_][A-Za-z0-9_]*+
    | [,(){}\]+*%^\#&|;?@!]
    | LONG
    | --[^\n\r]*+
    | "[^"\\\n\r]*+(?:\\(?:z\s*+|\r\n|\n\r|[\s\S])[^"\\\n\r]*+)*+"?+
    | '[^'\\\n\r]*+(?:\\(?:z\s*+|\r\n|\n\r|[\s\S])[^'\\\n\r]*+)*+'?+
    | 0[xX](?:[pP][-+]|[A-Za-z0-9_.])*+
    | \.?[0-9](?:[eE][-+]|[A-Za-z0-9_.])*+
    | \.\.\.|\.\.|::|->|==|~=|<=|>=|<<|>>|//
    | [\s\S]
    """
_SHORT = re.compile(
    _PIECE.replace(
        "LONG",
        r"(?:--)?+\[(?:\[(?:[\s\S]*?\]\]|[\s\S]*+)|=\[(?:[\s\S]*?\]=\]|[\s\S]*+)"
        r"|==\[(?:[\s\S]*?\]==\]|[\s\S]*+))",
    ),
    re.VERBOSE,
)
_ANY_LENGTH = re.compile(_PIECE.replace("LONG", r"(?:--)?+\[(=*+)\[(?:[\s\S]*?\]\1\]|[\s\S]*+)"), re.VERBOSE)
_LINE_END = re.compile(r"\r\n|\n\r|\n|\r")
_NUMBER = re.compile(
    r"0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][-+]?[0-9]+)?"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
)
_STRING = re.compile(
    r"""(['"])(?:(?!\1)[^\\\n\r]"""
    r"""|\\(?:[abfnrtv\\"'\n\r]|\r\n|\n\r|z\s*|x[0-9a-fA-F]{2}|[0-9]{1,3}|u\{[0-9a-fA-F]{1,8}\}))*+\1"""
)
_SIMPLE = re.compile(r"""(['"])[^\\]*\1""")

_KIND = {word: word for word in (*KEYWORDS, *re.findall(r"\S+", _SIGNS))}
_CLASS = dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", "name")
_CLASS.update(dict.fromkeys("0123456789", "number"))
_CLASS.update({".": "number", '"': "string", "'": "string", "[": "string"})
_CLASS.update(dict.fromkeys(" \t\n\r\v\f", ""))


@dataclass(slots=True)
class Source:
    """A text and the path that its places name."""

    text: str
    path: str
    _lines: list[int] = field(default_factory=list)

    def place(self, at: int) -> Place:
        """Return the line and column, both from 1, of the character at the offset `at`."""
        if not self._lines:
            self._lines = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        line = bisect_right(self._lines, at)
        return Place(self.path, line, at - self._lines[line - 1] + 1)

    def error(self, message: str, at: int) -> Invalid:
        """Return the error of this text at the offset `at`."""
        return Invalid(f"Lua syntax: {message}", place=self.place(at))


@dataclass(slots=True)
class Tokens:
    """The tokens of a source; the last one is `eof`."""

    source: Source
    kinds: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)


def cut(source: Source) -> Tokens:
    """Return the tokens of `source`; raise Invalid at the first that Lua does not have."""
    text = source.text
    pieces = (
        [found.group() for found in _ANY_LENGTH.finditer(text)] if "[===" in text else _SHORT.findall(text)
    )
    kinds = list(map(_Kinds(_KIND).__getitem__, pieces))
    starts = list(accumulate(map(len, pieces), initial=0))
    if "bad" in kinds:
        first = kinds.index("bad")
        raise source.error(_fault(pieces[first]), starts[first])
    texts, starts = list(compress(pieces, kinds)), list(compress(starts, kinds))
    kinds = list(filter(None, kinds))
    return Tokens(source, [*kinds, "eof"], [*texts, "the end of the file"], [*starts, len(text.rstrip())])


class _Kinds(dict[str, str]):
    """The kinds of pieces, each found once: "" for what is no token, `bad` for what Lua does not have."""

    def __missing__(self, text: str) -> str:
        kind = _CLASS.get(text[0], "bad")
        if text.startswith("--"):
            kind = "bad" if text.startswith("--[") and not _closed(text[2:]) else ""
        elif kind in ("number", "string") and not _sound(kind, text):
            kind = "bad"
        self[text] = kind
        return kind


def _sound(kind: str, text: str) -> bool:
    if kind == "number":
        return _NUMBER.fullmatch(text) is not None
    if text[0] == "[":
        return _closed(text)
    return (_SIMPLE if "\\" not in text else _STRING).fullmatch(text) is not None and len(text) > 1


def _closed(text: str) -> bool:
    """Whether a text that begins with `[` is no long bracket, or one that ends."""
    level = len(text) - len(text[1:].lstrip("=")) - 1
    opening = text[: level + 2]
    return opening[-1:] != "[" or (len(text) >= 2 * len(opening) and text.endswith(f"]{'=' * level}]"))


def _fault(text: str) -> str:
    if text.startswith("--"):
        return "unfinished long comment: expected its closing `]]`"
    if text[0] == "[":
        return "unfinished long string: expected its closing `]]`"
    if text[0] in "\"'":
        if len(text) < 2 or text[-1] != text[0] or (text[-2] == "\\" and not _STRING.fullmatch(text)):
            return f"unfinished string: expected the closing `{text[0]}` on the same line"
        return "invalid escape in a string: expected one of Lua's, such as `\\n`, `\\x41` or `\\u{48}`"
    if text[0].isdigit() or text[0] == ".":
        return f"malformed number `{text[:40]}`"
    return f"unexpected character `{text}`" if text.isprintable() else f"unexpected character {text!r}"
