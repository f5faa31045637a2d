"""The other process of the storm: random edits, renames and broken saves; it says what the files mean now.

    python storm_editor.py FOLDER SEED COUNT

After each edit it writes a line `{"step", "value"}` where the files are whole, `{"step", "broken": true}`
when they are not, and waits for a line on stdin before the next. Every entry of every file holds the same
value, in YAML and in Lua.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path

NAMES = ("a", "b", "c")
BROKEN = (
    "namespace: app\nentries: {",
    "namespace: app\nentries:\n  - {name: x}\n",
    "\x00",
    "a: [",
    "namespace: 3\n",
)


def yaml_of(name: str, value: int) -> str:
    return (
        f"namespace: app.{name}\nentries:\n"
        f"  - {{name: one, kind: registry.entry, value: {value}}}\n"
        f"  - name: tool\n    kind: function.lua\n    source: file://{name}.lua\n    method: run\n"
        f"  - {{name: two, kind: registry.entry, value: {value}}}\n"
    )


def lua_of(value: int) -> str:
    return f"local VALUE = {value}\nreturn {{ run = function() return VALUE end }}\n"


class Editor:
    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.value = 0

    def write(self, path: Path, text: str) -> None:
        """Save as some editor does."""
        match self.random.randrange(5):
            case 0:
                path.write_text(text)
            case 1:
                temporary = path.with_name(f".{path.name}.swp")
                temporary.write_text(text)
                temporary.replace(path)
            case 2:
                backup = path.with_name(f"{path.name}~")
                if path.exists():
                    path.replace(backup)
                path.write_text(text)
                backup.unlink(missing_ok=True)
            case 3:
                with path.open("w") as file:
                    for part in (text[: len(text) // 2], text[len(text) // 2 :]):
                        file.write(part)
                        file.flush()
            case _:
                outside = self.folder.parent / "outside.tmp"
                outside.write_text(text)
                outside.replace(path)

    def whole(self) -> None:
        """Give every file the next value."""
        self.value += 1
        for name in NAMES:
            inside = self.folder / name
            inside.mkdir(exist_ok=True)
            self.write(inside / f"{name}.lua", lua_of(self.value))
            self.write(inside / "_index.yaml", yaml_of(name, self.value))

    def swapped(self) -> None:
        """Give every file the next value by renaming a whole folder."""
        self.value += 1
        fresh = self.folder.parent / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        for name in NAMES:
            (fresh / name).mkdir(parents=True)
            (fresh / name / f"{name}.lua").write_text(lua_of(self.value))
            (fresh / name / "_index.yaml").write_text(yaml_of(name, self.value))
        old = self.folder.parent / "old"
        self.folder.replace(old)
        fresh.replace(self.folder)
        shutil.rmtree(old)

    def broken(self) -> None:
        """Leave one file that can not be loaded."""
        name = self.random.choice(NAMES)
        self.write(self.folder / name / "_index.yaml", self.random.choice(BROKEN))

    def step(self, number: int) -> dict[str, object]:
        match self.random.randrange(6):
            case 0:
                self.broken()
                return {"step": number, "broken": True}
            case 1:
                self.swapped()
            case _:
                self.whole()
        return {"step": number, "value": self.value}


def main(folder: str, seed: str, count: str) -> None:
    editor = Editor(Path(folder), int(seed))
    for number in range(int(count)):
        print(json.dumps(editor.step(number)), flush=True)
        if not sys.stdin.readline():
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
