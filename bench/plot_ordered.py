#!/usr/bin/env python3
"""Draws what ordered containers do, from results of bench_blink_tree and bench_sorted_array that bench/collect.py made.

  bench/plot_ordered.py inserts TITLE RESULT.json... > docs/ordered_inserts.svg   rates by batch size
  bench/plot_ordered.py mixes TITLE RESULT.json...   > docs/ordered_mixes.svg     tiles' operations by share of updates
  bench/plot_ordered.py sizes TITLE RESULT.json...   > docs/ordered_sizes.svg     queries by size of the container
  bench/plot_ordered.py builds TITLE RESULT.json...  > docs/ordered_builds.svg    builds in batches; batches by building anew
"""
import json
import math
import sys

import svg_chart as svg

PLOT, HEIGHT, GAP, KEY = 320, 380, 85, 215
TREE, TREE_LIGHT, ARRAY, ARRAY_LIGHT = "#1b7f5c", "#6cc24a", "#8a5a44", "#c9a27e"
SOLID, DASHED, DOTTED = "", "6 4", "2 3"


class Runs:
    """Benchmarks of all files, by names CONTAINER/WORK/SIZE or CONTAINER/WORK/SIZE/lanes:N."""

    def __init__(self, paths):
        self.all = [run for path in paths for run in json.load(open(path))["benchmarks"]]

    def points(self, container, work, figure):
        """(size, figure); of several widths of tiles the best rate."""
        found = {}
        for run in self.all:
            parts = run["name"].split("/")
            if parts[:2] == [container, work] and len(parts) > 2 and parts[2].isdigit():
                value = run.get(figure)
                found[int(parts[2])] = max(value, found.get(int(parts[2]), 0))
        return sorted(found.items())

    def one(self, name, figure):
        return next((run[figure] for run in self.all if run["name"] == name), None)


def time_axis(values):
    """Powers of ten around the values, which are milliseconds."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    ticks = [(10.0**power, f"{10.0 ** power:g} ms") for power in range(low, high + 1)]
    return svg.Axis(10.0**low, 10.0**high, ticks, scale=math.log10)


def measured(*series):
    return [one for one in series if len(one[3]) > 1]


def inserts(runs):
    """A panel a width of keys and values."""
    for width, tree, array in (("4-byte keys and values", "u32", "array_u32"), ("8-byte", "u64", "array_u64")):
        series = measured(("B-link tree, insert", TREE, SOLID, runs.points(tree, "insert", "keys/s")),
                          ("B-link tree, assign", TREE_LIGHT, SOLID, runs.points(tree, "assign", "keys/s")),
                          ("sorted array, insert", ARRAY, DASHED, runs.points(array, "insert", "keys/s")),
                          ("sorted array, assign", ARRAY_LIGHT, DASHED, runs.points(array, "assign", "keys/s")))
        yield width, "keys in a batch", svg.power_axis, svg.rate_axis, series


def mixes(runs):
    def percent_axis(sizes, label):
        return svg.Axis(sizes[0], sizes[-1], [(size, str(size)) for size in sizes], label)

    def giga_axis(values):
        axis = svg.linear_axis([value / 1e9 for value in values])
        ticks = [(value * 1e9, f"{label} G/s") for value, label in axis.ticks]
        return svg.Axis(0, ticks[-1][0], ticks)

    for title, work in (("inserts beside ranges of 8", "insert_range8"), ("erases beside finds", "erase_find")):
        series = measured(("4-byte keys and values", TREE, SOLID, runs.points("u32", work, "operations/s")),
                          ("8-byte", TREE_LIGHT, DASHED, runs.points("u64", work, "operations/s")))
        yield title, "updates, %", percent_axis, giga_axis, series


def sizes(runs):
    """Queries of containers with 4-byte keys and values."""
    works = (("finds", ("find_in", "find_sorted_in"), ("random", "sorted")),
             ("neighbours and ranges", ("successor_in", "range8_in"), ("successor", "ranges of 8")))
    for title, (plain, other), (plain_name, other_name) in works:
        series = measured((f"B-link tree, {plain_name}", TREE, SOLID, runs.points("u32", plain, "queries/s")),
                          (f"B-link tree, {other_name}", TREE_LIGHT, SOLID, runs.points("u32", other, "queries/s")),
                          (f"sorted array, {plain_name}", ARRAY, DASHED, runs.points("array_u32", plain, "queries/s")),
                          (f"sorted array, {other_name}", ARRAY_LIGHT, DASHED,
                           runs.points("array_u32", other, "queries/s")))
        yield title, "keys in the container", svg.power_axis, svg.rate_axis, series


def builds(runs):
    """Builds by batch size, and what a batch costs, of containers with 4-byte keys and values."""
    at_once = runs.one("u32/bulk_build_unsorted", "keys/s")
    built = runs.points("u32", "incremental_build", "keys/s")
    series = measured(("B-link tree", TREE, SOLID, built),
                      ("sorted array", ARRAY, DASHED, runs.points("array_u32", "incremental_build", "keys/s")),
                      ("tree, bulk build", TREE_LIGHT, DOTTED, [(size, at_once) for size, _ in built if at_once]))
    yield "all keys, batch after batch", "keys in a batch", svg.power_axis, svg.rate_axis, series
    series = measured(("tree, insert", TREE, SOLID, runs.points("u32", "insert", "real_time")),
                      ("tree anew, all sorted", TREE_LIGHT, DOTTED, runs.points("u32", "rebuild_sorted", "real_time")),
                      ("tree anew, appended", TREE_LIGHT, DASHED, runs.points("u32", "rebuild_appended", "real_time")),
                      ("array, insert", ARRAY, SOLID, runs.points("array_u32", "insert", "real_time")))
    yield "one batch", "keys in a batch", svg.power_axis, time_axis, series


def draw(panels, title):
    """Panels side by side; each has a key to its right, or all have one."""
    keys = [[one[:3] for one in panel[4]] for panel in panels]
    own_keys = any(key != keys[-1] for key in keys)
    elements = [svg.text(svg.LEFT, 18, title, "start", 15, "bold")]
    left = svg.LEFT
    for number, (name, label, x_axis, y_axis, series) in enumerate(panels):
        x = x_axis(sorted({size for *_, points in series for size, _ in points}), label)
        y = y_axis([value for *_, points in series for _, value in points])
        elements += svg.chart(left, PLOT, HEIGHT, name, x, y, series, title_y=40)
        left += PLOT
        if own_keys or number == len(panels) - 1:
            elements += svg.key(left + 14, series)
            left += KEY
        left += GAP
    return svg.page(left - GAP, HEIGHT, elements)


KINDS = {"inserts": inserts, "mixes": mixes, "sizes": sizes, "builds": builds}


def main(kind, title, *paths):
    panels = [panel for panel in KINDS[kind](Runs(paths)) if panel[4]]
    if not panels:
        sys.exit(f"nothing in {', '.join(paths)} is for {kind}")
    print(draw(panels, title))


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    main(*sys.argv[1:])
