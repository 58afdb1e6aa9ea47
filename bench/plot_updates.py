#!/usr/bin/env python3
"""Draws docs/updates.svg from a result that bench/collect.py made: rates of inserts and erases by batch size.

  bench/plot_updates.py bench/results/FILE.json GRAPH TITLE > docs/updates.svg
"""
import json
import sys

import svg_chart as svg

WIDTH, HEIGHT, KEY = 790, 400, 210
SERIES = {
    "insert": ("Mangrove, insert", "#1b7f5c", ""),
    "erase": ("Mangrove, erase", "#6cc24a", ""),
    "csr_rebuild_insert": ("CSR rebuild, insert", "#8a5a44", "6 4"),
    "csr_rebuild_erase": ("CSR rebuild, erase", "#c9a27e", "6 4"),
    "flat_set_ahead_insert": ("flat hash sets, insert", "#3b6fb6", "2 3"),
    "flat_set_ahead_erase": ("flat hash sets, erase", "#9bbce0", "2 3"),
}


def read_series(path, graph):
    """Label, colour, dash and points (batch size, edges per second) of every series that was measured."""
    rates = {name: {} for name in SERIES}
    for run in json.load(open(path))["benchmarks"]:
        parts = run["name"].split("/")
        if len(parts) == 3 and parts[0] == graph and parts[1] in rates:
            rates[parts[1]][int(parts[2])] = run["edges/s"]
    return [(*SERIES[name], sorted(points.items())) for name, points in rates.items() if points]


def draw(series, title):
    sizes = sorted({size for *_, points in series for size, _ in points})
    y = svg.rate_axis([rate for *_, points in series for _, rate in points])
    plot = WIDTH - svg.LEFT - KEY
    elements = svg.chart(svg.LEFT, plot, HEIGHT, title, svg.power_axis(sizes, "directed edges in a batch"), y, series)
    return svg.page(WIDTH, HEIGHT, elements + svg.key(svg.LEFT + plot + 14, series))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(draw(read_series(sys.argv[1], sys.argv[2]), sys.argv[3]))
