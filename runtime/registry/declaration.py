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
