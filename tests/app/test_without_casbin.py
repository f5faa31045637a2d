"""Where casbin can not be imported, or another package has its name, nothing is decided, and that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import runtime
from runtime.testing.project import ProjectFolder

FILES = {
    ".wippy.yaml": 'version: "1.0"\n',
    "wippy.lock": "directories: {modules: .wippy/vendor, src: ./src}\n",
    "src/_index.yaml": """
namespace: shop
entries:
  - {name: terminal, kind: terminal.host}
  - name: work
    kind: process.lua
    meta: {command: {name: work}}
    source: "return { main = function() end }"
    method: main
""",
}


@pytest.mark.parametrize("words", [["run", "work"], ["policy", "list"], ["policy", "why", "work", "x", "y"]])
@pytest.mark.parametrize(
    ("package", "why"), [("raise ImportError('it is broken')\n", "(it is broken)"), ("", "is another one")]
)
def test_nothing_is_decided_and_the_package_is_named(
    tmp_path: Path, words: list[str], package: str, why: str
) -> None:
    project = ProjectFolder.write(tmp_path / "app", FILES)
    (tmp_path / "casbin.py").write_text(package, "utf-8")
    packages = f"{tmp_path}:{Path(runtime.__file__).parents[1]}"
    ended = project.run(*words, PYTHONPATH=packages)
    assert (ended.code, ended.stdout) == (7, "")
    assert ended.stderr.startswith("error: policies are decided by casbin")
    assert why in ended.stderr
    assert "install `pycasbin`" in ended.stderr
