"""What else is known of the objects: labels as a table by name."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._inputs import is_missing

#: What the command line takes for a missing cell.
MISSING_CELLS = {"", "NA"}


def columns(labels: Any, names: list[str]) -> dict[str, list[Any]]:
    """Labels of the objects, a list per column, in the order of `names`; None where one is not known."""
    by_name = _by_name(labels)
    if by_name is not None:
        titles, rows = by_name
        return {title: [rows[name][k] if name in rows else None for name in names] for k, title in enumerate(titles)}
    if isinstance(labels, Mapping):
        return {str(title): _in_order(column, names) for title, column in labels.items()}
    return {"label": _in_order(labels, names)}


def are_by_name(labels: Any) -> bool:
    """Whether the labels say themselves which object each belongs to."""
    return _by_name(labels) is not None


#: Titles of the columns, and their cells by name.
ByName = tuple[list[str], dict[str, list[Any]]]


def _by_name(labels: Any) -> ByName | None:
    if isinstance(labels, (str, os.PathLike)):
        return _of_file(Path(labels))
    if hasattr(labels, "columns") and hasattr(labels, "iloc"):
        return [str(c) for c in labels.columns], _rows(labels.itertuples())
    if hasattr(labels, "columns") and hasattr(labels, "rows"):
        return [str(c) for c in labels.columns[1:]], _rows(labels.rows())
    if hasattr(labels, "to_dict") and hasattr(labels, "index"):
        return [str(labels.name or "label")], _rows(labels.to_dict().items())
    if isinstance(labels, Mapping) and not _is_of_columns(labels):
        return ["label"], _rows(labels.items())
    return None


def _rows(rows: Any) -> dict[str, list[Any]]:
    return {str(name): [None if is_missing(label) else label for label in row] for name, *row in rows}


def _is_of_columns(labels: Mapping[Any, Any]) -> bool:
    return bool(labels) and all(isinstance(column, (list, tuple)) or hasattr(column, "shape") for column in labels.values())


def _in_order(labels: Any, names: list[str]) -> list[Any]:
    found: list[Any] = [None if is_missing(label) else label for label in labels]
    if len(found) != len(names):
        raise ValueError(f"labels: {len(found)} are given for {len(names)} objects. Remedy: give one per object, or a table by name")
    return found


def _of_file(path: Path) -> ByName:
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    cells = [_typed(list(column)) for column in zip(*(line[1:] for line in lines[1:] if line))]
    return lines[0][1:], {line[0]: list(row) for line, row in zip((line for line in lines[1:] if line), zip(*cells))}


def _typed(column: list[str]) -> list[Any]:
    """Cells of a column of a file: numbers if all are, as they were before they were written; None where one is missing."""
    for kind in (int, float):
        try:
            return [None if cell in MISSING_CELLS else kind(cell) for cell in column]
        except ValueError:
            continue
    return [None if cell in MISSING_CELLS else cell for cell in column]


def write_labels(labels: Any, names: list[str] | None, path: Path) -> Path:
    """Writes labels as a table that the command line reads; labels by name need no `names`."""
    if names is None:
        by_name = _by_name(labels)
        assert by_name is not None
        titles, rows = by_name
    else:
        found = columns(labels, names)
        titles, rows = list(found), {name: list(row) for name, row in zip(names, zip(*found.values()))}
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", *titles])
        for name, row in rows.items():
            writer.writerow([name, *("" if label is None else label for label in row)])
    return path
