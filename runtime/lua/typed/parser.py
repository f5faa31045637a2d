"""From a source to its tree, and to the spans that are no Lua."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.core.collector import no_collection
from runtime.lua.typed.cursor import TOO_DEEP
from runtime.lua.typed.nodes import Block, TypeAlias
from runtime.lua.typed.statements import Statements
from runtime.lua.typed.tokens import Source, cut


@dataclass(slots=True)
class Tree:
    """What a source says.

    `spans` are (from, to) of what is erased, in order; `stops` the offsets among them where the erased text
    must end a statement; `used` the names that stand as values somewhere.
    """

    source: Source
    block: Block
    spans: list[tuple[int, int]]
    stops: set[int]
    aliases: list[TypeAlias]
    used: set[str]


class Parser(Statements):
    """The grammar of a whole source."""

    def tree(self) -> Tree:
        """Read all tokens; raise Invalid with the place where they are no typed Lua."""
        block = self.block()
        if self.kind != "eof":
            self.fail("expected a statement")
        # A span inside another (a cast in `typeof(...)`) ends before it; the outer one covers both.
        spans = sorted(self.spans)
        return Tree(self.source, block, spans, set(self.stops), self.aliases, self.used)


def parse(text: str, path: str) -> Tree:
    """Return the tree of `text`, whose places name `path`; raise Invalid where it is no typed Lua."""
    with no_collection():
        parser = Parser(cut(Source(text, path)))
        try:
            return parser.tree()
        except RecursionError:
            raise parser.source.error(TOO_DEEP, parser.at) from None
