"""The page of P1: what it transcribes, which data it draws, and that its claims follow the rows."""

from __future__ import annotations

import functools
import itertools
import math
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.data import REAL
from benchmarks.papers import common, p1, p1_claims, p1_growth, p1_readings, p1_words
from benchmarks.papers.p1_published import ITEMS, KS, METHODS, PUBLISHED, implied, published
from shoal.errors import OptionError
from shoal.evaluation import grid_file
from shoal.evaluation.grid import Grid
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.metrics.ncp import NCP
from shoal.models.sensitive_k import SensitiveK
from shoal.models.transactional_k import TransactionalK

needs_data = pytest.mark.skipif(not REAL.is_dir(), reason="needs the real data sets (SHOAL_DATA)")


def load(name: str) -> Grid:
    """A named grid on the real data."""
    return grid_file.load(grid_file.named()[name], REAL)


def test_the_published_tables_are_whole_and_possible() -> None:
    assert set(PUBLISHED) == set(ITEMS) == set(p1.SETS)
    for name, table in PUBLISHED.items():
        assert tuple(table) == METHODS
        assert {len(values) for values in table.values()} == {len(KS)}
        for method in METHODS:
            for k in KS:
                modified = implied(name, method, k)
                assert 0 < modified < ITEMS[name]
                assert math.isclose(k * 2 ** (modified - ITEMS[name]), published(name, method, k))
    assert PUBLISHED["D1"]["K-NN"] == PUBLISHED["D2"]["K-NN"]  # as printed


@needs_data
def test_the_grids_hold_every_cell_of_the_figures() -> None:
    cases = load("p1").cases
    assert {case.method for case in cases} == set(p1.NAMES) - {"stn, shortage merge"}
    assert len(cases) == len(p1.SETS) * 6 * len(KS) * (len(p1.NAMES) - 1)
    for name in ("p1-variants", "p1-webview", "p1-growth"):
        assert {case.method for case in load(name).cases} < set(p1.NAMES)
    assert {case.data.label for case in load("p1-growth").cases} > {p1_growth.BASE}


@needs_data
@pytest.mark.parametrize(("name", "seed"), [("D1", 11), ("D3", 2029), ("D4", 1)])
def test_drawn_data_have_the_shape_and_the_share_that_the_page_tells(name: str, seed: int) -> None:
    case = next(case for case in load("p1").cases if (case.data.label, case.seed) == (name, seed))
    problem, found = case.problem(), p1._drawn(case)
    holders = sum(bool(row) for row in problem.prepared.sensitive.sets())
    assert found["sensitive rows"] == holders
    assert 0.01 <= holders / found["rows"] <= 0.05
    assert len(problem.prepared.items.labels) + len(problem.model.sensitive) == ITEMS[name]  # type: ignore[attr-defined]
    assert found["most"][3] <= found["most"][20]


def test_a_model_without_sensitive_items_sees_the_same_rows() -> None:
    generator = {"rows": 400, "items": 12, "mean_size": 4, "mean_pattern": 2, "patterns": 20}
    toy = DatasetSpec(label="toy", generate="quest", generator=generator, secrets=2, secrets_most=0.5)
    both = toy.problem(SensitiveK(k=3, sensitive=("drawn",)), NCP(), 1)
    plain = toy.problem(TransactionalK(k=3), NCP(), 1)
    assert len(both.model.sensitive_labels) == 2
    pairs = zip(both.prepared.items.sets(), both.prepared.sensitive.sets(), strict=True)
    assert [known | hidden for known, hidden in pairs] == list(plain.prepared.items.sets())
    with pytest.raises(OptionError, match="needs sensitive items"):
        SensitiveK(k=3)


def made(values: dict[str, float], seeds: tuple[int, ...] = (1, 2)) -> list[dict[str, Any]]:
    """Rows of all data sets, some seeds and all k: a value for each method, times k."""
    return [
        {
            "data": name,
            "seed": seed,
            "k": k,
            "method": method,
            **dict.fromkeys(p1_readings.MEANS, value * k),
            "ms": value * k,
            "privacy_value": value,
            "records": 1_000,
            "cpu_seconds": 1.0,
            "verified": True,
        }
        for name, seed, k, (method, value) in itertools.product(p1.SETS, seeds, KS, values.items())
    ]


PAPER = {
    "STN": 9.0,
    "GSC": 8.0,
    "K-NN": 7.0,
    "K-NN, GSC order": 6.9,
    "K-NN, STN order": 7.2,
    "GraySort": 1.0,
    "Sort APX Cover": 2.0,
}


def verdicts(rows: list[dict[str, Any]]) -> dict[str, str]:
    """By what is claimed, the verdict."""
    return {claim.says: claim.verdict for claim in p1_claims.claims(rows)}


def failing(rows: list[dict[str, Any]]) -> set[str]:
    """What does not hold."""
    return {says for says, verdict in verdicts(rows).items() if verdict != "holds"}


IMPOSSIBLE = {  # for rows with one value for each method
    "STN's running time is reduced as k increases",
    "GSC performs better on BMS-WebView-1 (operations)",
    "GSC has the least information loss (KL) on BMS-WebView-1",
    "STN shows higher privacy values on artificial data, K-NN on real-world data",
    "If the Gray codes can be reused, GSC requires less running time",
}


def test_claims_hold_where_the_rows_are_as_the_paper_says() -> None:
    assert failing(made(PAPER)) == IMPOSSIBLE
    assert verdicts(made(PAPER))["STN shows higher privacy values on artificial data, K-NN on real-world data"] == (
        "depends on the data: holds for D1, D2, D3"
    )
    assert verdicts(made(PAPER))["If the Gray codes can be reused, GSC requires less running time"] == (
        "cannot be judged here"  # GSC is slower than K-NN, but our times include making the codes
    )
    best = made(PAPER | {"GSC": 6.0})
    assert IMPOSSIBLE - failing(best) == {
        "GSC performs better on BMS-WebView-1 (operations)",
        "GSC has the least information loss (KL) on BMS-WebView-1",
        "If the Gray codes can be reused, GSC requires less running time",
    }


@pytest.mark.parametrize(
    ("measure", "method", "factor", "fall"),
    [
        ("ms", "K-NN", 2, ["K-NN has the shortest running time"]),
        ("operations", "GSC", 2, ["GSC requires fewer operations than STN", "GSC and K-NN have similar performance"]),
        ("operations", "GSC", 0.8, ["K-NN outperforms GSC on synthetic data"]),
        (
            "operations",
            "K-NN, GSC order",
            1.2,
            [
                "K-NN in GSC's order requires the fewest operations of the three orders, for all data sets",
                "K-NN in GSC's order overall outperforms the three (operations)",
                "The differences between the orders are not very significant",
            ],
        ),
        ("operations", "K-NN", -1, ["When k increases, operations increase for all algorithms"]),
        ("kl", "GSC", 2, ["GSC has less information loss (KL) than STN"]),
        ("kl", "K-NN", 2, ["K-NN has less information loss (KL) than STN"]),
        ("kl", "K-NN, GSC order", 2, ["K-NN in GSC's order has the least information loss (KL) of the three orders"]),
        ("privacy_value", "K-NN", 0.2, ["STN, GSC and K-NN have higher privacy values than Sort APX Cover"]),
        ("privacy_value", "GraySort", 7.5, ["STN, GSC and K-NN have higher privacy values than GraySort"]),
        ("privacy_value", "GraySort", 2.5, ["GraySort has the lowest privacy values"]),
        ("privacy_value", "STN", 0.8, ["STN has the highest privacy value"]),
    ],
)
def test_a_claim_falls_if_its_rows_change(measure: str, method: str, factor: float, fall: list[str]) -> None:
    rows = made(PAPER)
    for row in rows:
        row[measure] *= factor if row["method"] == method else 1
    assert set(fall) <= failing(rows) - IMPOSSIBLE


def test_a_claim_that_is_true_on_some_data_names_them() -> None:
    rows = made(PAPER)
    for row in rows:
        row["operations"] *= 2 if (row["method"], row["data"]) == ("K-NN", "D4") else 1
    assert verdicts(rows)["K-NN requires fewer operations than STN"] == "depends on the data: holds for D1, D2, D3"
    one = next(claim for claim in p1_claims.claims(rows) if claim.says.startswith("K-NN requires fewer"))
    assert one.seen == "D1 14 of 14, D2 14 of 14, D3 14 of 14, D4 0 of 14"
    assert one.count == "42 of 56, 8 seeds"


def test_a_reading_names_methods_as_the_paper_does() -> None:
    rows = [{"method": name} for name in p1.NAMES.values()]
    for reading in p1_readings.READINGS:
        assert {row["method"] for row in p1_readings.read(rows, reading)} == set(PAPER)


def test_the_summary_sorts_claims_by_the_readings_in_which_they_hold() -> None:
    good, bad = p1_claims.claims(made(PAPER)), p1_claims.claims(made({name: 10 - v for name, v in PAPER.items()}))
    text = "\n".join(p1_words.in_short({"this": good, "that": bad}))
    assert f"- *this*: of {len(good)} claims, {len(good) - len(IMPOSSIBLE)} hold" in text
    assert f"*this* makes the most claims true, {len(good) - len(IMPOSSIBLE)} of {len(good)}. No reading" in text
    both = "\n".join(p1_words.in_short({"this": good, "that": good}))
    assert "The readings *this* and *that* make the most claims true" in both
    every, some, none = (text.index(head) for head in ("in every reading:", "in some readings:", "in any reading:"))
    assert every < text.index("operations increase for all algorithms (Fig. 4).") < some
    assert some < text.index("GSC requires fewer operations than STN (Fig. 4): *this*.") < none
    assert none < text.index("STN's running time is reduced as k increases (Fig. 3).")
    told = "\n".join(p1_words.found({"this": good, "that": bad}, "Fig. 3"))
    assert "K-NN has the shortest running time. Here: holds (*this*); **does not hold** (*that*)." in told
    assert "STN's running time is reduced as k increases. Here: **does not hold**." in told


@functools.cache
def whole_page() -> dict[str, str]:
    """The texts of the page from made rows."""
    values = {name: float(at) for at, name in enumerate(p1.NAMES.values(), 2)}
    settings = ("D1, shorter rows: T4.I2", "D1, longer rows: T12.I4")
    rows = made(values, (1,))
    others = [{**row, "data": name} for name in settings for row in rows if row["data"] == "D1"]
    facts = [
        {"data": name, "seed": 1, "rows": 1_000, "sensitive rows": 300, "mean size": 3.0, "share": 5.0, "bare": 50.0}
        | {"their mean size": 4.0, "sensitive items": 60, "most": dict.fromkeys(KS, 5.0)}
        for name in (*p1.SETS, *settings)
    ]
    paper = [row for row in rows if row["method"] != "STN, merge"]
    grids = {"p1": paper, "p1-variants": others, "p1-webview": paper, "p1-growth": growing(1)}
    texts = p1.texts(grids, dict.fromkeys(p1.GRIDS[:3], facts))
    return {mark: "\n".join(lines) for mark, lines in texts.items()}


def test_the_page_has_a_place_for_every_text() -> None:
    page, texts = p1.PAGE.read_text(encoding="utf-8"), whole_page()
    assert set(re.findall(r"<!-- (?!end of )(.+?) -->", page)) == set(texts)
    assert all(text.strip() for text in texts.values())


def test_sentences_follow_the_rows() -> None:
    texts = whole_page()
    assert "| K-NN (all) | GSC (all) | 100.0 % more |" in texts["operations told"]  # 6 beside 3
    assert "| GSC (all) | STN | 50.0 % more |" in texts["operations told"]
    assert "At k = 3, 5, 7, 9, 10, 15 and 20 all three published values are above" in texts["bound told"]
    assert "of 7 settings" not in texts["variants told"]
    assert "| K-NN needs fewer than GSC | 0 of 2 settings | 0 of 2 settings |" in texts["variants told"]
    assert "It needs more operations in 12 of 12 settings (600.0 % more)" in texts["shortage told"]
    assert "GSC from k = 9 to 10 on D4" in texts["doubtful"]
    assert "K-NN is below Sort APX Cover on D1 at k = 3, 5, 7, 9 and 10" in texts["privacy told"]


def test_figures_of_the_page_stand_between_marks() -> None:
    """Outside of them only what the paper says and what was set stands in figures."""
    page = p1.PAGE.read_text(encoding="utf-8")
    page = re.sub(r"<!-- (?!end of )(.+?) -->.*?<!-- end of \1 -->", "", page, flags=re.S)
    page = re.sub(r"## The set-up.*?(?=\n## )", "", page, flags=re.S)
    figures = set(re.findall(r"\d[\d.,]*\d(?: %)?|\d %", re.sub(r"s\.[\d., ]+", "", page)))
    assert figures <= {
        "2014",
        "10,000",
        "1,000",
        "62,500",
        "500,000",
        "100,000",
        "10",
        "20",
        "30",
        "5 %",
        "8 %",
        "95 %",
        "0.8",
        "1.2",
    }


def test_pairs_are_counted_over_seeds_and_means_over_k() -> None:
    rows = [
        {"data": "D1", "seed": seed, "k": 3, "method": method, "operations": value}
        for seed, values in enumerate([(1.0, 2.0), (3.0, 2.0), (2.0, 2.0)])
        for method, value in zip(("GSC", "STN"), values, strict=True)
    ]
    found = p1_readings.compared(rows, "D1", "GSC", "STN")
    assert str(found) == "1 of 3, same in 1 (+0.0 to +0.0 %)"


def test_a_failed_run_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="1 runs failed, the first: no such seed"):
        p1.paper_rows([{"status": "error", "error": "no such seed"}])


def growing(power: float, peak: float = 500.0) -> list[dict[str, Any]]:
    """Rows of growing data."""
    names = ("STN", *p1_growth.GSC, *p1_growth.KNN, "GraySort", "Sort APX Cover")
    sizes = [(p1_growth.BASE, 1_000 * n, 50 * n) for n in (1, 2, 4, 8)]
    sizes += [(f"{share} %", 1_000, 10 * share) for share in (1, 2, 4)]
    return [
        {
            "data": data,
            "records": n,
            "k": 5,
            "seed": 1,
            "method": name,
            "groups": s,
            "joined_rows": 0,
            "operations": s * (1 + at),
            "cpu_seconds": (n * s) ** (power / 2),
            "peak_mb": peak,
            "verified": True,
        }
        for data, n, s in sizes
        for at, name in enumerate(names)
    ]


def test_growth_is_judged_by_exponents_and_memory() -> None:
    fit = p1_growth.exponent(p1_growth.over_rows(growing(2)), "STN")
    assert all(math.isclose(end, 2) for end in fit)
    assert [one.verdict for one in p1_growth.claims(growing(1))] == ["holds"] * 4
    assert [one.verdict for one in p1_growth.claims(growing(3, peak=2_500))] == ["does not hold"] * 4
    unsure = growing(1)
    for row in unsure:
        row["cpu_seconds"] = 9.0 if row["records"] == 2_000 else 1.0
    assert p1_growth.claims(unsure)[2].verdict == "cannot be judged here"
    one_too_large = growing(1)
    one_too_large[0]["peak_mb"] = 2_500
    assert p1_growth.claims(one_too_large)[0].verdict != "holds"


@pytest.mark.parametrize("paper", ["p1", "p4"])
def test_no_mark_of_the_page_is_empty(paper: str) -> None:
    text = (common.PAGES / f"{common.PAPERS[paper]}.md").read_text(encoding="utf-8")
    marks = re.findall(r"<!-- (?!end of )(.+?) -->(.*?)<!-- end of \1 -->", text, flags=re.S)
    assert len(marks) == text.count("<!-- end of ") > 4
    assert all(filled.strip() for _, filled in marks)
    assert all((common.PAGES / target).exists() for target in re.findall(r"!\[.*?\]\((.+?)\)", text))
    assert Path(common.IMAGES / f"{paper}-growth.png").exists()
