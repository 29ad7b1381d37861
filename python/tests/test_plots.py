"""Figures, by their data."""

import numpy as np
import pytest

import sbmds
from sbmds import _plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import EllipseCollection, PathCollection  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def test_the_map_shows_locations_ellipses_and_names(fit):
    _, ax = pyplot.subplots()
    assert fit.plot("map", ax=ax) is ax
    points = next(c for c in ax.collections if isinstance(c, PathCollection))
    np.testing.assert_allclose(np.asarray(points.get_offsets()), fit.map)
    ellipses = next(c for c in ax.collections if isinstance(c, EllipseCollection))
    np.testing.assert_allclose(2 * fit.embedding["ellipse_major"], 2 * np.asarray(ellipses._widths), rtol=1e-9)
    assert {text.get_text() for text in ax.texts} == set(fit.names)
    assert ax.get_aspect() == 1.0
    bare = fit.plot("map", names=False, ellipses=False)
    assert not bare.texts and len(bare.collections) == 1


def test_numbers_of_objects_are_shown_on_request(data, short):
    found = sbmds.fit(data.distances, **short)
    assert not found.plot("map").texts
    assert {text.get_text() for text in found.plot("map", names=True).texts} == {str(k) for k in range(12)}


def test_drawn_ellipses_hold_the_draws(fit):
    """95% of the draws of all objects, about: the picture says what it means."""
    values, vectors = np.linalg.eigh(fit.covariance)
    rotated = np.einsum("snd,nde->sne", fit.draws.reshape(-1, 12, 2) - fit.map, vectors)
    inside = (rotated**2 / values[None]).sum(-1) < -2 * np.log(0.05)
    assert inside.mean() == pytest.approx(0.95, abs=0.02)


def test_colours_by_label(fit, names):
    ax = fit.plot("map", labels=["one"] * 6 + ["two"] * 6)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    with pytest.raises(ValueError, match="labels"):
        fit.plot("map", labels=[1, 2])
    with pytest.raises(ValueError, match="no such column"):
        fit.plot("map", labels="country")


def test_labels_of_a_fit(data, names, short):
    pandas = pytest.importorskip("pandas")
    labels = pandas.DataFrame({"group": ["x"] * 5 + ["y"] * 7}, index=names)
    found = sbmds.fit(data.distances, names=names, labels=labels, **short)
    assert found.labels == {"group": ["x"] * 5 + ["y"] * 7}
    assert found.plot("map").get_legend() is not None


def test_shepard_shows_every_pair(fit, data):
    observed, fitted = _plots.shepard_data(fit)
    rows, columns = np.triu_indices(12, 1)
    assert sorted(observed) == pytest.approx(sorted(data.distances[rows, columns]))
    by_value = {round(data.distances[a, b], 12): np.linalg.norm(fit.map[a] - fit.map[b]) for a, b in zip(rows, columns)}
    assert [by_value[round(value, 12)] for value in observed] == pytest.approx(list(fitted))
    ax = fit.plot("shepard")
    np.testing.assert_allclose(np.asarray(ax.collections[0].get_offsets()), np.column_stack([observed, fitted]))


def test_many_pairs_become_shades(data, short, monkeypatch):
    found = sbmds.simulate(objects=110, seed=2)
    fit = sbmds.fit(found.distances, **{**short, "draws": 20, "warmup": 50})
    ax = fit.plot("shepard")
    (bins,) = [c for c in ax.collections if type(c).__name__ == "PolyCollection" and c.get_array() is not None]
    # The shades are counts of all pairs.
    assert bins.get_array().sum() == 110 * 109 / 2


def band(ax):
    """Ends of the shaded band across, by height."""
    (shade,) = [c for c in ax.collections if type(c).__name__ in ("PolyCollection", "FillBetweenPolyCollection") and c.get_array() is None]
    vertices = shade.get_paths()[0].vertices
    return {height: vertices[np.isclose(vertices[:, 1], height), 0] for height in np.unique(vertices[:, 1])}


def test_the_band_of_shepards_plot_holds_the_noise(fit, data, short):
    """Two sigma about a distance, which for multiplicative noise widen with it."""
    ends = band(fit.plot("shepard"))
    top = max(ends)
    assert np.ptp(ends[top]) == pytest.approx(4 * fit.sigma.mean(), rel=1e-6)
    multiplicative = sbmds.fit(data.distances + np.where(np.eye(12) == 1, 0, 0.5), noise="log-normal", **short)
    sigma, ends = multiplicative.sigma.mean(), band(multiplicative.plot("shepard"))
    for height in list(ends)[1::30]:
        assert (ends[height].min(), ends[height].max()) == pytest.approx((height * np.exp(-2 * sigma), height * np.exp(2 * sigma)))


def test_negative_dissimilarities_are_seen(data, short):
    d = data.distances.copy()
    d[0, 1] = d[1, 0] = -1.0
    assert sbmds.fit(d, noise="normal", **short).plot("shepard").get_xlim()[0] < -1.0


def test_a_map_of_one_dimension(data, names, short):
    found = sbmds.fit(data.distances, dims=1, names=names, **short)
    ax = found.plot("map")
    order = np.argsort(found.map[:, 0])
    np.testing.assert_array_equal(ax.get_lines()[0].get_xdata(), found.map[order, 0])
    assert [label.get_text() for label in ax.get_yticklabels()] == [names[k] for k in order]
    bars = ax.collections[0].get_segments()
    np.testing.assert_allclose([np.ptp(bar[:, 0]) / 2 for bar in bars], 1.959964 * found.sd[order, 0], rtol=1e-9)


def test_other_axes(data, short):
    found = sbmds.fit(data.distances, dims=3, **short)
    ax = found.plot("map", axes=(2, 0))
    points = next(c for c in ax.collections if isinstance(c, PathCollection))
    np.testing.assert_allclose(np.asarray(points.get_offsets()), found.map[:, [2, 0]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dimension 3", "dimension 1")
    ellipses = next(c for c in ax.collections if isinstance(c, EllipseCollection))
    values = np.linalg.eigvalsh(found.covariance[:, [2, 0]][:, :, [2, 0]])
    np.testing.assert_allclose(2 * np.asarray(ellipses._widths), 2 * np.sqrt(-2 * np.log(0.05) * values[:, 1]))


def test_numbers_are_shades(fit):
    labels = [*np.linspace(1.0, 3.0, 11), None]
    ax = fit.plot("map", labels=labels)
    points = next(c for c in ax.collections if isinstance(c, PathCollection))
    expected = matplotlib.colormaps["viridis"](np.linspace(0, 1, 11))
    np.testing.assert_allclose(points.get_facecolors()[:11], expected)
    np.testing.assert_allclose(points.get_facecolors()[11], matplotlib.colors.to_rgba(_plots.UNKNOWN))
    # Another axes says what they mean.
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    assert bar.get_ylim() == (1.0, 3.0)


@pytest.mark.parametrize("n_groups", [3, 8, 9, 12])
def test_groups_are_told_apart(fit, n_groups):
    labels = [f"group {k % n_groups}" for k in range(12)]
    ax = fit.plot("map", labels=labels)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"group {k}" for k in range(n_groups)]
    looks = {_plots._look(k, n_groups) for k in range(n_groups)}
    assert len(looks) == n_groups
    drawn = [c for c in ax.collections if isinstance(c, PathCollection) and len(c.get_offsets())]
    assert sum(len(c.get_offsets()) for c in drawn) == 12 and len(drawn) == (1 if n_groups <= 8 else 2)


def test_more_groups_than_looks_have_shades(fit):
    assert len({_plots._look(k, 50) for k in range(50)}) == 50


def test_the_title_says_what_is_drawn(fit):
    assert "ellipses" in fit.plot("map").get_title(loc="left")
    assert "ellipses" not in fit.plot("map", ellipses=False).get_title(loc="left")


def test_trace_rank_density_ess(fit):
    lines = fit.plot("trace").get_lines()
    np.testing.assert_array_equal(np.asarray(lines[1].get_ydata()), fit.sigma[1])
    other = fit.diagnostics().index[5]
    np.testing.assert_array_equal(fit.plot("trace", quantity=other).get_lines()[0].get_ydata(), fit.variable(other)[0])
    counts = _plots.rank_counts(fit.sigma)
    assert counts.shape == (2, 20) and (counts.sum(axis=1) == 300).all() and (counts.sum(axis=0) == 30).all()
    # By sorting: which of all draws of sigma are whose.
    whose = np.repeat([0, 1], 300)[np.argsort(fit.sigma.ravel(), kind="stable")].reshape(20, 30)
    steps = fit.plot("rank").patches
    for chain, step in enumerate(steps):
        values, edges, _ = step.get_data()
        np.testing.assert_allclose(values, (whose == chain).sum(axis=1) / 15)
        np.testing.assert_allclose(edges, np.linspace(0, 1, 21))
    grid, density = _plots.kernel_density(fit.sigma.ravel())
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=0.01)
    lines = fit.plot("density").get_lines()
    for values, line in zip(fit.sigma, lines, strict=True):
        spread = min(values.std(ddof=1), np.subtract(*np.quantile(values, [0.75, 0.25])) / 1.349)
        width = 0.9 * spread * 300**-0.2
        x, y = line.get_data()
        slowly = [np.mean(np.exp(-0.5 * ((at - values) / width) ** 2)) / (width * np.sqrt(2 * np.pi)) for at in x]
        np.testing.assert_allclose(y, slowly, rtol=1e-9, atol=1e-12)
    diagnostics = fit.diagnostics().sort_values("ess_bulk", kind="stable")
    bulk, tail = (line.get_ydata() for line in fit.plot("ess").get_lines()[:2])
    np.testing.assert_array_equal(bulk, diagnostics["ess_bulk"])
    assert sorted(tail) == sorted(diagnostics["ess_tail"])
    with pytest.raises(ValueError, match="scalar"):
        fit.plot("trace", quantity="x_shift")
