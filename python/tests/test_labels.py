"""Labels reach the report and whoever opens the run, whatever they and the data are."""

import numpy as np
import pytest

import sbmds

pandas = pytest.importorskip("pandas")


@pytest.fixture
def labels(names):
    return {name: f"group {k % 3}" for k, name in enumerate(names)}


def forms(labels):
    return {
        "mapping": labels,
        "list": list(labels.values()),
        "array": np.array(list(labels.values())),
        "series": pandas.Series(labels, name="group"),
        "table": pandas.DataFrame({"group": labels.values(), "size": range(12)}, index=list(labels)),
        "columns": {"group": list(labels.values()), "size": list(range(12))},
    }


@pytest.mark.parametrize("form", ["mapping", "list", "array", "series", "table", "columns"])
@pytest.mark.parametrize("of", ["array", "path"])
def test_labels_are_in_the_run(form, of, data, names, labels, short, tmp_path):
    given, settings = data.distances, {"names": names}
    if of == "path":
        given, settings = tmp_path / "data.csv", {}
        pandas.DataFrame(data.distances, index=names, columns=names).to_csv(given)
    # A directory that begins as those for the time being do.
    out = tmp_path / "sbmds-runs" / "run"
    found = sbmds.fit(given, labels=forms(labels)[form], out=out, **settings, **short)
    title = next(iter(found.labels))
    assert found.labels[title] == list(labels.values())
    assert sbmds.open(out).labels == found.labels
    assert "group 2" in (out / "report.html").read_text()
    in_memory = sbmds.fit(given, labels=forms(labels)[form], **settings, **short)
    assert in_memory.labels == found.labels


def test_labels_of_titres(short, tmp_path):
    rng = np.random.default_rng(3)
    titres = 10 * 2 ** rng.integers(1, 8, size=(9, 6))
    table = pandas.DataFrame(titres, index=[f"v{k}" for k in range(9)], columns=[f"s{k}" for k in range(6)])
    names = sbmds.fit(table, titers=True, **short).names
    as_list = [f"clade {k % 2}" for k in range(15)]
    for number, labels in enumerate((as_list, dict(zip(names, as_list)))):
        run = tmp_path / f"run{number}"
        found = sbmds.fit(table, titers=True, labels=labels, out=run, **short)
        assert found.names == names and found.labels == {"label": as_list} and sbmds.open(run).labels == {"label": as_list}
    with pytest.raises(ValueError, match="names its objects itself"):
        sbmds.fit(table, titers=True, names=names, **short)
    with pytest.raises(ValueError, match="14 are given for 15"):
        sbmds.fit(table, titers=True, labels=as_list[:14], out=tmp_path / "other", **short)


def test_numbers_in_a_file_are_numbers(data, short, tmp_path):
    labels = {"year": [1990 + k for k in range(12)], "size": [k / 4 for k in range(12)], "gap": [1, None, *range(10)]}
    found = sbmds.fit(data.distances, labels=labels, out=tmp_path / "run", **short)
    reopened = sbmds.open(tmp_path / "run")
    assert reopened.labels == labels and all(type(value) is int for value in reopened.labels["year"])
    pytest.importorskip("matplotlib").use("Agg")
    for column in labels:
        ours, theirs = (fit.plot("map", labels=column).collections[1].get_facecolors() for fit in (found, reopened))
        assert np.array_equal(ours, theirs)


def test_a_run_in_the_way_keeps_its_labels(data, labels, names, short, tmp_path):
    settings = {**short, "names": names, "out": tmp_path / "run"}
    sbmds.fit(data.distances, labels=labels, **settings)
    with pytest.raises(FileExistsError):
        sbmds.fit(data.distances, labels=["other"] * 12, **settings)
    assert sbmds.open(tmp_path / "run").labels == {"label": list(labels.values())}


def test_labels_of_a_run_that_goes_on(data, labels, names, short, tmp_path):
    settings = {**short, "out": tmp_path / "run"}
    sbmds.fit(data.distances, names=names, **settings)
    settings = {"out": tmp_path / "run", "resume": True, "draws": 320, "progress": False, "if_not_converged": "ignore"}
    with pytest.raises(ValueError, match="labels: which object"):
        sbmds.fit(labels=list(labels.values()), **settings)
    assert sbmds.fit(labels=labels, **settings).labels == {"label": list(labels.values())}
    assert sbmds.open(tmp_path / "run").labels == {"label": list(labels.values())}
