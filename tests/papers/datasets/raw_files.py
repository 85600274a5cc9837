"""Raw files of people and of faces."""

PEOPLE = """\
age,city,gender,outcome,year,name
30,Ash,m,good,2020,Ann
40.5,Birk,f,bad,2021,Bob
25,Ash,f,good,2021,Cid
50,Cole,m,bad,2022,Dot
"""
FACES = """\
Filename,P1,P2,Mean,Score
AF1.jpg,1,2,1.5,1.5
AM2.jpg,5,,5,5
CF3.jpg,3,3,3,3
CM10.jpg,,4.5,4.5,4.5
"""


def with_value(row, column, value):
    """PEOPLE with another value in one place."""
    rows = [line.split(",") for line in PEOPLE.splitlines()]
    rows[row][rows[0].index(column)] = value
    return "\n".join(",".join(r) for r in rows) + "\n"
