"""Which files are read, what an entry gets from its file, and how far `file://` reaches."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.core.errors import Many, NotFound, Place
from runtime.registry.assemble import Tree, assemble
from runtime.registry.entry import Entry, Origin
from runtime.registry.loader import load_tree

Write = Callable[[dict[str, str]], Path]


@pytest.fixture
def tree(tmp_path: Path) -> Write:
    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return tmp_path

    return write


def load(root: Path) -> dict[str, Entry]:
    return {entry.id: entry for entry in load_tree(root / "src", project=root)}


ONE = "namespace: {}\nentries:\n  - name: {}\n    kind: registry.entry\n"


def test_all_yaml_and_json_files_are_read_in_lexical_order(tree: Write) -> None:
    root = tree(
        {
            "src/b/_index.yaml": ONE.format("b", "x"),
            "src/a.yml": ONE.format("a", "y"),
            "src/c.json": '{"namespace": "c", "entries": [{"name": "z", "kind": "registry.entry"}]}',
        }
    )
    assert list(load(root)) == ["a:y", "b:x", "c:z"]


def test_files_of_others_are_skipped(tree: Write) -> None:
    root = tree(
        {
            "src/_index.yaml": ONE.format("a", "x"),
            "src/wippy.yaml": "organization: acme\n1: key of no concern\n!tag a: b\n",
            "src/list.json": "[1, 2]",
            "src/empty.yaml": "",
            "src/.hidden.yaml": "not: [yaml",
            "src/.git/x.yaml": "not: [yaml",
            "src/node_modules/x.yaml": "not: [yaml",
            "src/_index.yaml~": "not: [yaml",
            "src/4913": "not: [yaml",
            "src/readme.txt": "not: [yaml",
        }
    )
    assert list(load(root)) == ["a:x"]


def test_the_meta_of_the_file_lies_under_that_of_each_entry(tree: Write) -> None:
    text = "namespace: a\nmeta: {team: core, tags: [x]}\nentries:\n"
    text += "  - {name: one, kind: registry.entry}\n"
    text += "  - {name: two, kind: registry.entry, meta: {tags: [y], n: 1}}\n"
    entries = load(tree({"src/a.yaml": text}))
    assert entries["a:one"].meta == {"team": "core", "tags": ["x"]}
    assert entries["a:two"].meta == {"team": "core", "tags": ["y"], "n": 1}


def test_data_is_the_field_data_or_everything_else(tree: Write) -> None:
    text = "namespace: a\nentries:\n  - {name: plain, kind: registry.entry, version: 1, x: {y: 2}}\n"
    text += "  - {name: own, kind: registry.entry, data: [1, 2], ignored: true}\n"
    entries = load(tree({"src/a.yaml": text}))
    assert entries["a:plain"].data == {"version": 1, "x": {"y": 2}}
    assert entries["a:own"].data == [1, 2]
    assert entries["a:own"].fields == {}


def test_a_file_may_be_one_entry(tree: Write) -> None:
    text = 'version: "1.0"\nnamespace: a\nname: only\nkind: registry.entry\n'
    text += "meta: {type: t}\nrequirements: []\ncolor: red\n"
    entry = load(tree({"src/a.yaml": text}))["a:only"]
    assert (entry.meta, entry.data, entry.place) == (
        {"type": "t"},
        {"color": "red"},
        Place("src/a.yaml", 1, 1),
    )


def test_no_entries_is_an_answer(tree: Write) -> None:
    assert (
        load(tree({"src/a.yaml": "namespace: a\nentries: []\n", "src/b.yaml": "namespace: b\nentries:\n"}))
        == {}
    )


def test_an_entry_knows_where_it_and_its_fields_stand(tree: Write) -> None:
    text = "namespace: a\nentries:\n  - name: one\n    kind: registry.entry\n    list: [p, q]\n"
    text += "  - name: two\n    kind: registry.entry\n    data:\n      deep:\n        er: 1\n"
    entries = load(tree({"src/a.yaml": text}))
    assert entries["a:one"].place == Place("src/a.yaml", 3, 5)
    assert entries["a:one"].place_of("data", "list", 1) == Place("src/a.yaml", 5, 15)
    assert entries["a:two"].place_of("data", "deep", "er") == Place("src/a.yaml", 10, 9)
    assert entries["a:two"].place_of("data", "deep", "absent") == Place("src/a.yaml", 9, 7)
    assert entries["a:two"].place_of("kind") == Place("src/a.yaml", 7, 5)


def test_file_references_are_read_at_any_depth(tree: Write) -> None:
    root = tree(
        {
            "src/deep/_index.yaml": "namespace: a\nentries:\n  - name: f\n    kind: library.lua\n"
            "    meta: {docs: ['file://../top.md', 'see file://x']}\n    source: file://code/f.lua\n"
            "  - name: g\n    kind: library.lua\n    source: file:///deep/code/f.lua\n",
            "src/deep/code/f.lua": "return 1\n",
            "src/top.md": "# Top",
        }
    )
    entries = load(root)
    assert entries["a:f"].fields["source"] == entries["a:g"].fields["source"] == "return 1\n"
    assert entries["a:f"].meta["docs"] == ["# Top", "see file://x"]
    assert entries["a:f"].source_name == entries["a:g"].source_name == "src/deep/code/f.lua"


def test_a_source_written_in_the_yaml_is_named_by_its_entry(tree: Write) -> None:
    entries = load(
        tree({"src/a.yaml": "namespace: a\nentries:\n  - {name: f, kind: library.lua, source: return 1}\n"})
    )
    assert entries["a:f"].source_name == "a:f"


@pytest.mark.parametrize(
    "reference", ["file://link.lua", "file://linked/secret.lua", "file:///linked/secret.lua"]
)
def test_a_link_that_leaves_the_folder_is_refused(tree: Write, reference: str) -> None:
    text = f"namespace: a\nentries:\n  - {{name: f, kind: library.lua, source: '{reference}'}}\n"
    root = tree({"src/a.yaml": text, "outside/secret.lua": "return 'secret'"})
    (root / "src/link.lua").symlink_to(root / "outside/secret.lua")
    (root / "src/linked").symlink_to(root / "outside")
    with pytest.raises(Many, match="path traversal detected") as refused:
        load(root)
    assert "return" not in str(refused.value)


def test_a_linked_yaml_file_outside_and_a_loop_of_links_are_errors(tree: Write) -> None:
    root = tree({"src/_index.yaml": ONE.format("a", "x"), "outside/o.yaml": ONE.format("o", "x")})
    (root / "src/o.yaml").symlink_to(root / "outside/o.yaml")
    (root / "src/loop.yaml").symlink_to(root / "src/loop.yaml")
    with pytest.raises(Many) as refused:
        load(root)
    assert [error.place.path for error in refused.value.errors if error.place] == [
        "src/loop.yaml",
        "src/o.yaml",
    ]


def test_a_pipe_is_not_waited_for(tree: Write) -> None:
    root = tree(
        {"src/a.yaml": "namespace: a\nentries:\n  - {name: f, kind: library.lua, source: 'file://p'}\n"}
    )
    os.mkfifo(root / "src/p")
    os.mkfifo(root / "src/q.yaml")
    with pytest.raises(Many) as refused:
        load(root)
    assert str(refused.value).count("it is not a regular file") == 2


def test_json_files_are_json(tree: Write) -> None:
    good = '{"namespace": "a",\n\t"entries": [{"name": "x", "kind": "registry.entry",\n'
    good += '\t"t": "\\ud83d\\ude00 \\/ \\\\ud83d"}]}'
    assert load(tree({"src/a.json": good}))["a:x"].data == {"t": "\U0001f600 / \\ud83d"}
    bad = {"comment.json": "{} // no", "double.json": '{"namespace": "b", "namespace": "c"}'}
    bad |= {"nan.json": '{"namespace": "b", "x": NaN}', "deep.json": "[" * 100_000}
    with pytest.raises(Many) as refused:
        load(tree({f"src/{name}": text for name, text in bad.items()}))
    texts = [str(error) for error in refused.value.errors]
    assert texts[0] == "src/comment.json:1:4: invalid JSON: extra data"
    assert texts[1].startswith("src/deep.json")
    assert texts[2] == "src/double.json:1:20: key `namespace` is written twice, first at src/double.json:1:2"
    assert texts[3] == "src/nan.json: invalid JSON: `NaN` is not a JSON number"


def test_every_fault_of_every_file_is_reported_at_once(tree: Write) -> None:
    root = tree(
        {
            "src/a.yaml": "namespace: a\nentries:\n  - {name: x, kind: nonsense.kind}\n  - {name: y}\n",
            "src/b.yaml": "namespace: [\n",
            "src/c.yaml": "namespace: a\nentries:\n  - {name: ok, kind: library.lua, source: x, sauce: y}\n",
            "other/d.yaml": "namespace: a\nentries:\n  - {name: ok, kind: registry.entry}\n",
        }
    )
    with pytest.raises(Many) as refused:
        assemble([Tree(root / "src", root), Tree(root / "other", root)])
    places = [str(error.place) for error in refused.value.errors]
    assert places == [
        "other/d.yaml:3:6",
        "src/a.yaml:3:15",
        "src/a.yaml:4:5",
        "src/b.yaml:2:1",
        "src/c.yaml:3:46",
    ]


def test_modules_get_their_origin_and_meta_from_whoever_loads_them(tree: Write) -> None:
    root = tree(
        {
            "src/a.yaml": "namespace: a\nentries:\n"
            "  - {name: x, kind: registry.entry, meta: {module: forged}}\n"
        }
    )
    (entry,) = load_tree(root / "src", project=root, origin=Origin.MODULE, meta={"module": "acme/a"})
    assert (entry.origin, entry.meta) == (Origin.MODULE, {"module": "acme/a"})


def test_a_missing_source_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="source folder `src` does not exist"):
        load_tree(tmp_path / "src", project=tmp_path)
