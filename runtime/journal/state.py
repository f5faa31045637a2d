"""The state folder `.runtime/`: for its owner alone (0700), and never part of a commit."""

from __future__ import annotations

import stat
from pathlib import Path

from runtime.core.errors import Invalid, Unavailable
from runtime.journal.database import place
from runtime.journal.lease import FILE as LEASE

JOURNAL = "journal.db"
IGNORE = ".gitignore"


def prepare_state_dir(path: Path | str) -> Path:
    """Return the folder `path`, made where it is not there, with mode 0700 and a `.gitignore` of `*`.

    Raise Invalid when it is no folder, or holds other things and no journal: its rights are not ours to
    change. Raise Unavailable where it can not be made or written.
    """
    folder = Path(path)
    if folder.is_symlink():
        raise Invalid(
            "the state folder is a link: name the folder itself with `--state DIR`", place=place(folder)
        )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(folder):
            raise Invalid(
                "the folder holds other files and no journal: name an empty or new one with `--state DIR`",
                place=place(folder),
            )
        if stat.S_IMODE(folder.stat().st_mode) != 0o700:
            folder.chmod(0o700)
        ignore = folder / IGNORE
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except FileExistsError as error:
        raise Invalid(
            "the state folder is a file: move it away, or name another with `--state DIR`",
            place=place(folder),
        ) from error
    except OSError as error:
        raise Unavailable(
            f"the state folder can not be used ({error.strerror}): check its rights, or name another with "
            "`--state DIR`",
            place=place(folder),
        ) from error
    return folder


def _is_ours(folder: Path) -> bool:
    names = {entry.name for entry in folder.iterdir()}
    if not names or names & {JOURNAL, LEASE}:
        return True
    ignore = folder / IGNORE
    return ignore.is_file() and ignore.read_text(encoding="utf-8", errors="replace").strip() == "*"
