#!/usr/bin/env python3
"""Runs the Python code of docs/draws.md, and its R code if there is an R, on a run: check_draws_doc.py DOCUMENT DIRECTORY

DIRECTORY holds a run called `run` and its exports `npy` and `csv`, as the document assumes. The Python blocks and the R blocks must
leave the same mean map in `mean`, and the same distances of the first two objects in `apart`.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np


def main():
    document, directory = Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]
    blocks = {name: re.findall(rf"```{name}\n(.*?)```", document, re.S) for name in ("python", "r")}
    assert len(blocks["python"]) >= 2 and blocks["r"], "the document has lost its code"
    os.chdir(directory)
    found = []
    for code in blocks["python"]:
        names = {}
        exec(compile(code, "docs/draws.md", "exec"), names)
        found.append((np.asarray(names["mean"]), np.asarray(names["apart"]).ravel()))
    lens = {len(apart) for _, apart in found}
    assert len(lens) == 1, f"the blocks see {lens} draws"
    for mean, apart in found:
        assert np.allclose(apart, found[0][1], rtol=1e-9), "the blocks disagree on a distance"
        size = np.linalg.norm(mean - mean.mean(axis=0)) / np.linalg.norm(found[0][0] - found[0][0].mean(axis=0))
        assert 0.95 < size < 1.05, f"a mean map has {size} times the size of the first"
    if shutil.which("Rscript") is None:
        return print("docs/draws.md: its Python is right; there is no R to try the R code with")
    check = "".join(blocks["r"]) + "\ncat(apart, fill = TRUE)\n"
    answer = subprocess.run(["Rscript", "-e", check], check=True, capture_output=True, text=True).stdout.split()
    assert np.allclose([float(x) for x in answer[-len(found[0][1]) :]], found[0][1], rtol=1e-4), "R disagrees"
    print("docs/draws.md: its Python and its R are right")


if __name__ == "__main__":
    main()
