"""Predictions, and new objects on an old map."""

import csv
import subprocess
import sys

import numpy as np
import pytest

import sbmds

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def run(data, names, short, tmp_path_factory):
    return sbmds.fit(data.distances, names=names, out=tmp_path_factory.mktemp("judge") / "run", **short)


def command(*words):
    subprocess.run([sys.executable, "-m", "sbmds", *map(str, words)], check=True, capture_output=True)


def test_predictions_are_those_of_the_command_line(run, fit, tmp_path):
    command("predict", run.path, "--out", tmp_path / "predict.csv")
    with open(tmp_path / "predict.csv") as file:
        rows = list(csv.DictReader(file))
    found = fit.predict()
    assert len(found) == len(rows) == 66
    ends = list(rows[0])[:2]
    assert [(row[ends[0]], row[ends[1]]) for row in rows] == list(zip(found["a"], found["b"]))
    for title in ("mean", "sd", "low", "high"):
        np.testing.assert_allclose(found[title], [float(row[title]) for row in rows], rtol=1e-9)
    covered = (found["low"] <= found["observed"]) & (found["observed"] <= found["high"])
    assert covered.mean() > 0.85


def test_listed_and_missing_pairs(data, names, short):
    d = data.distances.copy()
    d[0, 1] = d[1, 0] = np.nan
    found = sbmds.fit(d, names=names, **short)
    missing = found.predict("missing")
    assert len(missing) == 1 and np.isnan(missing["observed"][0]) and not missing["coupled"][0]
    listed = found.predict([("object b", "object a"), ("object c", "object d")])
    assert listed["mean"][0] == pytest.approx(missing["mean"][0])
    assert abs(missing["mean"][0] - data.distances[0, 1]) < 4 * missing["sd"][0]
    with pytest.raises(KeyError, match="nobody"):
        found.predict([("object a", "nobody")])
    with pytest.raises(ValueError, match="coupled"):
        found.predict("all")


def test_placed_objects_are_those_of_the_command_line(data, names, short, tmp_path):
    old, new = slice(0, 9), slice(9, 12)
    settings = {**short, "names": names[old]}
    in_memory = sbmds.fit(data.distances[old, old], **settings)
    on_disk = sbmds.fit(data.distances[old, old], out=tmp_path / "run", **settings)
    table = pandas.DataFrame(data.distances[new, old], index=names[new], columns=names[old])
    placed = in_memory.place(table)
    table.to_csv(tmp_path / "new.csv")
    command("place", tmp_path / "run", tmp_path / "new.csv", "--no-report", "--out", tmp_path / "placed")
    theirs = pandas.read_csv(tmp_path / "placed" / "placed.csv", index_col=0)
    np.testing.assert_allclose(placed.table[["x1", "x2"]], theirs.loc[names[new], ["x1", "x2"]], rtol=1e-6, atol=1e-9)
    assert np.array_equal(on_disk.place(table).draws, placed.draws)
    # Columns in any order, some of them missing; arrays in the order of the map.
    assert np.array_equal(in_memory.place(table[table.columns[::-1]]).map, placed.map)
    assert np.array_equal(in_memory.place(data.distances[new, old], names=names[new]).map, placed.map)
    assert in_memory.place(table[table.columns[:5]]).n_pairs.tolist() == [5, 5, 5]
    # They are where a fit of all puts them.
    distances = np.linalg.norm(placed.map[:, None] - in_memory.map[None], axis=-1)
    assert np.sqrt(((distances - data.distances[new, old]) ** 2).mean()) < 0.3
    with pytest.raises(KeyError, match="nobody"):
        in_memory.place(table.rename(columns={names[0]: "nobody"}))
    with pytest.raises(ValueError, match="3 x 4"):
        in_memory.place(np.ones((3, 4)))


def test_transform_places_new_rows(data):
    pytest.importorskip("sklearn")
    from sbmds.sklearn import BayesianMDS

    quick = {"chains": 2, "warmup": 300, "draws": 300, "random_state": 1}
    x = data.truth
    mds = BayesianMDS(**quick).fit(x[:9])
    assert np.array_equal(mds.transform(x[:9]), mds.embedding_)
    located = mds.transform(x)
    d = np.linalg.norm(x[9:, None] - x[None, :9], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(located[9:, None] - located[None, :9], axis=-1), d, atol=0.1)
    square = np.linalg.norm(x[:, None] - x[None], axis=-1)
    given = BayesianMDS(metric="precomputed", **quick).fit(square[:9, :9])
    assert given.transform(square[9:, :9]).shape == (3, 2)
