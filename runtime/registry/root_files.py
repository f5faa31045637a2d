"""The files at the root of a project are read here: a regular file of the project, and nothing behind a link
that leads out of it, so that no message about what is wrong in one shows what stands in another.
"""

from __future__ import annotations

import os
from pathlib import Path

from runtime.core.errors import Invalid, Place, Unavailable

MAX_BYTES = 4 * 1024 * 1024

_INSTEAD = "put the file itself there"


def read_root_file(root: Path, name: str) -> bytes | None:
    """Return the bytes of the file `name` in the folder `root`, None where there is none.

    Raises Invalid for a link that leads out of the folder or to nothing, for what is no regular file and for
    one that is too large, and Unavailable where the system refuses.
    """
    path, place = root / name, Place(name)
    if not os.path.lexists(path):
        return None
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root.resolve()):
            raise Invalid(
                f"`{name}` is a link that leads out of the project: put the file itself there", place=place
            )
        if not real.is_file():
            raise Invalid(f"`{name}` can not be read: it is not a regular file", place=place)
        with real.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, RuntimeError) as error:
        if path.is_symlink():
            raise Invalid(
                f"`{name}` is a link that leads to no file: put the file itself there", place=place
            ) from None
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unavailable(f"can not read `{name}`: {reason}", place=place) from None
    if len(data) > MAX_BYTES:
        raise Invalid(f"`{name}` takes more than {MAX_BYTES} bytes", place=place)
    return data
