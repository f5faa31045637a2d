"""Cuts an expression into tokens; what is no token is an error with its line and column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from runtime.core.errors import Invalid

MAX_TEXT = 16 * 1024  # characters

Sort = Literal["number", "string", "name", "operator", "end"]

_TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\r\n]+|//[^\n]*|/\*.*?\*/)
  | (?P<number>0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+
        |(?:[0-9][0-9_]*(?:\.(?!\.)[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)
  | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)
  | (?P<name>[A-Za-z_$][A-Za-z0-9_$]*|\#[A-Za-z]*)
  | (?P<operator>\?\.(?![0-9])|\?\?|\.\.|\*\*|==|!=|<=|>=|&&|\|\||[-+*/%^<>!?:|.,;=(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = frozenset(
    ("and", "or", "not", "in", "matches", "contains", "startsWith", "endsWith", "let", "if", "else")
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\'\"`])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.?))",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its sort, its text (of a string what it stands for), and the offset where it begins."""

    sort: Sort
    text: str
    at: int


def place(text: str, at: int) -> str:
    """Return `line:column` of an offset, both from 1."""
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


def tokenize(text: str) -> list[Token]:
    """Return the tokens of `text`, an `end` last; raise Invalid for what is none and for a text too long."""
    if len(text) > MAX_TEXT:
        raise Invalid(f"expression of {len(text)} characters is over the limit of {MAX_TEXT}")
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            what = "string without its end" if text[at] in "\"'`" else f"unexpected character {text[at]!r}"
            raise Invalid(f"{what} at {place(text, at)}")
        sort, found = match.lastgroup, match.group()
        if sort == "string":
            tokens.append(Token("string", _unquoted(text, found, at), at))
        elif sort == "name":
            tokens.append(Token("operator" if found in _WORDS else "name", found, at))
        elif sort != "blank":
            tokens.append(Token("number" if sort == "number" else "operator", found, at))
        at = match.end()
    tokens.append(Token("end", "", at))
    return tokens


def _unquoted(text: str, found: str, at: int) -> str:
    if found[0] == "`":
        return found[1:-1]

    def value(match: re.Match[str]) -> str:
        simple, *codes, octal, wrong = match.groups()
        if wrong is not None:
            raise Invalid(f"unknown escape `\\{wrong}` in a string at {place(text, at)}")
        if simple is not None:
            return _SIMPLE.get(simple, simple)
        code = int(octal, 8) if octal else int(next(each for each in codes if each), 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise Invalid(f"escape `{match.group()}` is no character, in a string at {place(text, at)}")
        return chr(code)

    return _ESCAPE.sub(value, found[1:-1])
