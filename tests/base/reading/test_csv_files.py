"""What a CSV may not hold: each is refused with its line, in memory and by counts."""

import gzip

import numpy as np
import pytest

from fairpairs.audits.counting.rows import Rows
from fairpairs.base.errors import InputError
from fairpairs.base.reading import packed
from fairpairs.base.reading.csv_files import _whole_lines
from fairpairs.base.reading.table import Table

HEADER = "y,name,a"
ROWS = [f"{i % 2},n{i},{'fm'[i % 3 % 2]}" for i in range(60)]
QUOTED = [",".join(f'"{cell}"' for cell in row.split(",")) for row in ROWS]


def text(rows=ROWS, end="\n", header=HEADER):
    return end.join([header, *rows, ""])


def changed(row, new):
    rows = list(ROWS)
    rows[row] = new
    return text(rows)


REFUSED = {
    "nothing": ("", "the file is empty: give a CSV with a header"),
    "blank lines": ("\n\n", "the file is empty"),
    "the header in the middle": (text([*ROWS[:20], HEADER, *ROWS[20:]]), "line 22 is the header"),
    "the header at the end": (text([*ROWS, HEADER]), "line 62 is the header again: delete it"),
    "the header in quotes": (text([*ROWS[:20], '"y","name","a"', *ROWS[20:]]),
        "line 22 is the header again"),
    "the header of a file with a mark": (text([*ROWS[:20], "\ufeff" + HEADER, *ROWS[20:]]),
        "line 22 is the header again"),
    "the header in other case, with blanks": (text([*ROWS, "Y, Name, A "]),
        "line 62 is the header again"),
    "the header below blank lines": ("\n\n" + text([*ROWS, "Y,name,A"]), "line 64 is the header"),
    "a short row": (changed(9, "1,n9"), r"line 11 has 2 cell\(s\) and the header 3"),
    "a long row": (changed(9, "1,n9,f,x"), r"line 11 has 4 cell\(s\) and the header 3"),
    "a long row, the last empty": (changed(9, "1,n,9,"), "line 11 has more cells than the header"),
    "an empty text more": (changed(9, '1,n9,f,""'), "line 11 has more cells than the header"),
    "all rows longer": (text([f"{i},{row}," for i, row in enumerate(ROWS)]), "line 2 has more"),
    "longer beside quotes": (changed(9, "1,n,9,").replace("n0,", '"n,0",'),
        "line 11 has more cells than the header"),
    "text after a quote": (changed(9, '1,"n"9,f'), "line 11 is not of a CSV table"),
    "an open quote": (changed(9, '1,"n9,f'), "line 11 is the first with an odd number of quotes"),
    "two open quotes": (text([row.replace("n9", '"n9').replace("n12", '"n12') for row in ROWS]),
        "line 11 is not of a CSV table"),
    "rows between two quotes": (
        text([row.replace("n9,", '",').replace("n12,", 'n12",') for row in ROWS]),
        "a cell of column `name` holds 4 lines that are rows of the table"),
    "rows between two quotes, in returns": (
        text([row.replace("n9,", '",').replace("n12,", 'n12",') for row in ROWS], "\r"),
        "a cell of column `name` holds 4 lines that are rows of the table"),
    "a quote more, and one of a text": (
        text([*QUOTED[:9], '""","n9","f"', '"",",0",""', *QUOTED[11:]]),
        r"line 11 is the first with an odd number of quotes, and so is that of the file \(361\)"),
    "cells of a row between a quote more and one of a text": (
        text([*QUOTED[:9], '""","n9",",,0"', *QUOTED[10:]]),
        "line 11 is the first with an odd number of quotes"),
    "rows from a quote to the end of a cell": (
        text([row.replace("n9,", '"n9,').replace("n30,", 'n30",') for row in ROWS]),
        "a cell of column `name` holds 22 lines"),
    "mixed line ends": (text(end="\r\n").replace("n9,f\r\n", "n9,f\n"),
        "line 11 ends in another way than those before"),
    "a return in a cell": (changed(9, "1,n\r9,f"), "line 11 ends in another way"),
    "a zero byte": (changed(9, "1,n\0,f"), "it has zero bytes"),
    "a row of blanks": (changed(9, "   "), r"line 11 has 1 cell\(s\)"),
    "a quote with a backslash": (changed(9, r'1,"n\"9",f'),
        "line 11 is the first with an odd number of quotes"),
}  # fmt: skip


@pytest.mark.parametrize("packed_", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", REFUSED)
def test_rows_that_would_be_lost_or_joined_are_refused(tmp_path, name, packed_):
    content, words = REFUSED[name]
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(content.encode()) if packed_ else content.encode())
    for read in (Table, lambda path: Rows.of_files([path]).cells(["y", "a"], [])):
        with pytest.raises(InputError, match=words) as raised:
            read(path)
        assert str(raised.value).startswith(str(path))


READ = {
    "plain": text(),
    "returns and line feeds": text(end="\r\n"),
    "returns": text(end="\r"),
    "without a last end": text().removesuffix("\n"),
    "blank lines": text([*ROWS[:9], "", *ROWS[9:], "", ""]),
    "blank lines first": "\n\n" + text(),
    "the line for Excel first": "sep=;\n" + text().replace(",", ";"),
    "it after a mark": "\ufeffSEP=|\r\n" + text(end="\r\n").replace(",", "|"),
    "a mark first": "\ufeff" + text(),
    "quotes": text(QUOTED),
    "blanks": text([row.replace(",", ", ") for row in ROWS]),
    "a quote within a cell": text([row.replace("n9,", '9" pipe,') for row in ROWS]),
    "lines of a text": text(
        [row.replace("n9,", '"one, two\nthree, four\n, five",') for row in ROWS]
    ),
    "a word as the header of its column": text([row.replace("n9,", "name,") for row in ROWS]),
    "missing last cells": text([row if i else row[:-1] for i, row in enumerate(ROWS)]),
}


@pytest.mark.parametrize("block", [16, 1 << 22])
@pytest.mark.parametrize("name", READ)
def test_what_is_no_mistake_is_read(tmp_path, monkeypatch, name, block):
    monkeypatch.setattr(packed, "BLOCK", block)
    path = tmp_path / "t.csv"
    path.write_text(READ[name], "utf-8", newline="")
    table, rows = Table(path), Rows.of_files([path])
    assert len(table) == len(rows) == len(ROWS)
    assert table.words("y").tolist() == [row[0] for row in ROWS]
    assert table.missing("a").sum() == (name == "missing last cells")
    assert int(rows.cells(["y"], []).count.sum()) == len(ROWS)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_first_column_may_have_no_name(tmp_path, mark):
    path = tmp_path / "t.csv"
    rows = [",y,name", *(f"{i},{i % 2},n" for i in range(9))]
    path.write_text(text(rows[1:], header=rows[0]).replace(",", mark))
    table = Table(path)
    assert table.columns == ["y", "name"]
    assert table.words("y").tolist() == list("010101010")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inner", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("rows", [["1;f", "0;m"], ['"1";"f"', '"0";"m"']])
def test_a_name_of_several_lines_loses_no_rows(tmp_path, mark, end, inner, rows):
    path = tmp_path / "t.csv"
    header = f'"y{inner}(0, 1)";a'
    path.write_bytes((mark + end.join([header, *rows, ""])).encode())
    if mark or inner != end:
        with pytest.raises(
            InputError, match=r"column 'y.*\(0, 1\)' has several lines: write it in"
        ):
            Table(path)
        return
    table = Table(path)
    assert table.columns == [f"y{inner}(0, 1)", "a"]
    assert table.words("a").tolist() == ["f", "m"]
    assert len(Rows.of_files([path])) == 2


@pytest.mark.parametrize("seed", range(20))
def test_one_quote_more_or_less_is_refused_or_changes_no_row(tmp_path, seed):
    rng = np.random.default_rng(seed)
    path = tmp_path / "t.csv"
    content = READ["quotes"] if seed % 2 else text()
    path.write_text(content)
    expected = Table(path).words("y").tolist()
    for _ in range(10):
        at = int(rng.integers(len(HEADER) + 1, len(content)))
        if content[at] == '"' and rng.random() < 0.5:
            path.write_text(content[:at] + content[at + 1 :])
        else:
            path.write_text(content[:at] + '"' + content[at:])
        try:
            found = Table(path)
        except InputError:
            continue
        assert len(found) == len(ROWS)
        y = found.frame()["y"].str.strip('"').tolist()
        assert y == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 7, 64])
def test_blocks_are_of_whole_lines(tmp_path, monkeypatch, end, size):
    monkeypatch.setattr(packed, "BLOCK", size)
    path = tmp_path / "t.csv"
    path.write_bytes(text(end=end).encode())
    blocks = list(_whole_lines(path))
    assert b"".join(blocks) == path.read_bytes()
    assert all(block.endswith(end.encode()) for block in blocks)
