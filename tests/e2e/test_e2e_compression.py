"""Only what the provider reports, held against the model's own window, makes a conversation short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from e2e_parts import application, assert_complete, payload, talk
from server_scripts import scripted

from runtime.testing.scripted_model import calls, refuse, say

WINDOW = 400_000  # of gpt-5.1
SMALL_MODELS_WINDOW = 1_047_576  # of gpt-4.1-nano
LONG = "word " * 4000


def used(tokens: int) -> dict[str, Any]:
    return {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}


@pytest.mark.parametrize(
    ("options", "window"), [((), WINDOW), (("--model", "gpt-4.1-nano"), SMALL_MODELS_WINDOW)]
)
def test_reported_usage_past_three_quarters_of_the_models_own_window_compresses(
    tmp_path: Path, options: tuple[str, ...], window: int
) -> None:
    project = application(tmp_path)
    script = [
        say("At the share.", usage=used(window * 3 // 4)),
        say("Not reported.", usage=None),
        say("Past it.", usage=used(window * 3 // 4 + 1)),
        say("They said word, often."),
        say("It goes on."),
    ]
    with scripted(script) as model:
        ended = talk(project, f"{LONG}\n{LONG}\nthird\nnext\n", *options, OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0, ended
    assert ended.stdout == ("At the share.\nNot reported.\nPast it.\n[compression] done\nIt goes on.\nBye!\n")
    third, summary, after = model.requests[2:]
    assert [m["content"] for m in third.body["messages"] if m["role"] == "user"][-1] == "third"
    assert len(third.body["messages"]) == 6
    assert summary.body["model"] == "gpt-4.1-nano"
    assert [message["content"] for message in after.body["messages"][1:]] == [
        "Conversation summary:\n\nThey said word, often.",
        "next",
    ]
    assert len(project.events("context.compressed")) == 1
    assert_complete(project)


def test_compression_within_a_turn_keeps_each_group_whole_and_the_question(tmp_path: Path) -> None:
    project = application(tmp_path)
    wanted = [("registry_list", {"type": "tool"}, "a"), ("registry_read", {"id": "app:gpt-5.1"}, "b")]
    script = [
        calls(*wanted, text="Looking.", usage=used(350_000)),
        say("A list and an entry were read."),
        calls(("registry_list", {}, "c"), usage=used(10)),
        say("Done."),
    ]
    with scripted(script) as model:
        ended = talk(project, f"look {LONG}\n", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0, ended
    summarized = model.requests[1].body["messages"][-1]["content"]
    assert summarized.count("call of registry_") == summarized.count("result of registry_") == 2
    roles = [message["role"] for message in model.requests[2].body["messages"]]
    assert roles == ["system", "system", "user"]
    assert model.requests[2].body["messages"][-1]["content"].startswith("look word")
    roles = [message["role"] for message in model.requests[3].body["messages"]]
    assert roles == ["system", "system", "user", "assistant", "tool"]
    compressed = payload(project.events("context.compressed")[0])
    assert compressed["text"] == "A list and an entry were read."
    assert compressed["characters_after"] < compressed["characters_before"]
    assert_complete(project)


def test_a_summary_is_cut_to_its_bound(tmp_path: Path) -> None:
    project = application(tmp_path)
    script = [say("First.", usage=used(300_001)), say("x" * 9000), say("y" * 9000), say("Second.")]
    with scripted(script) as model:
        ended = talk(project, f"{LONG}\nnext\n", OPENAI_BASE_URL=model.base_url)
    assert "Bye!" in ended.stdout
    kept = [m["content"] for m in model.requests[-1].body["messages"] if m["role"] == "system"][-1]
    assert len(kept) <= 4000 + len("Conversation summary:\n\n")
    assert_complete(project)


def test_a_compression_that_fails_changes_nothing(tmp_path: Path) -> None:
    project = application(tmp_path)
    script = [say("First.", usage=used(300_001)), refuse(400, "no summaries today"), say("Second.")]
    with scripted(script) as model:
        ended = talk(project, f"{LONG}\nnext\n", OPENAI_BASE_URL=model.base_url)
    assert ended.code == 0
    assert "[compression] error: " in ended.stdout
    assert [m["role"] for m in model.requests[-1].body["messages"]] == ["system", "user", "assistant", "user"]
    assert_complete(project)
