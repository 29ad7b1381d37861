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


def test_trace_rank_density_ess(fit):
    lines = fit.plot("trace").get_lines()
    np.testing.assert_array_equal(np.asarray(lines[1].get_ydata()), fit.sigma[1])
    other = fit.diagnostics().index[5]
    np.testing.assert_array_equal(fit.plot("trace", quantity=other).get_lines()[0].get_ydata(), fit.variable(other)[0])
    counts = _plots.rank_counts(fit.sigma)
    assert counts.shape == (2, 20) and (counts.sum(axis=1) == 300).all() and (counts.sum(axis=0) == 30).all()
    fit.plot("rank")
    grid, density = _plots.kernel_density(fit.sigma.ravel())
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=0.01)
    fit.plot("density")
    assert len(fit.plot("ess").get_lines()[0].get_ydata()) == len(fit.diagnostics())
    with pytest.raises(ValueError, match="scalar"):
        fit.plot("trace", quantity="x_shift")
