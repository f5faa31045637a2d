"""`file://` in a value stands for the text of a file, and never reaches outside the folder that is loaded.

`file://rel` starts at the folder of the YAML file, `file:///path` at the root of the load.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runtime.core.errors import Error, Invalid
from runtime.registry.declaration import FieldPath

SCHEME = "file://"
MAX_BYTES = 16 * 1024 * 1024
_TRAVERSAL = "path traversal detected in file path: `{}` leads out of the folder that is loaded"


def read_within(path: Path, root: Path, shown: str) -> bytes:
    """Return the bytes of a regular file inside `root`; raise Invalid where that can not be."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root.resolve()):
            raise Invalid(
                f"path traversal detected in file path: `{shown}` leads out of the folder that is loaded"
            )
        if not real.is_file():
            raise Invalid(f"failed to read file `{shown}`: it is not a regular file")
        if (size := real.stat().st_size) > MAX_BYTES:
            raise Invalid(f"failed to read file `{shown}`: {size} bytes are over the limit of {MAX_BYTES}")
        return real.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Invalid(f"failed to read file `{shown}`: {reason.lower()}") from None


class References:
    """Resolves the references in one YAML file; `found` maps a field to the file that it named."""

    def __init__(self, folder: Path, root: Path, fault: Callable[[FieldPath, Error], None]) -> None:
        self.folder = folder
        self.root = root
        self.found: dict[FieldPath, Path] = {}
        self._fault = fault

    def resolve(self, value: Any, at: FieldPath) -> Any:
        """Return `value` with every reference replaced; `at` is its path from the root of the document."""
        if isinstance(value, str):
            return self._text(value, at) if value.startswith(SCHEME) else value
        if isinstance(value, dict):
            return {key: self.resolve(item, (*at, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.resolve(item, (*at, index)) for index, item in enumerate(value)]
        return value

    def _text(self, reference: str, at: FieldPath) -> str:
        try:
            path = self._locate(reference.removeprefix(SCHEME))
            data = read_within(path, self.root, reference.removeprefix(SCHEME))
            self.found[at] = path
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            self._fault(
                at,
                Invalid(f"file `{reference}` is not UTF-8: byte 0x{data[error.start]:02x} at {error.start}"),
            )
        except Error as error:
            self._fault(at, error)
        return ""

    def _locate(self, name: str) -> Path:
        if not name.strip("/"):
            raise Invalid("empty file path in file:// URL; expected `file://name` beside this file")
        if "\x00" in name:
            raise Invalid("a file path can not hold a NUL character")
        start = self.root if name.startswith("/") else self.folder
        path = Path(os.path.normpath(start / name.lstrip("/")))
        if not path.is_relative_to(os.path.normpath(self.root)):
            raise Invalid(
                f"path traversal detected in file path: `{name}` leads out of the folder that is loaded"
            )
        return path
