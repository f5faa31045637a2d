"""Ids: what is well formed, what a reference means in its namespace, and run ids that sort by time."""

from __future__ import annotations

import uuid

import pytest

from runtime.core.errors import Invalid
from runtime.core.ids import check_id, new_id, qualify, split_id


@pytest.mark.parametrize("entry_id", ["app:x", "app.tools:doc_search", "app:__dep.llm", "a-b.c:d-e.f", "1:2"])
def test_a_well_formed_id_is_accepted(entry_id: str) -> None:
    assert check_id(entry_id) == entry_id
    assert ":".join(split_id(entry_id)) == entry_id


@pytest.mark.parametrize(
    "entry_id",
    [
        "",
        "app",
        ":x",
        "app:",
        "a:b:c",
        "a..b:c",
        ".a:b",
        "a b:c",
        "app:x\n",
        "app:\u00e9",
        "app:../x",
        "a:*",
        "-a:b",
    ],
)
def test_a_malformed_id_is_refused_and_quoted(entry_id: str) -> None:
    with pytest.raises(Invalid) as caught:
        check_id(entry_id)
    assert f"`{entry_id}`" in caught.value.message


def test_a_reference_without_namespace_belongs_to_the_one_it_stands_in() -> None:
    assert qualify("x", "app") == "app:x"
    assert qualify("other:x", "app") == "other:x"


def test_run_ids_are_uuids_of_version_7_and_never_repeat() -> None:
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {uuid.UUID(text).version for text in ids} == {7}
    assert [text[:8] for text in ids] == sorted(text[:8] for text in ids)
