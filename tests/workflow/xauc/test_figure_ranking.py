"""The rule figure_ranking, and what the report shows of a ranking."""

import re
from xml.etree import ElementTree

from fairpairs.papers.datasets.prepared import read_roles
from fairpairs.papers.experiments.summaries import read_summaries
from fairpairs.papers.studies.xauc.figures import forest, group_names
from fairpairs.papers.studies.xauc.study import FIGURES
from fairpairs.papers.studies.xauc.tables import ranking_rows

STEM = "results/figures/xauc/loans"
SVG = "{http://www.w3.org/2000/svg}"


def test_the_differences_are_drawn_from_the_summary(ranked, tmp_path):
    assert {f"{STEM}.png", f"{STEM}.svg"} <= set(ranked.files("results/figures/xauc"))
    paths = [ranked / f"results/summaries/loans{part}.parquet" for part in ("", ".estimates")]
    names = group_names([read_roles(ranked / "data/prepared/loans.json")])
    forest(tmp_path / "figure.svg", ranking_rows(read_summaries(paths)["loans"]), names)
    for ending in ("svg", "png"):
        expected = (tmp_path / f"figure.{ending}").read_bytes()
        assert (ranked / f"{STEM}.{ending}").read_bytes() == expected


def test_the_figure_names_what_it_shows(ranked):
    svg = ElementTree.fromstring((ranked / f"{STEM}.svg").read_bytes())
    text = ["".join(part.itertext()) for part in svg.iter(f"{SVG}text")]
    for word in ("Loans, sex", "Loans, region", "ΔxAUC", "ΔxAUC_0"):
        assert text.count(word) == 1


def test_the_report_has_the_ranking_with_its_figures(ranked):
    page = ranked.text("results/report.html")
    part = page.partition('<h4 id="ranking">Do the scores rank fairly?</h4>')[2]
    part = re.split("<h2|</section>", part)[0]
    assert part.count("<svg") == part.count("</svg>") == len(FIGURES)  # one more stands above
    for title in FIGURES.values():
        assert f"<figcaption>{title}." in part
    row = ranked.frame("results/tables/xauc/loans.csv").set_index(["attribute", "measure"])
    row = row.loc[("sex", "xAUC(1,0)")]
    assert f"{row['mean']:.3f} ± {row['standard_error']:.3f} [{row['own_error']:.3f}]" in part
    assert "Does a treatment that repairs" not in part  # there is none
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    words = re.sub(r"<svg.*?</svg>", "", page, flags=re.S)
    assert not re.search(r"\b(nan|NaN|Undefined)\b", words)
