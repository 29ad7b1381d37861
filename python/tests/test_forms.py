"""Every form of the same data gives the same draws; names come from tables."""

import numpy as np
import pytest

import sbmds

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
scipy_sparse = pytest.importorskip("scipy.sparse")
squareform = pytest.importorskip("scipy.spatial.distance").squareform


@pytest.fixture(scope="module")
def expected(data, short):
    return sbmds.fit(data.distances, **short)


@pytest.fixture(scope="module")
def expected_of_pairs(data, short):
    return sbmds.fit(scipy_sparse.csr_array(np.triu(data.distances)), **short)


def same_draws(a, b):
    return np.array_equal(a.draws, b.draws) and np.array_equal(a.sigma, b.sigma)


def forms(d, names):
    shuffled = pandas.DataFrame(d, index=names, columns=names)[names[::-1]]
    return {
        "list": d.tolist(),
        "fortran": np.asfortranarray(d),
        "condensed": squareform(d, checks=False),
        "pandas": pandas.DataFrame(d, index=names, columns=names),
        "pandas, columns in another order": shuffled,
        "polars": polars.DataFrame(dict(zip(names, d.T))),
        "polars with names": polars.DataFrame({"name": names, **dict(zip(names, d.T))}),
        "readonly": _readonly(d),
    }


def _readonly(d):
    copy = d.copy()
    copy.flags.writeable = False
    return copy


@pytest.mark.parametrize("form", list(forms(np.zeros((2, 2)), ["a", "b"])))
def test_matrices(form, data, names, short, expected):
    found = sbmds.fit(forms(data.distances, names)[form], **short)
    assert same_draws(found, expected)
    if "pandas" in form or "polars" in form:
        assert found.names == names
    else:
        assert found.names == [str(k) for k in range(12)]


def listed(d):
    return [(a, b, d[a, b]) for a in range(len(d)) for b in range(a + 1, len(d))]


@pytest.mark.parametrize("form", ["full sparse", "array", "pandas", "polars", "named"])
def test_pairs(form, data, short, expected_of_pairs, names):
    d = data.distances
    rows = listed(d)
    given = {
        "full sparse": scipy_sparse.coo_matrix(d),
        "array": np.array(rows),
        "pandas": pandas.DataFrame(rows, columns=["a", "b", "value"]),
        "polars": polars.DataFrame(rows, schema=["a", "b", "value"], orient="row"),
        "named": [(names[a], names[b], value) for a, b, value in rows],
    }[form]
    found = sbmds.fit(given, **short)
    assert same_draws(found, expected_of_pairs)
    assert found.names == (names if form == "named" else [str(k) for k in range(12)])


def test_float32_is_its_own_numbers(data, short):
    single = data.distances.astype(np.float32)
    assert same_draws(sbmds.fit(single, **short), sbmds.fit(single.astype(np.float64), **short))


def test_features_are_compared_by_the_metric(data, short, expected):
    x = data.truth
    from_features = sbmds.fit(x, metric="euclidean", **short)
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    from_distances = sbmds.fit(d, **short)
    np.testing.assert_allclose(from_features.map, from_distances.map, atol=0.05)
    table = pandas.DataFrame(x, index=[f"row {k}" for k in range(12)])
    named = sbmds.fit(table, metric="euclidean", **short)
    assert same_draws(named, from_features) and named.names[3] == "row 3"


def test_nan_is_a_missing_pair(data, short):
    d = data.distances.copy()
    d[1, 4] = d[4, 1] = d[2, 7] = d[7, 2] = np.nan
    found = sbmds.fit(d, **short)
    assert found.details["n_pairs"] == 12 * 11 // 2 - 2
    assert same_draws(found, sbmds.fit(squareform(d, checks=False), **short))


@pytest.mark.parametrize("suffix", ["npy", "csv"])
def test_paths(suffix, data, names, short, expected, tmp_path):
    path = tmp_path / f"data.{suffix}"
    if suffix == "npy":
        np.save(path, data.distances)
    else:
        pandas.DataFrame(data.distances, index=names, columns=names).to_csv(path)
    found = sbmds.fit(path, **short)
    assert same_draws(found, expected)
    assert found.names == (names if suffix == "csv" else [str(k) for k in range(12)])


def test_xarray_names_its_rows(data, names, short, expected):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(data.distances, dims=["object", "other"], coords={"object": names})
    found = sbmds.fit(array, **short)
    assert found.names == names and same_draws(found, expected)
