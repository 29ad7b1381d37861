"""What else is known of the objects: labels as a table by name."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def columns(labels: Any, names: list[str]) -> dict[str, list[Any]]:
    """Labels of the objects, a list per column, in the order of `names`; None where one is not known."""
    if isinstance(labels, (str, os.PathLike)):
        return _of_file(Path(labels), names)
    if hasattr(labels, "columns") and hasattr(labels, "iloc"):
        return _of_rows({str(name): list(row) for name, *row in labels.itertuples()}, [str(c) for c in labels.columns], names)
    if hasattr(labels, "columns") and hasattr(labels, "rows"):
        return _of_rows({str(name): row for name, *row in labels.rows()}, list(labels.columns[1:]), names)
    if hasattr(labels, "to_dict") and hasattr(labels, "index"):
        return {str(labels.name or "label"): _by_name(labels.to_dict(), names)}
    if isinstance(labels, Mapping):
        if labels and all(isinstance(column, (list, tuple)) or hasattr(column, "shape") for column in labels.values()):
            return {str(title): _in_order(column, names) for title, column in labels.items()}
        return {"label": _by_name(labels, names)}
    return {"label": _in_order(labels, names)}


def _by_name(labels: Mapping[Any, Any], names: list[str]) -> list[Any]:
    by_name = {str(name): label for name, label in labels.items()}
    return [by_name.get(name) for name in names]


def _in_order(labels: Any, names: list[str]) -> list[Any]:
    found: list[Any] = list(labels)
    if len(found) != len(names):
        raise ValueError(f"labels: {len(found)} are given for {len(names)} objects. Remedy: give one per object, or a table by name")
    return found


def _of_rows(rows: dict[str, list[Any]], titles: list[str], names: list[str]) -> dict[str, list[Any]]:
    return {title: [rows[name][k] if name in rows else None for name in names] for k, title in enumerate(titles)}


def _of_file(path: Path, names: list[str]) -> dict[str, list[Any]]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    return _of_rows({line[0]: line[1:] for line in lines[1:] if line}, lines[0][1:], names)


def write_labels(labels: Any, names: list[str], path: Path) -> Path:
    """Writes labels as a table that the command line reads."""
    found = columns(labels, names)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", *found])
        for name, *row in zip(names, *found.values()):
            writer.writerow([name, *("" if label is None else label for label in row)])
    return path
