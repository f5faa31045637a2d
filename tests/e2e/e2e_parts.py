"""What the end-to-end tests share: the application of the repository, its questions, how to read a run."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from runtime.journal.events import Event
from runtime.testing.project import Ended, ProjectFolder, answers_of

ROOT = Path(__file__).resolve().parents[2]
AGENT = ("run", "app", "agent")
INDEX = "src/_index.yaml"
TIME = "what time is it?"
HASH = "sha256 of hello?"
BOTH = f"{TIME}\n{HASH}\n"
DIGEST = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

_TOOL_LINE = re.compile(r"^\[([\w.-]+)\] (done|error: .*)$", re.MULTILINE)


def application(folder: Path) -> ProjectFolder:
    """Return a copy of the application in the repository."""
    return ProjectFolder.copy(ROOT, folder)


def talk(project: ProjectFolder, said: str, *options: str, **environment: str) -> Ended:
    """Run the agent with `said` as its input."""
    return project.run(*AGENT, *options, stdin=said, **environment)


def tool_lines(text: str) -> list[tuple[str, str]]:
    """Return the tool lines of a run: the name, and `done` or the error."""
    return _TOOL_LINE.findall(text)


def called(text: str) -> list[str]:
    """Return the names of the tools that a run called, in order."""
    return [name for name, _ in tool_lines(text)]


def written(project: ProjectFolder) -> list[str]:
    """Return the ids of the entries that were written at run time, as often as they were."""
    events = [event for event in project.events("registry.applied") if event.actor != "loader"]
    return [op["entry"]["id"] for event in events for op in payload(event)["ops"]]


def payload(event: Event) -> dict[str, Any]:
    """Return the payload of an event, which is a map."""
    assert isinstance(event.payload, dict)
    return event.payload


def denials(project: ProjectFolder) -> list[tuple[str, str]]:
    """Return action and resource of every denial that the journal holds."""
    return [(payload(e)["action"], payload(e)["resource"]) for e in project.events("policy.denied")]


def assert_complete(project: ProjectFolder) -> None:
    """The journal is whole: unchanged, and every request in it has exactly one answer."""
    assert project.problems() == ()
    answers = answers_of(project.events())
    assert answers
    assert {seq: len(found) for seq, found in answers.items() if len(found) != 1} == {}


def assert_works(project: ProjectFolder) -> None:
    """After whatever came before, the next run answers and the journal is whole."""
    ended = talk(project, "what does the registry hold?\n")
    assert (ended.code, "app:dev_assistant" in ended.stdout) == (0, True), ended
    assert_complete(project)


def edit_entries(project: ProjectFolder, change: Callable[[dict[str, dict[str, Any]]], None]) -> None:
    """Let `change` change the entries of the application's index by name; what it adds or removes counts."""
    declared = yaml.safe_load((project.root / INDEX).read_text(encoding="utf-8"))
    entries = {entry["name"]: entry for entry in declared["entries"]}
    change(entries)
    declared["entries"] = list(entries.values())
    project.put(INDEX, yaml.safe_dump(declared, sort_keys=False, allow_unicode=True))


def agent_policies(entries: dict[str, dict[str, Any]]) -> list[str]:
    """Return the list of policies of the command `agent`, to be changed in place."""
    listed: list[str] = entries["agent"]["meta"]["command"]["security"]["policies"]
    return listed


@contextmanager
def pages(found: dict[str, str]) -> Iterator[str]:
    """Serve a documentation of `found` (path: Markdown) on loopback, by two routes; yield its base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.removeprefix("/path/en/")
            if self.path.startswith("/search?q="):
                status, text = 200, "".join(f"- {each}\n" for each in found)
            else:
                status, text = (200, found[path]) if path in found else (404, f"no page {path}")
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            """Standard error belongs to the test."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def name_documentation(project: ProjectFolder, base: str) -> None:
    """Let the application read its documentation at `base`, and its policies allow just that."""

    def change(entries: dict[str, dict[str, Any]]) -> None:
        entries["docs_base_url"]["url"] = base
        entries["agent_documentation"]["policy"]["resources"] = [f"{base}/path/en/*", f"{base}/search?q=*"]
        entries["agent_loopback"] = {
            "name": "agent_loopback",
            "kind": "security.policy",
            "policy": {"actions": "http_client.private_ip", "resources": "127.0.0.1", "effect": "allow"},
        }
        agent_policies(entries).append("app:agent_loopback")

    edit_entries(project, change)
