"""HDBSCAN, the log-likelihood, comparisons."""

import numpy as np
import pytest

import sbmds


def test_hdbscan_is_scikit_learns():
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.normal(c, 0.4, size=(40, 2)) for c in ([0, 0], [4, 0], [0, 5])] + [rng.uniform(-3, 8, (20, 2))])
    theirs = cluster.HDBSCAN(min_cluster_size=8, copy=True).fit(x)
    ours = sbmds.hdbscan(x, min_cluster_size=8)
    together = pytest.importorskip("sklearn.metrics").adjusted_rand_score(ours.labels, theirs.labels_)
    assert together == pytest.approx(1.0) and (ours.labels == -1).sum() == (theirs.labels_ == -1).sum()
    with pytest.raises(ValueError, match="at least 2"):
        sbmds.hdbscan(x, min_cluster_size=1)
    with pytest.raises(ValueError, match="two dimensions"):
        sbmds.hdbscan(x[:, 0])


def log_likelihood_slowly(d, x, sigma):
    """Equation 4 of the paper, pair by pair."""
    from math import erf, log, pi, sqrt

    total = 0.0
    for a in range(len(d)):
        for b in range(a):
            distance = float(np.linalg.norm(x[a] - x[b]))
            normal = -0.5 * log(2 * pi * sigma**2) - (d[a, b] - distance) ** 2 / (2 * sigma**2)
            total += normal - log(0.5 * (1 + erf(distance / sigma / sqrt(2))))
    return total


def test_log_likelihood_and_gradient(data):
    d, x, sigma = data.distances, data.truth + 0.1, 0.3
    value, slope = sbmds.log_likelihood(d, x, sigma, gradient=True)
    assert value == pytest.approx(log_likelihood_slowly(d, x, sigma), rel=1e-12)
    assert sbmds.log_likelihood(d, x, sigma) == value
    for object_, dim in ((0, 0), (5, 1), (11, 0)):
        step = np.zeros_like(x)
        step[object_, dim] = 1e-5
        up, down = (log_likelihood_slowly(d, x + sign * step, sigma) for sign in (1, -1))
        assert slope[object_, dim] == pytest.approx((up - down) / 2e-5, rel=1e-6)
    with pytest.raises(ValueError, match="above zero"):
        sbmds.log_likelihood(d, x, 0.0)
    with pytest.raises(ValueError, match="locations"):
        sbmds.log_likelihood(d, x[:3], 1.0)


def test_a_failure_inside_is_an_exception(data, capfd):
    """A mistake of the library's is raised, with its place, and nothing is printed."""
    from sbmds import _native

    native = _native.Data.dense(data.distances, None)
    with pytest.raises(RuntimeError, match=r"(?s)failed inside \(.*\.rs:\d+:\d+\).*please report it"):
        # The Python side checks the number of locations.
        _native.log_likelihood(native, data.truth[:5].copy(), 0.3, True, "full", "given", "normal", 1)
    shown = capfd.readouterr()
    assert shown.out == "" and shown.err == ""


def test_bad_pairs_and_vectors_are_refused():
    with pytest.raises(ValueError, match="negative"):
        sbmds.fit(np.array([1.0, -1.0, 2.0]))
    with pytest.raises(ValueError, match="no pair|twice"):
        sbmds.fit([("a", "b", 1.0), ("b", "a", 1.0), ("a", "c", 2.0)])


def test_compare(data, short, fit, tmp_path):
    other = sbmds.fit(data.distances * 2, out=tmp_path / "doubled", **short)
    found = sbmds.compare(fit, tmp_path / "doubled")
    assert list(found.fits.index) == ["fit 1", "doubled"]
    assert found.fits.loc["doubled", "mean"] == pytest.approx(other.sigma.mean())
    row = found.pairs.iloc[0]
    assert row["probability_greater"] < 0.1 and row["difference"] == pytest.approx(fit.sigma.mean() - other.sigma.mean())
    with pytest.raises(ValueError, match="two or more"):
        sbmds.compare(fit)


def test_simulate():
    found = sbmds.simulate(objects=20, dims=3, noise="half-normal", sd=0.3, seed=4)
    d = np.linalg.norm(found.truth[:, None] - found.truth[None], axis=-1)
    np.testing.assert_allclose(found.true_distances, d, atol=1e-12)
    assert (found.distances >= found.true_distances).all() and np.array_equal(found.distances, found.distances.T)
    with pytest.raises(ValueError, match="noise"):
        sbmds.simulate(noise="loud")
