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


def write(path, d, names):
    """The dissimilarities in the format that the suffix says; decimals that are read back to the same bits."""
    table, rows = pandas.DataFrame(d, index=names, columns=names), range(len(d))
    if path.name == "condensed.npy":
        np.save(path, squareform(d, checks=False))
    elif path.suffix == ".npy":
        np.save(path, d)
    elif path.name.startswith("edges"):
        lines = [f"{names[a]},{names[b]},{d[a, b]!r}" for a in rows for b in rows[a + 1 :]]
        path.write_text("a,b,value\n" + "\n".join(lines).replace("np.float64(", "").replace(")", "") + "\n")
    elif path.suffix == ".phy":
        lines = ["\t".join([name.replace(" ", "_"), *(repr(float(x)) for x in row)]) for name, row in zip(names, d)]
        path.write_text(f"{len(d)}\n" + "\n".join(lines) + "\n")
    else:
        table.to_csv(path, sep="\t" if ".tsv" in path.name else ",")


FILES = ["square.npy", "condensed.npy", "table.csv", "table.tsv", "table.csv.gz", "table.phy", "edges.csv"]


@pytest.mark.parametrize("file", FILES)
def test_paths(file, data, names, short, expected, expected_of_pairs, tmp_path):
    path = tmp_path / file
    write(path, data.distances, names)
    found = sbmds.fit(path, **short)
    assert same_draws(found, expected_of_pairs if file.startswith("edges") else expected)
    numbered, words = [str(k) for k in range(12)], [name.replace(" ", "_") for name in names]
    assert found.names == (numbered if path.suffix == ".npy" else words if path.suffix == ".phy" else names)
    on_disk = sbmds.fit(str(path), out=tmp_path / "run", **short)
    assert same_draws(on_disk, found)


@pytest.mark.parametrize("out", [False, True])
def test_names_beside_a_path(out, data, names, short, expected, tmp_path):
    np.save(tmp_path / "data.npy", data.distances)
    (tmp_path / "names.txt").write_text("\n".join(names))
    for given in (names, tuple(names), np.array(names), tmp_path / "names.txt"):
        settings = {**short, "out": tmp_path / "run", "overwrite": True} if out else short
        found = sbmds.fit(tmp_path / "data.npy", names=given, **settings)
        assert found.names == names and same_draws(found, expected)
    if out:
        # What was given as a list is kept beside the run.
        sbmds.fit(tmp_path / "data.npy", names=names, **settings)
        assert sbmds.open(tmp_path / "run").names == names
        assert len(sbmds.open(tmp_path / "run").predict("measured")) == 66
    with pytest.raises(ValueError, match="11 names"):
        sbmds.fit(tmp_path / "data.npy", names=names[:11], **short)
    with pytest.raises(ValueError, match="one line"):
        sbmds.fit(tmp_path / "data.npy", names=["two\nlines", *names[1:]], **short)


def test_names_in_a_run_are_any_line_of_text(data, short, expected, tmp_path):
    awkward = ['a "b", c', "# no comment", "d, e; f", *(f"n{k}" for k in range(9))]
    found = sbmds.fit(data.distances, names=awkward, out=tmp_path / "run", **short)
    assert found.names == awkward and same_draws(found, expected)
    assert sbmds.open(tmp_path / "run").predict([(awkward[0], awkward[2])]).shape == (1, 10)
    with pytest.raises(ValueError, match="one line of text"):
        sbmds.fit(data.distances, names=[" spaced ", *awkward[1:]], out=tmp_path / "other", **short)


def test_masked_and_missing_values_are_missing(data, names, short):
    gaps = np.zeros((12, 12), dtype=bool)
    gaps[1, 4] = gaps[4, 1] = gaps[2, 7] = gaps[7, 2] = True
    expected = sbmds.fit(np.where(gaps, np.nan, data.distances), **short)
    assert expected.details["n_pairs"] == 64
    masked = np.ma.MaskedArray(data.distances, mask=gaps)
    nullable = pandas.DataFrame(data.distances, index=names, columns=names).astype("Float64").mask(gaps, pandas.NA)
    rounded = pandas.DataFrame(data.distances, index=names, columns=names).astype(object).mask(gaps, pandas.NA)
    with_column = nullable.reset_index(names="name")
    in_polars = polars.DataFrame({"name": names, **{name: [None if np.isnan(x) else x for x in column]
                                                   for name, column in zip(names, np.where(gaps, np.nan, data.distances).T)}})  # fmt: skip
    for given in (masked, nullable, rounded, with_column, in_polars):
        assert same_draws(sbmds.fit(given, **short), expected), type(given)
    vector = np.ma.MaskedArray(squareform(data.distances, checks=False), mask=squareform(gaps, checks=False))
    assert same_draws(sbmds.fit(vector, **short), expected)
    whole = np.ma.MaskedArray(data.distances.astype(int) + 1 - np.eye(12, dtype=int), mask=gaps)
    whole = np.ma.MaskedArray((whole.data + whole.data.T) // 2, mask=gaps)
    assert sbmds.fit(whole, **short).details["n_pairs"] == 64


def test_float32_of_every_form(data, short):
    single = data.distances.astype(np.float32)
    expected = sbmds.fit(single, **short)
    vector = squareform(single, checks=False)
    assert vector.dtype == np.float32
    assert same_draws(sbmds.fit(vector, **short), expected)


def test_sparse_and_polars_features(data, short):
    x = data.truth
    expected = sbmds.fit(x, metric="manhattan", **short)
    for given in (scipy_sparse.csr_array(x), polars.DataFrame(x, schema=["u", "v"])):
        assert same_draws(sbmds.fit(given, metric="manhattan", **short), expected), type(given)


def test_xarray_names_its_rows(data, names, short, expected):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(data.distances, dims=["object", "other"], coords={"object": names})
    found = sbmds.fit(array, **short)
    assert found.names == names and same_draws(found, expected)
