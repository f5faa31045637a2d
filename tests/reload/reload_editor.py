"""The other process of a test: it saves files as editors do, one request a line, and says `saved` after each.

A request is a JSON object {way, path, text}; `pause` seconds lie between the steps of a way that has several.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

PAUSE = 0.2  # longer than a save takes to settle


def pause() -> None:
    threading.Event().wait(PAUSE)


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def truncate_pause_write(path: Path, text: str) -> None:
    with path.open("w") as file:
        pause()
        file.write(text)


def truncate_close_pause_write(path: Path, text: str) -> None:
    path.write_text("")
    pause()
    path.write_text(text)


def half_pause_half(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text[: len(text) // 2])
        file.flush()
        pause()
        file.write(text[len(text) // 2 :])


def write_temp_and_rename(path: Path, text: str) -> None:
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def rename_from_outside(path: Path, text: str) -> None:
    outside = path.parents[1] / "outside.yaml"
    outside.write_text(text)
    outside.replace(path)


def vim(path: Path, text: str) -> None:
    swap = path.with_name(f".{path.name}.swp")
    swap.write_bytes(b"b0VIM")
    probe = path.with_name("4913")
    probe.touch()
    probe.unlink()
    backup = path.with_name(f"{path.name}~")
    path.replace(backup)
    path.write_text(text)
    backup.unlink()
    swap.unlink()


def emacs(path: Path, text: str) -> None:
    lock = path.with_name(f".#{path.name}")
    lock.symlink_to("somebody@somewhere.1234")
    auto = path.with_name(f"#{path.name}#")
    auto.write_text(text[: len(text) // 2])
    shutil.copy2(path, path.with_name(f"{path.name}~"))
    path.write_text(text)
    auto.unlink()
    lock.unlink()


def jetbrains(path: Path, text: str) -> None:
    temporary = path.with_name(f"{path.name}___jb_tmp___")
    temporary.write_text(text)
    old = path.with_name(f"{path.name}___jb_old___")
    path.rename(old)
    temporary.rename(path)
    old.unlink()


def delete_pause_create(path: Path, text: str) -> None:
    path.unlink()
    pause()
    path.write_text(text)


def delete_folder_and_create(path: Path, text: str) -> None:
    kept = {each: each.read_text() for each in path.parent.rglob("*") if each.is_file()}
    shutil.rmtree(path.parent)
    path.parent.mkdir()
    for each, was in kept.items():
        each.parent.mkdir(parents=True, exist_ok=True)
        each.write_text(text if each == path else was)


def link_swap(path: Path, text: str) -> None:
    """The folder is a link: a copy with the new text is made beside its target, and the link is replaced."""
    folder = path.parent
    release = folder.parent / f"release-{len(list(folder.parent.iterdir()))}"
    shutil.copytree(folder, release)
    (release / path.name).write_text(text)
    fresh = folder.parent / "fresh-link"
    fresh.symlink_to(release.name)
    fresh.replace(folder)


def touch(path: Path, _text: str) -> None:
    path.touch()


def delete(path: Path, _text: str) -> None:
    path.unlink()


WAYS: dict[str, Callable[[Path, str], None]] = {
    each.__name__: each
    for each in (
        in_place,
        truncate_pause_write,
        truncate_close_pause_write,
        half_pause_half,
        write_temp_and_rename,
        rename_from_outside,
        vim,
        emacs,
        jetbrains,
        delete_pause_create,
        delete_folder_and_create,
        link_swap,
        touch,
        delete,
    )
}
SAVES = tuple(name for name in WAYS if name not in ("touch", "delete", "link_swap"))

if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        WAYS[request["way"]](Path(request["path"]), request["text"])
        print("saved", flush=True)
