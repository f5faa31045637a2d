"""The command follows its files: a conversation goes on under an edited prompt and edited tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import runtime
from runtime.security.model import shipped_model
from runtime.testing.project import ProjectFolder

ROOT = Path(runtime.__file__).parents[1]
INDEX = "src/_index.yaml"
TOOLS = "src/tools/_index.yaml"
SERVICE = """  - {name: host, kind: process.host}
  - {name: idle, kind: process.lua, source: "return { main = function() end }", method: main}
  - {name: service, kind: process.service, process: app:idle, host: app:host}
"""


def test_a_conversation_survives_a_reload_of_its_prompt_and_its_tools(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    with project.at_terminal("run", "app", "agent", "--yes") as terminal:
        terminal.expect_exact("> ")
        terminal.sendline("what time is it?")
        terminal.expect(r"It is .*\r\n")
        terminal.expect_exact("> ")
        project.replace(INDEX, "    prompt: |\n", "    prompt: |\n      Speak like a clerk.\n")
        terminal.expect(r"reloaded: 1 updated \(app:dev_assistant\)")
        project.replace(TOOLS, "  - name: registry_list\n", "  - nmae: registry_list\n")
        terminal.expect("reload refused, what was in force stays in force")
        terminal.expect(r"tools/_index.yaml:\d+:\d+: ")
        terminal.expect(r"> *\d+ \| .*nmae: registry_list")
        project.replace(TOOLS, "  - nmae: registry_list\n", "  - name: registry_list\n")
        terminal.expect("reloaded: nothing changed")
        terminal.sendline("and what time is it now?")
        terminal.expect(r"It is .*\r\n")
        terminal.sendline("quit")
        terminal.expect_exact("Bye!")
        terminal.wait()
    messages = {event.payload["digest"]: event.payload for event in project.events("message.added")}
    requests = [event.payload for event in project.events("llm.requested")]
    first, last = requests[0], requests[-1]
    assert "clerk" not in str(messages[first["messages"][0]])
    assert "clerk" in str(messages[last["messages"][0]])
    assert first["messages"][1] in last["messages"]  # the first question is still part of the conversation
    assert [event.type for event in project.events("reload.applied", "reload.rejected")] == [
        "reload.applied",
        "reload.rejected",
        "reload.applied",
    ]
    assert project.problems() == ()


def test_a_run_that_is_pinned_takes_no_edits(tmp_path: Path) -> None:
    project = ProjectFolder.copy(ROOT, tmp_path / "app")
    ended = project.run("run", "app", "agent", "--watch", "--locked", stdin="quit\n")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--watch and --locked or --frozen exclude each other" in ended.stderr


def test_services_follow_their_files(tmp_path: Path) -> None:
    project = ProjectFolder.write(
        tmp_path / "app",
        {
            ".wippy.yaml": 'version: "1.0"\n',
            INDEX: "namespace: app\nentries:\n  - {name: a, kind: registry.entry, value: 1}\n" + SERVICE,
        },
    )
    with project.start("run", "app") as process:
        assert process.stderr
        lines = iter(process.stderr.readline, "")
        next(line for line in lines if "running, no command was named" in line)
        project.replace(INDEX, "value: 1", "value: 2")
        assert "reloaded: 1 updated (app:a)" in next(line for line in lines if "reload" in line)


GUARDED = {
    ".wippy.yaml": 'version: "1.0"\nlimits: {steps: 30}\n',
    INDEX: "namespace: app\nentries:\n  - {name: a, kind: registry.entry, value: 1}\n" + SERVICE,
    "wippy.lock": "directories: {modules: .wippy/vendor, src: ./src}\n",
}


def until(lines: Iterator[str], words: str) -> list[str]:
    found: list[str] = []
    for line in lines:
        found.append(line)
        if words in line:
            return found
    raise AssertionError(f"`{words}` was not said: {found}")


def test_what_needs_trust_is_refused_by_a_reload_as_by_a_start(tmp_path: Path) -> None:
    project = ProjectFolder.write(tmp_path / "app", GUARDED)
    with project.start("run", "app") as process:
        assert process.stderr
        lines = iter(process.stderr.readline, "")
        until(lines, "running, no command was named")

        project.put("policies.conf", "# ours\n" + shipped_model())
        project.replace(INDEX, "value: 1", "value: 2")
        said = until(lines, "reloaded: ")
        (refused,) = [line for line in said if "policies.conf" in line]
        assert "it is not trusted and refused: what was in force stays; see `runtime trust`" in refused

        project.replace(".wippy.yaml", "limits: {steps: 30}", "security: {strict_mode: false}")
        (refused,) = [line for line in until(lines, "strict_mode") if "strict_mode" in line]
        assert "`security.strict_mode` is looser than trusted and refused" in refused
        assert "see `runtime trust`" in refused

        project.replace(INDEX, "value: 2", "value: 3")  # said once, and not again with every save
        assert not [line for line in until(lines, "reloaded: ") if "runtime trust" in line]

        trust = json.loads(project.run("trust", "--show", "--json").stdout)
        assert {each["what"] for each in trust["wants"]} == {"policies.conf", "security.strict_mode"}
        yes(project)
        project.replace(INDEX, "value: 3", "value: 4")
        said = until(lines, "reloaded: ")
        assert [line for line in said if "policies are decided under it now" in line]
        assert [line for line in said if "from the next start were changed: `security.strict_mode`" in line]

        project.put("policies.conf", "# theirs\n" + shipped_model())
        (refused,) = [line for line in until(lines, "policies.conf") if "policies.conf" in line]
        assert "refused" in refused
        (project.root / "policies.conf").unlink()
        until(lines, "policies are decided under it now")

        project.put("policies.conf", shipped_model().replace("&& !some", "|| some"))
        until(lines, "reload refused, what was in force stays in force")
        assert "the policy model is refused" in "".join(until(lines, "policies.conf"))


def test_a_hash_in_the_environment_trusts_no_later_edit(tmp_path: Path) -> None:
    project = ProjectFolder.write(tmp_path / "app", GUARDED)
    project.put(".wippy.yaml", 'version: "1.0"\nlimits: {steps: 1000}\n')
    digest = json.loads(project.run("trust", "--show", "--json").stdout)["hash"]
    with project.start("run", "app", RUNTIME_TRUST=digest) as process:
        assert process.stderr
        lines = iter(process.stderr.readline, "")
        until(lines, "running, no command was named")
        project.replace(".wippy.yaml", "1000", "2000")
        until(lines, "reload refused, what was in force stays in force")
        assert "look at it with `runtime trust --show`" in next(lines)
        project.replace(".wippy.yaml", "2000", "1000")
        until(lines, "reloaded: nothing changed")


def yes(project: ProjectFolder) -> None:
    with project.at_terminal("trust") as terminal:
        terminal.expect(r"\[y/N\] ")
        terminal.sendline("y")
        terminal.expect("trusted: sha256:")
        terminal.wait()
