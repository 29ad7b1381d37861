"""Points and what scikit-learn and the hdbscan package say about them: one table per data set.

Columns: coordinates x0, x1, ..., then for each setting M_K_SELECTION (smallest cluster, samples with the point itself,
eom or leaf) label_..., probability_... (scikit-learn) and outlier_... (hdbscan, which does not count the point itself).

Mutual reachability is full of ties, and where they decide, both packages disagree with themselves when the rows come in
another order. What is not the same in every tried order of the rows, and when scikit-learn's own tree is grown from
edges with ties in other orders, stays empty; a seed is used only if at most one label in a hundred is.
"""

import warnings

import hdbscan
import numpy as np
import sklearn.cluster
from sklearn.cluster._hdbscan._linkage import MST_edge_dtype, make_single_linkage
from sklearn.cluster._hdbscan._tree import tree_to_labels
from sklearn.datasets import make_blobs, make_circles, make_moons

warnings.filterwarnings("ignore")
N_ORDERS = 10


def blobs(n, dims, centres, spread):
    return lambda seed: make_blobs(n, n_features=dims, centers=centres, cluster_std=spread, random_state=seed)[0]


def uneven(seed):
    """Dense, loose and tiny groups in a sea of noise."""
    rng = np.random.default_rng(seed)
    groups = [rng.normal(c, s, (n, 2)) for c, s, n in [((0, 0), 0.3, 150), ((4, 1), 1.0, 150), ((1, 5), 0.1, 25)]]
    return np.concatenate(groups + [rng.uniform(-4, 8, (75, 2))])


def line(seed):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(0, 1, 120), rng.normal(6, 0.5, 80), rng.uniform(-10, 15, 30)])[:, None]


# Data set, how it is made, settings.
CASES = [
    ("separate", blobs(400, 2, 4, 0.6), [(15, 15, "eom"), (15, 5, "eom"), (8, 4, "leaf")]),
    ("overlapping", blobs(800, 2, 6, 1.5), [(20, 20, "eom"), (20, 5, "eom"), (10, 10, "leaf")]),
    ("moons", lambda seed: make_moons(400, noise=0.07, random_state=seed)[0], [(10, 10, "eom"), (5, 1, "eom")]),
    ("circles", lambda seed: make_circles(400, noise=0.04, factor=0.4, random_state=seed)[0], [(12, 6, "eom")]),
    ("uneven", uneven, [(10, 10, "eom"), (20, 3, "eom"), (10, 5, "leaf")]),
    ("line", line, [(10, 10, "eom"), (15, 4, "leaf")]),
    ("solid", blobs(500, 3, 5, 1.2), [(10, 10, "eom"), (25, 8, "eom")]),
    ("five_dimensions", blobs(300, 5, 4, 2.0), [(10, 10, "eom"), (6, 3, "leaf")]),
]


def answer(points, size, samples, selection):
    labels = sklearn.cluster.HDBSCAN(
        min_cluster_size=size, min_samples=samples, cluster_selection_method=selection, copy=True
    ).fit(points)
    # Where the packages' own counting of samples cannot express 1 - 1 = 0, there are no outlier scores.
    if samples == 1:
        scores = np.full(len(points), np.nan)
    else:
        scores = hdbscan.HDBSCAN(
            min_cluster_size=size, min_samples=samples - 1, algorithm="prims_kdtree"
        ).fit(points).outlier_scores_
    return labels.labels_, labels.probabilities_, scores


def matched(labels, others):
    """The other labels, renamed to agree with these as far as possible."""
    renamed = others.copy()
    for other in range(others.max() + 1):
        values, counts = np.unique(labels[others == other], return_counts=True)
        renamed[others == other] = values[counts.argmax()]
    return renamed


def with_ties(points, size, samples, selection, tie_order):
    """scikit-learn's labels and strengths from Kruskal's spanning tree, equal edges by `tie_order` of their distance."""
    squared = ((points[:, None] - points[None]) ** 2).sum(-1)
    cores = np.sort(squared, axis=1)[:, samples - 1]
    reach = np.maximum(squared, np.maximum(cores[:, None], cores[None]))
    ends = np.triu_indices(len(points), 1)
    sets = list(range(len(points)))

    def find(member):
        while sets[member] != member:
            sets[member] = sets[sets[member]]
            member = sets[member]
        return member

    edges = []
    for edge in np.lexsort((tie_order(squared[ends]), reach[ends])):
        a, b = ends[0][edge], ends[1][edge]
        if find(a) != find(b):
            sets[find(a)] = find(b)
            edges.append((a, b, np.sqrt(reach[a, b])))
    return tree_to_labels(make_single_linkage(np.array(edges, dtype=MST_edge_dtype)), size, selection)


def consistent(points, setting, rng):
    """The answer, NaN where ties decide; nothing if they decide more than one label in a hundred."""
    first = answer(points, *setting)
    agreed = [numbers.astype(float) for numbers in first]

    def compare(order, labels, *others):
        if labels.max() != first[0].max():
            agreed[0][:] = np.nan
        labels = matched(first[0][order], labels)
        for numbers, found in zip(agreed, (labels, *others)):
            numbers[order[np.abs(numbers[order] - found) > 1e-12]] = np.nan

    for tie_order in (lambda distance: distance, lambda distance: -distance, rng.permutation):
        compare(np.arange(len(points)), *with_ties(points, *setting, tie_order))
    for _ in range(N_ORDERS):
        order = rng.permutation(len(points))
        compare(order, *answer(points[order], *setting))
    return agreed if np.isnan(agreed[0]).mean() <= 0.01 else None


for name, make, settings in CASES:
    for seed in range(500):
        # As many digits as the table holds.
        points = np.round(make(seed), 6)
        answers = []
        for setting in settings:
            found = consistent(points, setting, np.random.default_rng(seed))
            if found is None:
                break
            answers.append(found)
        if len(answers) == len(settings) and all(np.nanmax(labels) >= 1 for labels, _, _ in answers):
            break
    else:
        raise SystemExit(f"{name}: no seed without ties")
    header = [f"x{dim}" for dim in range(points.shape[1])]
    columns = [[f"{value:.6f}" for value in column] for column in points.T]
    for (size, samples, selection), (labels, probabilities, scores) in zip(settings, answers):
        header += [f"{what}_{size}_{samples}_{selection}" for what in ("label", "probability", "outlier")]
        columns += [[f"{label:.0f}" if label == label else "" for label in labels]]
        columns += [[f"{value:.9f}" if value == value else "" for value in column] for column in (probabilities, scores)]
    with open(f"{name}.csv", "w") as table:
        table.write(",".join(header) + "\n")
        table.writelines(",".join(row) + "\n" for row in zip(*columns))
    found = [(int(np.nanmax(labels)) + 1, int((labels < 0).sum()), int(np.isnan(labels).sum())) for labels, _, _ in answers]
    print(f"{name}: seed {seed}, {len(points)} points; clusters, noise, undecided {found}")
