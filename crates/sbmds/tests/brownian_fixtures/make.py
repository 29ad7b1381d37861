"""Writes expected.json: the prior of the fixture's locations by the dense formula, in 60 decimal digits.

V, its inverse and its determinant are formed as they stand in docs/model.md (eq. 11, 12, 20); no pruning. The covariance of
the tips is written down by hand from the second tree of tree.trees, without the tip `outgroup`.
"""

import csv
import json
from decimal import Decimal as D, getcontext

getcontext().prec = 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494459")

# From the root to every tip: (edge, length). Edges with one name are shared.
PATHS = {
    "h": [("pq", "0.125"), ("p", "0.5"), ("h", "0.25")],
    "A/North/1/2010": [("pq", "0.125"), ("p", "0.5"), ("A", "0.15")],
    "c_3": [("pq", "0.125"), ("q", "0.5"), ("c", "0.75")],
    "d": [("pq", "0.125"), ("q", "0.5"), ("d", "0")],
    "B's place": [("pq", "0.125"), ("q", "0.5"), ("B", "1.25")],
    "e": [("r", "2"), ("ef", "0"), ("e", "1")],
    "f": [("r", "2"), ("ef", "0"), ("f", "0.375")],
    "g": [("r", "2"), ("g", "0.0625")],
}


def inverse_and_determinant(matrix):
    n = len(matrix)
    rows = [list(row) + [D(int(i == j)) for j in range(n)] for i, row in enumerate(matrix)]
    determinant = D(1)
    for k in range(n):
        pivot = rows[k][k]
        determinant *= pivot
        rows[k] = [value / pivot for value in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [row[n:] for row in rows], determinant


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def gamma_of_half(k):
    """Gamma(k / 2) for a whole number k > 0."""
    value, k_done = (D(1), 2) if k % 2 == 0 else (PI.sqrt(), 1)
    while k_done < k:
        value *= D(k_done) / 2
        k_done += 2
    return value


def evaluate(names, x, precision, kappa, scaling):
    n, d = len(x), 2
    edges = {edge: D(length) for path in PATHS.values() for edge, length in path}
    unit = sum(edges.values()) if scaling == "total-length" else D(1)
    shared = lambda a, b: sum(D(length) for edge, length in PATHS[a] if edge in dict(PATHS[b]))
    v = [[shared(a, b) / unit + 1 / kappa for b in names] for a in names]
    v_inverse, v_det = inverse_and_determinant(v)
    solved = product(v_inverse, x)
    s = product(list(zip(*x)), solved)
    _, p_det = inverse_and_determinant(precision)
    trace = sum(precision[i][j] * s[j][i] for i in range(d) for j in range(d))
    log_density = -(n * d * (2 * PI).ln() + d * v_det.ln() - n * p_det.ln() + trace) / 2
    gradient = [[-value for value in row] for row in product(solved, precision)]
    # Sigma^-1 ~ Wishart(2, I), integrated out.
    k = [[s[i][j] + int(i == j) for j in range(d)] for i in range(d)]
    _, k_det = inverse_and_determinant(k)
    ratio = gamma_of_half(d + n) * gamma_of_half(d + n - 1) / (gamma_of_half(d) * gamma_of_half(d - 1))
    collapsed = ratio.ln() - (n * d * PI.ln() + d * v_det.ln() + (d + n) * k_det.ln()) / 2
    return {
        "scaling": scaling,
        "root_sample_size": float(kappa),
        "log_det_v": float(v_det.ln()),
        "log_density": float(log_density),
        "gradient": [[float(value) for value in row] for row in gradient],
        "collapsed_log_density": float(collapsed),
    }


def main():
    with open("positions.csv") as file:
        rows = list(csv.reader(file))[1:]
    names, x = [row[0] for row in rows], [[D(value) for value in row[1:]] for row in rows]
    with open("precision.csv") as file:
        precision = [[D(value) for value in row] for row in csv.reader(file)]
    cases = [("0.001", "total-length"), ("0.001", "none"), ("2", "total-length")]
    expected = [evaluate(names, x, precision, D(kappa), scaling) for kappa, scaling in cases]
    with open("expected.json", "w") as file:
        json.dump({"names": names, "cases": expected}, file, indent=1)
        file.write("\n")


main()
