"""The command follows its files: a conversation goes on under an edited prompt and edited tools."""

from __future__ import annotations

from pathlib import Path

import runtime
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
