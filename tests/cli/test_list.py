import pytest

from fairpairs.papers.inventory import inventory


@pytest.mark.slow
def test_all_names_are_listed_with_a_line_on_each(ran, request, monkeypatch):
    monkeypatch.chdir(request.config.rootpath)
    out = ran("list")
    for lines in inventory().values():
        for name, line in lines.items():
            assert f"{name} " in out and line in out
    assert "Data sets (" in out and "compas " in out


@pytest.mark.slow
def test_parts_of_extensions_are_listed(ran, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("one", "two"):
        (tmp_path / folder / "treatments").mkdir(parents=True)
        (tmp_path / folder / f"treatments/of_{folder}.py").write_text(f'"""Of {folder}."""\n')
    out = ran("list", "--extensions", "one,two")
    assert out == ran("list", "--extensions", "one", "--extensions", "two")
    assert "of_one           Of one.\n" in out and "Of two." in out
    said = refused("list", "--extensions", "none")
    assert "fairpairs: --extensions: none has none of the folders treatments, " in said
    assert "--extensions: '' names nothing: " in refused("list", "--extensions", "")


@pytest.mark.slow
def test_the_page_of_the_docs_lists_the_same(request):
    import importlib.util

    spec = importlib.util.spec_from_file_location(
        "hook", request.config.rootpath / "docs/generated_pages.py"
    )
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    page = hook._list()
    for lines in inventory().values():
        for name, line in lines.items():
            assert f"| `{name}` | {line} |" in page
    assert "| `compas` | ProPublica" in page
