"""Where the parser stands: the next token, what was expected of it, how deep it is, and what is erased."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NoReturn

from runtime.core.errors import Invalid
from runtime.lua.typed.nodes import Block, Expression, TypeAlias
from runtime.lua.typed.tokens import Tokens
from runtime.lua.typed.type_nodes import Type

MAX_DEPTH = 180  # of blocks, expressions and types in each other; Lua's own limit is 200
TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels: move the inner part into a function of its own"


Mark = tuple[int, int, int, int, int]


class TooDeep(Invalid):
    """What is nested too deep is refused at once: no trial goes on from it."""


class Cursor(ABC):
    """Reads tokens in order. `spans` are (from, to) of what is no Lua; `stops` those that end a statement
    where the next token could continue it; `used` are the names that stand as values.

    What a trial has read is taken back by `rewind`, but for `used`, which may hold too much.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.source = tokens.source
        self.kinds, self.texts, self.starts = tokens.kinds, tokens.texts, tokens.starts
        self.i = 0
        self.depth = 0
        self.spans: list[tuple[int, int]] = []
        self.stops: list[int] = []
        self.used: set[str] = set()
        self.typed = False  # whether a type is at work that Lua would not see
        self.aliases: list[TypeAlias] = []  # the `type` statements in the order of the source
        self._splits: list[tuple[int, str]] = []  # tokens of which the first half is read

    @abstractmethod
    def expression(self, limit: int = 0) -> Expression: ...

    @abstractmethod
    def type_(self) -> Type: ...

    @abstractmethod
    def block(self) -> Block: ...

    @property
    def kind(self) -> str:
        return self.kinds[self.i]

    @property
    def at(self) -> int:
        return self.starts[self.i]

    def end(self) -> int:
        """Return the offset behind the last token read."""
        if self._splits and self._splits[-1][0] == self.i:
            return self.starts[self.i]
        return self.starts[self.i - 1] + len(self.texts[self.i - 1])

    def peek(self, ahead: int = 1) -> str:
        """Return the kind of the token `ahead` of the next one."""
        index = self.i + ahead
        return self.kinds[index] if index < len(self.kinds) else "eof"

    def accept(self, kind: str) -> bool:
        if self.kinds[self.i] == kind:
            self.i += 1
            return True
        return False

    def expect(self, kind: str, what: str) -> None:
        if self.kinds[self.i] != kind:
            self.fail(f"expected `{kind}` {what}")
        self.i += 1

    def close(self, kind: str, opened: int, opening: str) -> None:
        """Read what closes the construct that `opening` at the offset `opened` began."""
        if self.kinds[self.i] == kind:
            self.i += 1
            return
        line = self.source.place(opened).line
        here = self.source.place(self.starts[self.i]).line
        where = "" if line == here else f" at line {line}"
        self.fail(f"expected `{kind}` to close `{opening}`{where}")

    def name(self, what: str) -> str:
        if self.kinds[self.i] != "name":
            self.fail(f"expected {what}")
        self.i += 1
        return self.texts[self.i - 1]

    def is_word(self, word: str, ahead: int = 0) -> bool:
        index = self.i + ahead
        return index < len(self.kinds) and self.kinds[index] == "name" and self.texts[index] == word

    def close_angle(self, opened: int) -> None:
        """Read `>`, also where it is the first half of `>>` or `>=`."""
        kind = self.kinds[self.i]
        if kind in (">>", ">="):
            self._splits.append((self.i, kind))
            self.kinds[self.i] = self.texts[self.i] = kind[1]
            self.starts[self.i] += 1
            return
        self.close(">", opened, "<")

    def mark(self) -> Mark:
        """Return where the reading stands, for `rewind`."""
        return self.i, self.depth, len(self.spans), len(self.stops), len(self.aliases)

    def rewind(self, mark: Mark) -> None:
        """Stand again at `mark`, as if nothing had been read since."""
        self.i, self.depth, spans, stops, aliases = mark
        del self.spans[spans:], self.stops[stops:], self.aliases[aliases:]
        while self._splits and self._splits[-1][0] >= self.i:
            index, kind = self._splits.pop()
            self.kinds[index] = self.texts[index] = kind
            self.starts[index] -= 1

    def _on_line_of_last(self, at: int) -> bool:
        """Whether the offset `at` stands on the line where the last token ends."""
        return "\n" not in self.source.text[self.end() : at]

    def erase(self, start: int) -> None:
        """Erase from the offset `start` to the end of the last token."""
        self.spans.append((start, self.end()))
        self.typed = True

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.too_deep()

    def too_deep(self) -> NoReturn:
        raise TooDeep(f"Lua syntax: {TOO_DEEP}", place=self.source.place(self.at))

    def fail(self, expected: str) -> NoReturn:
        raise self.error(expected)

    def error(self, expected: str) -> Invalid:
        kind, text = self.kinds[self.i], self.texts[self.i]
        if expected.startswith("expected"):
            found = "the end of the file" if kind == "eof" else f"`{_short(text)}`"
            expected = f"{expected}, found {found}"
        return self.source.error(expected, self.starts[self.i])


def _short(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= 40 and line == text else f"{line[:40]}..."
