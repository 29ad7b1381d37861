"""What cannot be fitted is refused with its place and a remedy, as exceptions that Python knows."""

import warnings

import numpy as np
import pytest

import sbmds


def refused(kind, data, *parts, **settings):
    with pytest.raises(kind) as caught:
        sbmds.fit(data, progress=False, **settings)
    message = str(caught.value)
    for part in parts:
        assert part in message, message
    assert "--" not in message, message


def square(**changes):
    d = np.ones((5, 5)) - np.eye(5)
    for (a, b), value in changes.get("at", {}).items():
        d[a, b] = value
    return d


def test_bad_matrices():
    refused(ValueError, square(at={(1, 3): -0.5, (3, 1): -0.5}), "-0.5 is negative", "Remedy")
    refused(ValueError, square(at={(1, 3): 2.0}), "[3, 1]", "Remedy")
    refused(ValueError, np.ones((4, 5)), "4 x 5", "metric")
    refused(ValueError, np.ones(5), "N (N - 1) / 2")
    refused(ValueError, np.array([["a", "b"], ["c", "d"]]), "numbers")
    refused(ValueError, np.zeros((4, 4)), "all dissimilarities in use are 0")
    refused(ValueError, np.ones((2, 3, 4)), "2 x 3 x 4")
    refused(ValueError, square(), "3 names are given for 5 objects", names=["a", "b", "c"])
    refused(ValueError, square(), "both called", names=list("abcda"))


def test_bad_settings():
    refused(ValueError, square(), "couplings", couplings="everything")
    refused(ValueError, square(), "dims", dims=0)
    refused(ValueError, square(), "chains", chains="many")
    refused(TypeError, square(), "chain_count", chain_count=3)
    refused(TypeError, square(), "warmup", warmupp=3)
    refused(TypeError, None, "needs data")
    refused(ValueError, None, "resume", resume=True)
    refused(ValueError, np.ones((5, 3)), "metric", metric="nearness")


def test_missing_files(tmp_path):
    refused(FileNotFoundError, tmp_path / "nothing.csv", "nothing.csv")
    with pytest.raises(FileNotFoundError, match="holds no run"):
        sbmds.open(tmp_path)


def test_unconnected_pairs_are_named():
    refused(ValueError, [("a", "b", 1.0), ("b", "c", 1.0), ("x", "y", 1.0), ("y", "z", 1.0)], "2 connected components", "a", "Remedy")


def test_sparse_readings_must_agree():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    d = square(at={(0, 1): 3.0})
    refused(ValueError, scipy_sparse.csr_array(d), "(0, 1)", "symmetric")
    refused(ValueError, scipy_sparse.csr_array(np.ones((3, 4))), "not square")


def test_tables_with_other_names():
    pandas = pytest.importorskip("pandas")
    refused(ValueError, pandas.DataFrame(square(), index=list("abcde"), columns=list("abcdx")), "different names")


def test_a_bad_verdict_warns_and_raises_only_on_request(data):
    short = {"chains": 2, "warmup": 5, "draws": 5, "progress": False}
    with pytest.warns(sbmds.ConvergenceWarning):
        found = sbmds.fit(data.distances, **short)
    assert not found.converged
    with pytest.raises(sbmds.NotConverged) as caught:
        sbmds.fit(data.distances, if_not_converged="raise", **short)
    assert caught.value.fit.n_draws == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error", sbmds.ConvergenceWarning)
        sbmds.fit(data.distances, if_not_converged="ignore", **short)


def test_what_is_not_there_is_named(fit):
    with pytest.raises(KeyError, match="nobody"):
        fit.distance("object a", "nobody")
    with pytest.raises(KeyError, match="sigma"):
        fit.variable("sigmoid")
    with pytest.raises(ValueError, match="shepard"):
        fit.plot("picture")
    with pytest.raises(ValueError, match="mode"):
        fit.in_mode(9)
