"""Where an entry is written: the text of its file is kept so that a message can name the place of any field.

Marks are not stored: the text is composed again when a place is asked for, which happens for errors only.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from runtime.core.errors import Place

if TYPE_CHECKING:
    import yaml

FieldPath = tuple[str | int, ...]
MAX_SEARCHED = 500  # lines between the beginning of an entry and its source


class SourceFile:
    """The text of one file; `path` is relative to the project."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def root(self) -> yaml.Node | None:
        """The composed document, None where the file is empty."""
        from runtime.registry.yaml import compose

        return compose(self.text, self.path)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.splitlines()

    def find(self, text: str, line: int) -> Place | None:
        """Return where `text` is written word for word, indented or not, soon after the line `line`.

        None where it is not: a source with escapes, folded, or put in by somebody else.
        """
        wanted = text.splitlines()
        first = next((index for index, each in enumerate(wanted) if each.strip()), None)
        if first is None:
            return None
        last = min(line + MAX_SEARCHED, len(self.lines) - len(wanted) + 1)
        for number in range(max(line - 1, 0), last):
            column = self.lines[number + first].find(wanted[first])
            if column < 0:
                continue
            rows = self.lines[number : number + len(wanted)]
            if len(wanted) == 1 or all(
                row.rstrip() == (" " * column + each).rstrip() for row, each in zip(rows, wanted, strict=True)
            ):
                return Place(self.path, number + 1, column + 1)
        return None


class Declaration:
    """An entry's part of a file: `path` leads from the root of the document to the entry."""

    __slots__ = ("file", "path")

    def __init__(self, file: SourceFile, path: FieldPath = ()) -> None:
        self.file = file
        self.path = path

    def place_of(self, path: FieldPath) -> Place:
        """Return the place of the field at `path` (`("data", "modules", 0)`), or of its nearest parent.

        Fields of the data may stand beside `name` and `kind` or under the key `data`.
        """
        from runtime.registry.yaml import descend, place_at

        return place_at(descend(self.file.root, self.path + self._written(path))[0], self.file.path)

    def text_of(self, path: FieldPath) -> str | None:
        """Return the scalar at `path` as it was written, None where there is none."""
        import yaml

        from runtime.registry.yaml import descend

        _, node, left = descend(self.file.root, self.path + self._written(path))
        return str(node.value) if isinstance(node, yaml.ScalarNode) and not left else None

    def _written(self, path: FieldPath) -> FieldPath:
        from runtime.registry.yaml import descend

        if path and path[0] == "data" and descend(self.file.root, (*self.path, "data"))[2]:
            return path[1:]
        return path
