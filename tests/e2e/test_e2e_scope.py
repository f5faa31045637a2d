"""The scope of the agent is the least that works: take any one allow away, and something breaks.

What is taken away is enumerated from the loaded registry: each action on each resource of each policy of the
command. So an allow that nothing needs fails here, and so does one that the table does not know.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from e2e_parts import (
    DIGEST,
    HASH,
    TIME,
    agent_policies,
    application,
    assert_complete,
    assert_works,
    denials,
    edit_entries,
    talk,
    tool_lines,
)
from server_scripts import TIME_SOURCE, Said, create, load, results, scripted

from runtime.app import Place, open_registry_to_read
from runtime.testing.project import Ended, ProjectFolder
from runtime.testing.scripted_model import call, say

PAGE = "https://runtime.internal/path/en/lua/core/time"
SEARCH = "https://runtime.internal/search?..."  # what was searched for is nobody's business
GENERATED = "app.generated:current_time"


class Allow(NamedTuple):
    policy: str
    action: str
    resource: str


class Broken(NamedTuple):
    """`shown` is what the run then says; `denied` the resource of the denial in the journal.

    What may not be read is not found by who looks for it; looking is not denied, so nothing is.
    """

    shown: str
    denied: str | None = None
    code: int = 0
    beyond: bool = False  # what only a server leads to: a search, a compression


def failing(tool: str, action: str, resource: str) -> str:
    return f"[{tool}] error: not allowed: {action} on `{resource}`"


NEEDED: dict[Allow, Broken] = {
    Allow("app:agent_policy", "registry.get", "app:dev_assistant"): Broken(
        "Error: not allowed: registry.get on `app:dev_assistant`", "app:dev_assistant", 1
    ),
    Allow("app:agent_policy", "registry.get", "app:gpt-5.1"): Broken(
        "Error: Model or class not found: gpt-5.1", code=1
    ),
    Allow("app:agent_policy", "registry.get", "app:gpt-4.1-nano"): Broken(
        "[compression] error: model `gpt-4.1-nano` not found", beyond=True
    ),
    Allow("app:agent_policy", "registry.get", "app:docs_base_url"): Broken(
        failing("doc_search", "registry.get", "app:docs_base_url"), "app:docs_base_url"
    ),
    Allow("app:agent_reads_tools", "registry.get", "app.tools:*"): Broken(
        "`doc_search`, `create_tool`, `load_tool` are not among the tools that I was given"
    ),
    Allow("app:agent_reads_generated", "registry.get", "app.generated:*"): Broken(
        failing("create_tool", "registry.get", GENERATED), GENERATED
    ),
    Allow("app:agent_writes_generated", "registry.apply", "app.generated:*"): Broken(
        f"[create_tool] error: nothing was written: not allowed: registry.apply on `{GENERATED}`", GENERATED
    ),
    Allow("app:agent_calls_tools", "funcs.call", "app.tools:*"): Broken(
        failing("registry_list", "funcs.call", "app.tools:registry_list"), "app.tools:registry_list"
    ),
    Allow("app:agent_calls_generated", "funcs.call", "app.generated:*"): Broken(
        failing("current_time", "funcs.call", GENERATED), GENERATED
    ),
    Allow("app:agent_service_actor", "security.actor.create", "service:agent"): Broken(
        "[create_tool] error: the denylist could not be asked: ", "service:agent"
    ),
    Allow("app:agent_denylist", "security.policy_group.get", "app:agent_security"): Broken(
        "[create_tool] error: the denylist could not be asked: ", "app:agent_security"
    ),
    Allow("app:agent_documentation", "http_client.request", "https://runtime.internal/path/en/*"): Broken(
        failing("doc_search", "http_client.request", PAGE), PAGE
    ),
    Allow("app:agent_documentation", "http_client.request", "https://runtime.internal/search?q=*"): Broken(
        failing("doc_search", "http_client.request", SEARCH), SEARCH, beyond=True
    ),
    Allow("app:agent_models", "llm.generate", "app:gpt-5.1"): Broken(
        "Error: not allowed: llm.generate on `app:gpt-5.1`", "app:gpt-5.1", 1
    ),
    Allow("app:agent_models", "llm.generate", "app:gpt-4.1-nano"): Broken(
        "[compression] error: not allowed: llm.generate on `app:gpt-4.1-nano`",
        "app:gpt-4.1-nano",
        beyond=True,
    ),
}


def whole_loop(project: ProjectFolder) -> Ended:
    """Run a turn that does all that the agent may do, and then lets the conversation be compressed."""
    full = {"prompt_tokens": 300_001, "completion_tokens": 1, "total_tokens": 300_002}
    script: list[Said] = [
        call("doc_search", {"query": "time"}, "c1"),
        call("doc_search", {"path": "lua/core/time"}, "c2"),
        create("current_time", TIME_SOURCE, ["time"], "c3"),
        load("current_time", "c4"),
        call("current_time", {}, "c5"),
        lambda body: say(f"It is {results(body)['c5'].get('date')}.", usage=full),
        say("A summary of it."),
    ]
    with scripted(script) as model:
        return talk(project, f"{TIME}\n", "--yes", OPENAI_BASE_URL=model.base_url)


def allows_of(project: ProjectFolder) -> list[Allow]:
    """Return every allow of the command `agent` as the loaded registry has it."""
    loaded = open_registry_to_read(Place(project.root, project.state)).current
    command: Any = loaded.require("app:agent").meta["command"]
    found = []
    for policy_id in command["security"]["policies"]:
        policy: Any = loaded.require(policy_id).fields["policy"]
        assert policy["effect"] == "allow", policy_id
        for action, resource in itertools.product(listed(policy["actions"]), listed(policy["resources"])):
            found.append(Allow(policy_id, action, resource))
    return found


def listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def take_away(project: ProjectFolder, allow: Allow) -> None:
    """Take one resource out of its policy, or the policy out of the command where it is the only one."""

    def change(entries: dict[str, dict[str, Any]]) -> None:
        policy = entries[allow.policy.removeprefix("app:")]["policy"]
        rest = [each for each in listed(policy["resources"]) if each != allow.resource]
        if rest:
            policy["resources"] = rest
        else:
            agent_policies(entries).remove(allow.policy)

    edit_entries(project, change)


def test_the_table_knows_every_allow_of_the_loaded_registry(tmp_path: Path) -> None:
    allows = allows_of(application(tmp_path))
    assert sorted(allows) == sorted(NEEDED)
    for allow in allows:
        assert allow.action.strip("*.")
        assert allow.resource.strip("*:./")


def test_with_every_allow_the_whole_loop_is_done_and_nothing_is_denied(tmp_path: Path) -> None:
    project = application(tmp_path)
    ended = whole_loop(project)
    assert ended.code == 0, ended
    assert {outcome for _, outcome in tool_lines(ended.stdout)} == {"done"}
    assert [name for name, _ in tool_lines(ended.stdout)][-1] == "compression"
    assert denials(project) == []


@pytest.mark.parametrize("allow", NEEDED, ids=lambda allow: f"{allow.policy}-{allow.action}-{allow.resource}")
def test_no_allow_is_idle(tmp_path: Path, allow: Allow) -> None:
    project = application(tmp_path)
    take_away(project, allow)
    broken = NEEDED[allow]
    ended = whole_loop(project) if broken.beyond else talk(project, f"{TIME}\n", "--yes")
    assert broken.shown in ended.stdout + ended.stderr
    assert ended.code == broken.code
    assert denials(project)[:1] == ([(allow.action, broken.denied)] if broken.denied else [])


# -- the enforcer --------------------------------------------------------------------------------------------


def assert_nothing_is_allowed(project: ProjectFolder, ended: Ended, said: str) -> None:
    assert ended.code != 0
    assert said in ended.stdout + ended.stderr
    assert tool_lines(ended.stdout) == []
    assert "Traceback" not in ended.stderr
    assert project.events("llm.requested", "tool.requested") == []


def test_without_an_enforcer_nothing_is_allowed(tmp_path: Path) -> None:
    project = application(tmp_path)
    project.put("gone/casbin.py", "raise ImportError('no casbin')\n")
    path = f"{project.root / 'gone'}:{project.environment()['PYTHONPATH']}"
    ended = talk(project, f"{HASH}\n", "--yes", PYTHONPATH=path)
    assert_nothing_is_allowed(project, ended, "casbin")


def test_without_actor_and_scope_nothing_is_allowed(tmp_path: Path) -> None:
    project = application(tmp_path)
    edit_entries(project, lambda entries: entries["agent"]["meta"]["command"].pop("security"))
    ended = talk(project, f"{HASH}\n", "--yes")
    assert_nothing_is_allowed(project, ended, "Error: not allowed: registry.get on `app:dev_assistant`")


def test_a_project_can_not_turn_strict_mode_off_for_its_owner(tmp_path: Path) -> None:
    project = application(tmp_path)
    project.put(".wippy.yaml", 'version: "1.0"\nsecurity:\n  strict_mode: false\n')
    edit_entries(project, lambda entries: entries["agent"]["meta"]["command"].pop("security"))
    ended = talk(project, f"{HASH}\n", "--yes")
    assert_nothing_is_allowed(project, ended, "security.strict_mode")


@pytest.mark.parametrize("effect", ["some(where (p.eft == allow))", "!some(where (p.eft == deny))"])
def test_a_policy_model_without_one_of_its_clauses_is_refused(tmp_path: Path, effect: str) -> None:
    project = application(tmp_path)
    both = "e = some(where (p.eft == allow)) && !some(where (p.eft == deny))"
    project.replace("policies.conf", both, f"e = {effect}")
    ended = talk(project, f"{HASH}\n", "--yes")
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: policies.conf:16: the policy model is refused: ")


def test_without_a_policy_model_the_shipped_one_decides(tmp_path: Path) -> None:
    project = application(tmp_path)
    (project.root / "policies.conf").unlink()
    assert_works(project)


def test_a_deny_wins_over_the_allow_beside_it(tmp_path: Path) -> None:
    project = application(tmp_path)

    def deny_hashing(entries: dict[str, dict[str, Any]]) -> None:
        policy = {"actions": "funcs.call", "resources": "app.generated:hash_text", "effect": "deny"}
        entries["no_hashing"] = {"name": "no_hashing", "kind": "security.policy", "policy": policy}
        agent_policies(entries).append("app:no_hashing")

    edit_entries(project, deny_hashing)
    ended = talk(project, f"{HASH}\n", "--yes")
    assert failing("hash_text", "funcs.call", "app.generated:hash_text") in ended.stdout
    assert DIGEST not in ended.stdout
    assert ("funcs.call", "app.generated:hash_text") in denials(project)
    assert_complete(project)
