import re

from fairpairs.papers.inventory import inventory


def test_all_names_are_listed_with_a_line_on_each(ran, request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)
    out = ran("list")
    for parts in inventory().values():
        for name, columns in parts.items():
            assert f"{name} " in out and all(text in out for text in columns.values())
    assert "Data sets (" in out and "compas " in out


def test_parts_of_extensions_are_listed(ran, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "\n\n\ndef weights(y, sensitive_features):\n    return y\n\n\nTREATMENT = weights\n"
    for folder in ("one", "two"):
        (tmp_path / folder / "treatments").mkdir(parents=True)
        file = tmp_path / folder / f"treatments/of_{folder}.py"
        file.write_text(f'"""Of {folder}."""{code}')
    out = ran("list", "--extensions", "one,two")
    assert out == ran("list", "--extensions", "one", "--extensions", "two")
    assert re.search(r"^of_one +weights +Of one\.", out, re.M) and "Of two." in out
    said = refused("list", "--extensions", "none")
    assert "fairpairs: --extensions: none has none of the folders treatments, " in said
    assert "--extensions: '' names nothing: " in refused("list", "--extensions", "")


def test_the_page_of_the_docs_lists_the_same(request):
    import importlib.util

    spec = importlib.util.spec_from_file_location(
        "hook", request.config.rootpath / "docs/generated_pages.py"
    )
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    page = hook._list()
    for parts in inventory().values():
        for name, columns in parts.items():
            assert f"| `{name}` | {' | '.join(columns.values())} |" in page
    assert "| `compas` | ProPublica" in page
