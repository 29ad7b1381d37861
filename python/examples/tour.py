"""From a distance matrix to a figure with ellipses, and from text embeddings to clusters with their uncertainty.

    python tour.py [DIRECTORY]      pictures go there (default: here)
"""

# %% A distance matrix becomes a map.
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import pyplot

import sbmds

directory = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
cities = ["Atlanta", "Chicago", "Denver", "Houston", "Los Angeles", "Miami", "New York", "San Francisco", "Seattle", "Washington"]
upper = [
    587, 1212, 701, 1936, 604, 748, 2139, 2182, 543, 920, 940, 1745, 1188, 713, 1858, 1737, 597, 879, 831, 1726, 1631, 949, 1021,
    1494, 1374, 968, 1420, 1645, 1891, 1220, 2339, 2451, 347, 959, 2300, 1092, 2594, 2734, 923, 2571, 2408, 205, 678, 2442, 2329,
]  # fmt: skip
fit = sbmds.fit(upper, names=cities, seed=1)
print(fit)
print(fit.embedding.round(1))
print(fit.distance("Chicago", "Denver"))
print(fit.neighbors("Washington", k=2))

# %% The map with 95% ellipses, and whether it fits.
figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
fit.plot("map", ax=left)
fit.plot("shepard", ax=right)
figure.savefig(directory / "python-cities.png", dpi=110)

# %% Vectors of texts become clusters. Words of three topics, some of them shared, make up the texts.
topics = {
    "sea": "ship harbour sail wave anchor captain storm tide island fish",
    "kitchen": "bread oven flour salt soup knife butter pan fish pepper",
    "stars": "planet orbit comet telescope moon galaxy night dust storm light",
}
rng = np.random.default_rng(3)
labels = np.repeat(list(topics), 20)
texts = [" ".join(rng.choice(topics[topic].split(), size=60)) for topic in labels]
words = sorted({word for text in texts for word in text.split()})
counts = np.array([[text.split().count(word) for word in words] for text in texts], dtype=float)

found = sbmds.fit(counts, metric="cosine", labels=list(labels), seed=1)
clusters = found.cluster(min_points=8, draws=200)
print(clusters)
print(clusters.table.sort_values("confidence").head())

# %% Objects by topic, drawn paler where their cluster is unsure.
axes = found.plot("map")
axes.scatter(*found.map.T, s=60, facecolors="none", edgecolors="black", linewidths=2 * (1 - clusters.confidence), zorder=5)
axes.figure.savefig(directory / "python-texts.png", dpi=110)
assert fit.converged and found.converged
