"""`runtime lint` finds what is wrong with a project, where the user wrote it, and says so in four ways."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.app.lint_cache import LintCache
from runtime.app.linting import CHECKED_KINDS, lint, open_to_lint
from runtime.cli.main import run_command_line
from runtime.lua.lint.codes import RULES
from runtime.testing.project import ProjectFolder

LOCK = "directories: {modules: .wippy/vendor, src: ./src}\n"
GOOD = """
namespace: shop
entries:
  - name: till
    kind: function.lua
    method: main
    modules: [json]
    imports: {cash: shop.parts:cash}
    source: file://till.lua
"""
PARTS = """
namespace: shop.parts
entries:
  - name: cash
    kind: library.lua
    source: |
      local cash = {}
      function cash.count(coins: {number}): number
        return #coins
      end
      return cash
"""
TILL = """local json = require("json")
local cash = require("cash")

local function main(coins)
  return json.encode({ count = cash.count(coins) })
end

return { main = main }
"""
WRONG = """local json = require("json")
local unused = 1
local function main(coins)
  return json.encod({ count = cash.cuont(coins) })
end
return { main = mian }
"""


def write(folder: Path, **files: str) -> ProjectFolder:
    names = {"index": "src/_index.yaml", "parts": "src/parts/_index.yaml", "till": "src/till.lua"}
    texts = {"index": GOOD, "parts": PARTS, "till": TILL, **files}
    rest = {name: text for name, text in texts.items() if name not in names}
    written = {names[name]: text for name, text in texts.items() if name in names}
    return ProjectFolder.write(
        folder, {".wippy.yaml": 'version: "1.0"\n', "wippy.lock": LOCK, **written, **rest}
    )


class Run:
    """One run of the command: its exit code and what it wrote."""

    def __init__(self, project: ProjectFolder, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        capsys.readouterr()
        self.code = run_command_line(["lint", "--project", str(project.root), *arguments])
        captured = capsys.readouterr()
        self.out, self.err = captured.out, captured.err

    @property
    def report(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.out)
        return value

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def test_a_project_without_fault_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Run(write(tmp_path), capsys)
    assert (ran.code, ran.out) == (0, "Checked 2 entries: 0 errors, 0 warnings\n")


def test_findings_stand_at_the_users_line_with_its_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Run(write(tmp_path, till=WRONG), capsys)
    assert ran.code == 1
    assert ran.out.startswith(
        "error E0025 src/till.lua:4:14 [shop:till]\n"
        "  `json` has no field `encod`; did you mean `encode`?\n"
        "    3 | local function main(coins)\n"
        "  > 4 |   return json.encod({ count = cash.cuont(coins) })\n"
        "      |              ^\n"
        "    5 | end\n"
    )
    assert ran.lines[-1] == "Checked 2 entries: 3 errors, 0 warnings"


def test_a_source_inside_yaml_is_told_by_the_lines_of_the_yaml(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = PARTS.replace("return #coins", "return #coin").replace("count(coins:", "count(coins: {")
    ran = Run(write(tmp_path, parts=wrong), capsys, "--format", "plain")
    assert ran.lines == [
        "src/parts/_index.yaml:8:44: error P0001: expected `}` to close `{`, found `)` [shop.parts:cash]"
    ]
    inner = PARTS.replace("return #coins", "return #coin")
    ran = Run(write(tmp_path / "two", parts=inner), capsys, "--format", "plain")
    (line,) = ran.lines
    assert line.startswith("src/parts/_index.yaml:9:17: error E0024: `coin` is not defined; did you mean")


def test_json_is_one_object_as_others_read_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Run(write(tmp_path, till=WRONG), capsys, "--json")
    assert ran.code == 1
    assert len(ran.lines) == 1
    report = ran.report
    assert {key: report[key] for key in report if key != "diagnostics"} == {
        "schema": "lint/1",
        "total_entries": 2,
        "error_count": 3,
        "warning_count": 0,
        "hint_count": 0,
    }
    assert report["diagnostics"][0] == {
        "entry_id": "shop:till",
        "code": "E0025",
        "severity": "error",
        "message": "`json` has no field `encod`; did you mean `encode`?",
        "path": "src/till.lua",
        "line": 4,
        "column": 14,
    }


def codes(ran: Run) -> list[str]:
    return [each["code"] for each in ran.report["diagnostics"]]


def test_findings_are_chosen_by_level_code_namespace_and_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = write(tmp_path, till=WRONG, parts=PARTS.replace("return cash", "return cahs"))
    wanted = ["E0024", "E0025", "E0024"]
    assert codes(Run(project, capsys, "--json")) == wanted
    assert codes(Run(project, capsys, "--json", "--code", "E0024, P0001")) == ["E0024", "E0024"]
    assert codes(Run(project, capsys, "--json", "--code", "E0024", "--code", "W0004")) == ["E0024", "E0024"]
    assert codes(Run(project, capsys, "--json", "--limit", "1")) == ["E0024"]
    assert codes(Run(project, capsys, "--json", "--ns", "shop")) == wanted[1:]
    assert codes(Run(project, capsys, "--json", "--ns", "shop.parts")) == wanted[:1]
    assert codes(Run(project, capsys, "--json", "--ns", "shop.*")) == wanted
    assert codes(Run(project, capsys, "--json", "--ns", "shop", "--ns", "shop.parts")) == wanted
    nothing = Run(project, capsys, "--json", "--ns", "other")
    assert (nothing.code, nothing.report["total_entries"]) == (0, 0)


def test_rules_are_looked_for_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = write(
        tmp_path, till=TILL.replace("coins)", "coins, more)", 1).replace("local j", "local u = 1\nlocal j")
    )
    assert codes(Run(project, capsys, "--json", "--level", "hint")) == []
    assert codes(Run(project, capsys, "--json", "--rules")) == ["W0004"]
    assert codes(Run(project, capsys, "--json", "--rules", "-l", "hint")) == ["W0004", "W0005"]
    assert codes(Run(project, capsys, "--json", "--rules", "-l", "error")) == []


def test_a_summary_counts_by_namespace_and_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = Run(write(tmp_path, till=WRONG), capsys, "--summary")
    assert ran.lines == [
        "By namespace:",
        "",
        "  shop                              3 issues (3 errors)",
        "",
        "By error code:",
        "",
        "  E0024      [error  ]    1 occurrence",
        "  E0025      [error  ]    2 occurrences",
        "",
        "Checked 2 entries: 3 errors, 0 warnings",
    ]


def test_what_does_not_load_at_all_ends_with_2_and_hides_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = (
        GOOD
        + """
  - name: guard
    kind: security.policy
    policy: {actions: "*", resources: "*", effect: alow}
  - name: when
    kind: security.policy.expr
    policy: {actions: "*", resources: "*", effect: deny, expression: "actor.id =="}
  - name: broken
    kind: function.lua
    methd: main
    source: return nil +
"""
    )
    ran = Run(write(tmp_path, index=index, till=WRONG), capsys, "--json")
    assert ran.code == 2
    found = {(each["code"], each["path"], each["line"]) for each in ran.report["diagnostics"]}
    assert found >= {
        ("E0025", "src/till.lua", 4),
        ("R0002", "src/_index.yaml", 13),
        ("R0002", "src/_index.yaml", 16),
        ("R0001", "src/_index.yaml", 19),
        ("P0001", "src/_index.yaml", 20),
    }


def test_yaml_that_can_not_be_read_is_said_and_what_may_follow_from_it_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Run(write(tmp_path, parts="namespace: shop.parts\nentries: [\n"), capsys, "--format", "plain")
    assert ran.code == 2
    (line,) = ran.lines
    assert line.startswith("src/parts/_index.yaml:3:1: error R0001: ")


def test_a_model_of_policies_that_is_refused_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = Run(write(tmp_path, **{"policies.conf": "[request_definition]\nr = sub\n"}), capsys, "--json")
    assert ran.code == 2
    assert codes(ran) == ["R0002"]


def test_what_a_start_would_refuse_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = write(tmp_path, till=TILL.replace("return { main = main }", "return { other = main }"))
    ran = Run(project, capsys, "--format", "plain")
    assert ran.code == 2
    assert 'method "main" not found in module' in ran.out


def test_types_are_checked_where_the_settings_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = write(tmp_path, till='local x: number = "a"\nreturn { main = function() return x end }\n')
    assert codes(Run(project, capsys, "--json")) == []
    on = 'version: "1.0"\nlua: {type_system: {enabled: true}}\n'
    project.root.joinpath(".wippy.yaml").write_text(on)
    assert codes(Run(project, capsys, "--json")) == ["E0001"]


def found(project: ProjectFolder, **options: bool) -> list[str]:
    opened = open_to_lint(project.root, None, {})
    return [each.code for each in lint(opened, **options).findings if not RULES[each.code].on_request]


def cache(project: ProjectFolder) -> Path:
    return project.root / ".runtime" / "cache" / "lint.json"


def test_what_was_found_is_kept_and_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    project = write(tmp_path, till=WRONG)
    assert found(project) == ["E0025", "E0025", "E0024"]
    kept = json.loads(cache(project).read_text())
    for rows in kept["wholes"].values():
        rows["findings"] = []
    cache(project).write_text(json.dumps(kept))
    assert found(project) == []  # it is used
    assert found(project, forget=True) == ["E0025", "E0025", "E0024"]
    (project.root / "src/till.lua").write_text(TILL)
    assert found(project) == []
    (project.root / "src/till.lua").write_text(WRONG)
    assert found(project) == ["E0025", "E0025", "E0024"]
    assert len(json.loads(cache(project).read_text())["wholes"]) == 2


def test_a_library_that_changes_is_looked_at_by_those_who_import_it(tmp_path: Path) -> None:
    project = write(tmp_path)
    assert found(project) == []
    (project.root / "src/parts/_index.yaml").write_text(PARTS.replace("count", "amount"))
    assert found(project) == ["E0025"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"stamp": 1}', "\x00", '{"stamp": "x", "wholes": [], "sources": {}}']
)
def test_a_cache_that_makes_no_sense_is_as_none(tmp_path: Path, text: str) -> None:
    project = write(tmp_path, till=WRONG)
    expected = found(project)
    cache(project).write_text(text)
    assert found(project) == expected


def test_a_cache_that_others_could_have_written_is_not_read(tmp_path: Path) -> None:
    project = write(tmp_path, till=WRONG)
    expected = found(project)
    assert cache(project).stat().st_mode & 0o777 == 0o600
    cache(project).write_text(cache(project).read_text().replace("E0025", "E0024"))
    cache(project).chmod(0o644)
    assert found(project) == expected


def test_the_cache_of_another_version_is_not_read(tmp_path: Path) -> None:
    project = write(tmp_path, till=WRONG)
    expected = found(project)
    kept = json.loads(cache(project).read_text())
    kept["stamp"] = "another"
    kept["wholes"] = {key: {"findings": [], "entries": {}} for key in kept["wholes"]}
    cache(project).write_text(json.dumps(kept))
    assert found(project) == expected
    reader = LintCache(project.root / ".runtime")
    reader.read()
    assert reader.sources


def test_a_project_that_can_not_be_written_is_linted_all_the_same(tmp_path: Path) -> None:
    project = write(tmp_path, till=WRONG)
    (project.root / ".runtime").write_text("a file where the folder would be")
    assert found(project) == ["E0025", "E0025", "E0024"]


def test_nothing_is_run_and_nothing_else_is_written(tmp_path: Path) -> None:
    project = write(tmp_path / "one", till='io.open("x"):write("y")\nwhile true do end\n' + TILL)
    before = {path.relative_to(project.root) for path in project.root.rglob("*")}
    found(project)
    after = {path.relative_to(project.root) for path in project.root.rglob("*")}
    assert {str(path) for path in after - before} == {
        ".runtime",
        ".runtime/.gitignore",
        ".runtime/cache",
        ".runtime/cache/lint.json",
    }


def test_every_kind_of_lua_is_read(tmp_path: Path) -> None:
    entries = "".join(
        f"\n  - {{name: n{number}, kind: {kind}, method: main, source: return undefined_thing}}"
        if kind != "library.lua"
        else f"\n  - {{name: n{number}, kind: {kind}, source: return undefined_thing}}"
        for number, kind in enumerate(CHECKED_KINDS)
    )
    project = write(tmp_path, index=f"namespace: shop\nentries:{entries}\n")
    assert found(project).count("E0024") == len(CHECKED_KINDS)


def test_every_code_has_its_row_in_the_guide() -> None:
    guide = Path(__file__).resolve().parents[2] / "docs" / "guide" / "lint.md"
    text = guide.read_text(encoding="utf-8")
    rows = {code: f"| `{code}` | {rule.level} | {rule.name} | {rule.about} |" for code, rule in RULES.items()}
    assert [row for row in rows.values() if row not in text] == []


@pytest.mark.parametrize("colour", [(), ("--no-color",)], ids=["forced", "no-color"])
def test_colours_are_for_terminals_and_for_those_who_force_them(
    tmp_path: Path, colour: tuple[str, ...]
) -> None:
    project = write(tmp_path, till=WRONG)
    command = [sys.executable, "-m", "runtime", "lint", "--project", str(project.root), *colour]
    environment = {"PATH": str(shutil.which("env") or ""), "FORCE_COLOR": "1", "HOME": str(tmp_path)}
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1, done.stderr
    assert ("\x1b[31m" in done.stdout) is (not colour)
