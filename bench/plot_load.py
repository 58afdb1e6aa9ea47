#!/usr/bin/env python3
"""Draws what the load of slab hash tables costs and saves, from a result of bench_slab_load that bench/collect.py made.

  bench/plot_load.py build bench/results/FILE.json TITLE > docs/load_build.svg       building, and bytes a key
  bench/plot_load.py queries bench/results/FILE.json TITLE > docs/load_queries.svg   keys that are there, and absent ones
"""
import json
import sys

import svg_chart as svg

WIDTH, HEIGHT, GAP, KEY = 900, 360, 80, 190
TABLES = {
    "set32": ("set, 32 slots a slab", "#1b7f5c", ""),
    "map32": ("map 4 + 4 B, 16 slots", "#8a5a44", ""),
    "set64": ("set of 8 B, 16 slots", "#6cc24a", "6 4"),
    "map64": ("map 8 + 8 B, 8 slots", "#c9a27e", "6 4"),
}
PANELS = {
    "build": (("build", "keys/s", "inserts"), ("build", "bytes/key", "bytes a key")),
    "queries": (("found", "queries/s", "keys that are there"), ("absent", "queries/s", "keys that are not")),
}


def read_series(benchmarks, what, figure):
    """Points (load in percent, figure) of every table."""
    points = {name: [] for name in TABLES}
    for run in benchmarks:
        table, kind, load = run["name"].split("/")
        if kind == what and table in points:
            points[table].append((int(load), run[figure] if figure == "bytes/key" else run[figure] / 1e6))
    return [(*TABLES[name], sorted(row)) for name, row in points.items() if row]


def draw(panels, benchmarks, title):
    plot = (WIDTH - svg.LEFT - GAP - KEY) / 2
    elements = [svg.text(svg.LEFT, 18, title, "start", 15, "bold")]
    for column, (what, figure, name) in enumerate(panels):
        series = read_series(benchmarks, what, figure)
        unit = "" if figure == "bytes/key" else ", M/s"
        x = svg.Axis(30, 95, [(load, str(load)) for load in range(30, 100, 10)], "load, %")
        y = svg.linear_axis([value for *_, points in series for _, value in points])
        elements += svg.chart(svg.LEFT + column * (plot + GAP), plot, HEIGHT, name + unit, x, y, series, title_y=40)
    return svg.page(WIDTH, HEIGHT, elements + svg.key(WIDTH - KEY + 14, series))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in PANELS:
        sys.exit(__doc__)
    print(draw(PANELS[sys.argv[1]], json.load(open(sys.argv[2]))["benchmarks"], sys.argv[3]))
