"""What a fit can be asked."""

import copy as copies
import pickle

import numpy as np
import pytest

import sbmds


def test_embedding_is_the_table_of_the_run(fit, names):
    pandas = pytest.importorskip("pandas")
    embedding = fit.embedding
    assert isinstance(embedding, pandas.DataFrame) and list(embedding.index) == names
    assert list(embedding.columns) == ["x1", "x2", "sd1", "sd2", "ellipse_major", "ellipse_minor", "ellipse_angle_degrees", "stress"]
    np.testing.assert_array_equal(embedding[["x1", "x2"]], fit.map)
    # The ellipse of 95% of a normal, from the covariance.
    values = np.linalg.eigvalsh(fit.covariance)
    np.testing.assert_allclose(embedding["ellipse_major"], np.sqrt(-2 * np.log(0.05) * values[:, 1]), rtol=1e-9)
    np.testing.assert_allclose(embedding[["sd1", "sd2"]].to_numpy() ** 2, np.diagonal(fit.covariance, axis1=1, axis2=2))


def test_the_map_is_the_mean_of_the_aligned_draws(fit):
    assert fit.draws.shape == (2, 300, 12, 2)
    flat = fit.draws.reshape(-1, 12, 2)
    assert fit.what_is_shown == "posterior mean"
    np.testing.assert_allclose(flat.mean(axis=0), fit.map, atol=1e-9)
    centred = flat - flat.mean(axis=0)
    covariance = np.einsum("snd,sne->nde", centred, centred) / (len(flat) - 1)
    np.testing.assert_allclose(covariance, fit.covariance, rtol=1e-6, atol=1e-12)


def test_raw_draws_have_the_same_distances(fit):
    def distances(x):
        return np.linalg.norm(x[:, :, :, None] - x[:, :, None], axis=-1)

    np.testing.assert_allclose(distances(fit.raw_draws), distances(fit.draws), atol=1e-9)
    assert np.abs(fit.raw_draws - fit.draws).max() > 0.1


def test_distance_has_an_interval(fit, data):
    found = fit.distance("object a", "object c")
    draws = np.linalg.norm(fit.draws[:, :, 0] - fit.draws[:, :, 2], axis=-1)
    np.testing.assert_allclose(found.draws, draws, atol=1e-9)
    assert found.low < found.mean < found.high
    assert found.low == pytest.approx(np.quantile(draws, 0.025)) and found.mean == pytest.approx(draws.mean())
    wide = fit.distance("object a", "object c", prob=0.5)
    assert found.low < wide.low < wide.high < found.high


def test_neighbors_by_probability(fit):
    found = fit.neighbors("object a", k=2)
    assert found["probability"].sum() == pytest.approx(2.0)
    assert (found["probability"].diff().dropna() <= 0).all() and "object a" not in found.index
    # Counted the slow way.
    x, counts = fit.draws.reshape(-1, 12, 2), {}
    for draw in x:
        nearest = sorted(range(1, 12), key=lambda other: np.linalg.norm(draw[0] - draw[other]))[:2]
        for other in nearest:
            counts[fit.names[other]] = counts.get(fit.names[other], 0) + 1 / len(x)
    assert dict(found["probability"]) == pytest.approx(counts)


def test_summary_and_diagnostics(fit):
    summary = fit.summary()
    assert summary.loc["sigma", "mean"] == pytest.approx(fit.sigma.mean())
    diagnostics = fit.diagnostics()
    assert len(diagnostics) >= 12 * 11 // 2 and {"rhat", "ess_bulk", "ess_tail"} <= set(diagnostics.columns)
    worst = fit.details["max_rhat"]
    assert diagnostics.loc[worst["quantity"], "rhat"] == pytest.approx(worst["value"])
    assert diagnostics["rhat"].max() == pytest.approx(worst["value"])


def test_arviz_agrees(fit):
    arviz = pytest.importorskip("arviz")
    converted = fit.to_arviz()
    posterior = converted.posterior
    assert posterior["x"].dims == ("chain", "draw", "object", "dim")
    np.testing.assert_array_equal(posterior["x"], fit.draws)
    assert list(posterior["object"].values) == fit.names
    assert "diverging" in converted.sample_stats
    ours = {**fit.summary().to_dict("index"), **fit.diagnostics().to_dict("index")}
    pairs = [name for name in fit.diagnostics().index if name.startswith("distance of")]
    assert len(ours) == 69 and len(pairs) == 66
    a, b = (fit.names.index(name) for name in pairs[7].removeprefix("distance of ").split(" and "))
    slowly = np.linalg.norm(fit.draws[:, :, a] - fit.draws[:, :, b], axis=-1)
    np.testing.assert_allclose(monitored(pairs[7], converted, pairs), slowly, rtol=1e-9)
    for name, row in ours.items():
        draws = monitored(name, converted, pairs)
        theirs = arviz.rhat(draws), arviz.ess(draws, method="bulk"), arviz.ess(draws, method="tail", prob=(0.05, 0.95))
        found = [row[title] for title in ("rhat", "ess_bulk", "ess_tail")]
        assert found == pytest.approx([float(value) for value in theirs], rel=1e-6), name


def monitored(name, converted, pairs):
    """The draws of a monitored quantity, from what was converted alone."""
    stored = {"log density": "lp"}.get(name, name)
    for group in (converted.posterior, converted.sample_stats):
        if stored in group:
            return group[stored].values
    # Not of x: draws of one map that a shift tells apart have equal distances, which rounding would rank.
    return converted.posterior["monitored_distance"].values[..., pairs.index(name)]


def test_datatree(fit):
    pytest.importorskip("xarray")
    tree = fit.to_datatree()
    np.testing.assert_array_equal(tree["posterior"]["sigma"], fit.sigma)
    assert tree["posterior"]["sigma"].dims == ("chain", "draw")


def test_pickles(fit, tmp_path, data, short):
    copy = pickle.loads(pickle.dumps(fit))
    assert copy.verdict == fit.verdict and np.array_equal(copy.draws, fit.draws) and np.array_equal(copy.raw_draws, fit.raw_draws)
    assert copy.embedding.equals(fit.embedding) and copy.summary().equals(fit.summary())
    assert np.array_equal(copy.cluster(min_points=3).labels, fit.cluster(min_points=3).labels)
    assert len(copy.plot("shepard").collections) > 0 and "<img" in copy._repr_html_()
    run = sbmds.fit(data.distances, out=tmp_path / "run", **short)
    again = pickle.loads(pickle.dumps(run))
    assert again.path == run.path and np.array_equal(again.draws, run.draws)


def asked(fit, new, path):
    """What a fit can be asked that needs more than its map."""
    placed, predicted = fit.place(new), fit.predict("coupled")
    page = fit.report(path).read_text()
    return placed.map, predicted["mean"].to_numpy(), fit.variable("log_likelihood"), page, sbmds.compare(fit, fit).fits["mean"].to_numpy()


@pytest.mark.parametrize("form", ["array", "names", "float32", "condensed", "pairs", "features", "path", "path with names", "weights"])
def test_a_copy_can_be_asked_what_the_fit_can(form, data, names, short, tmp_path, monkeypatch):
    d = data.distances
    np.save(tmp_path / "data.npy", d)
    monkeypatch.chdir(tmp_path)
    given, settings = {
        "array": (d, {}),
        "names": (d, {"names": names, "labels": [name[-1] for name in names]}),
        "float32": (d.astype(np.float32), {}),
        "condensed": (d[np.triu_indices(12, 1)], {"couplings": "dispersed:3"}),
        "pairs": ([(names[a], names[b], d[a, b]) for a in range(12) for b in range(a)], {}),
        "features": (data.truth, {"metric": "manhattan"}),
        "path": ("data.npy", {}),
        "path with names": ("data.npy", {"names": names}),
        "weights": (d, {"weights": np.ones((12, 12)), "names": names}),
    }[form]
    fit = sbmds.fit(given, **settings, **short)
    pickled = pickle.dumps(fit)
    monkeypatch.chdir("/")
    new = np.full((1, 12), 1.5)
    expected = asked(fit, new, tmp_path / "a.html") if not form.startswith("path") else None
    for copy in (pickle.loads(pickled), pickle.loads(pickle.dumps(pickle.loads(pickled))), copies.deepcopy(fit)):
        found = asked(copy, new, tmp_path / "a.html")
        assert copy.names == fit.names and copy.labels == fit.labels and copy.verdict == fit.verdict
        for ours, theirs in zip(found, expected or asked(fit, new, tmp_path / "a.html")):
            assert np.array_equal(ours, theirs)


def test_a_copy_without_its_data_says_so(data, short, tmp_path):
    np.save(tmp_path / "data.npy", data.distances)
    copy = pickle.loads(pickle.dumps(sbmds.fit(tmp_path / "data.npy", **short)))
    (tmp_path / "data.npy").unlink()
    assert copy.map.shape == (12, 2) and copy.plot("map") is not None
    with pytest.raises(FileNotFoundError, match="data.npy"):
        copy.predict()


def test_exceptions_with_fits_pickle(fit):
    for error in (sbmds.NotConverged("not yet", fit), sbmds.Interrupted("stopped", fit)):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error) and str(copy) == str(error) and np.array_equal(copy.fit.map, fit.map)


def test_clusters_of_two_clouds(short):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(30, 2)) + np.repeat([[0.0, 0.0], [15.0, 0.0]], 15, axis=0)
    found = sbmds.fit(x, metric="euclidean", noise="normal", **short).cluster(min_points=5, draws=50)
    assert found.n_clusters == 2 and found.draw_labels.shape == (50, 30)
    assert found.together("0", "1") > 0.9 and found.together("0", "20") == 0.0
    assert list(found.table.columns) == ["cluster", "confidence", "membership", "noise"]


def test_clusters_are_those_of_the_command_line(fit, data, names, tmp_path, short):
    import csv
    import subprocess
    import sys

    run = sbmds.fit(data.distances, names=names, out=tmp_path / "run", **short)
    subprocess.run([sys.executable, "-m", "sbmds", "cluster", tmp_path / "run", "--draws", "40"], check=True, capture_output=True)
    with open(tmp_path / "run" / "clusters" / "clusters.csv") as file:
        rows = list(csv.DictReader(file))
    found = run.cluster(draws=40)
    assert [int(row["cluster"]) for row in rows] == found.labels.tolist()
    assert [float(row["confidence"]) for row in rows] == found.confidence.tolist()


def test_report(fit, tmp_path, names):
    page = fit.report(tmp_path / "map.html").read_text()
    assert "object a" in page and page.startswith("<!")
    labelled = fit.report(tmp_path / "map.html", labels={name: name[-1] < "f" for name in names}).read_text()
    assert len(labelled) > len(page)


def test_repr(fit):
    assert "12 objects in 2 dimensions" in repr(fit) and fit.verdict in repr(fit)
    page = fit._repr_html_()
    assert fit.verdict.split(".")[0] in page and "data:image/png;base64" in page


def test_modes_and_one_dimension(data, short):
    found = sbmds.fit(data.distances, dims=1, **short)
    assert found.map.shape == (12, 1) and found.in_mode(1) is found
    found.plot("map")


def test_a_fit_without_locations(data, short):
    found = sbmds.fit(data.distances, keep="summary", **short)
    assert found.map.shape == (12, 2) and np.isfinite(found.sd).all()
    with pytest.raises(ValueError, match="keep"):
        found.draws
    pickle.loads(pickle.dumps(found)).embedding
