#!/usr/bin/env python3
"""Draws docs/updates.svg from a result that bench/collect.py made: rates of inserts and erases by batch size.

  bench/plot_updates.py bench/results/FILE.json GRAPH TITLE > docs/updates.svg
"""
import json
import math
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 400, 70, 50, 190, 50
SERIES = {
    "insert": ("Mangrove, insert", "#1b7f5c", ""),
    "erase": ("Mangrove, erase", "#6cc24a", ""),
    "csr_rebuild_insert": ("CSR rebuild, insert", "#8a5a44", "6 4"),
    "csr_rebuild_erase": ("CSR rebuild, erase", "#c9a27e", "6 4"),
}


def read_rates(path, graph):
    """Series name to a list of (batch size, edges per second)."""
    rates = {name: {} for name in SERIES}
    for run in json.load(open(path))["benchmarks"]:
        parts = run["name"].split("/")
        if parts[0] == graph and parts[1] in rates and parts[2].isdigit():
            rates[parts[1]][int(parts[2])] = run["edges/s"]
    return {name: sorted(points.items()) for name, points in rates.items()}


def text(x, y, words, anchor="middle", size=13, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}" fill="#333">{words}</text>')


def draw(rates, title):
    sizes = sorted({size for points in rates.values() for size, _ in points})
    values = [rate for points in rates.values() for _, rate in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log2(sizes[0]), math.log2(sizes[-1])

    def x(size):
        return LEFT + (math.log2(size) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(rate):
        return HEIGHT - BOTTOM - (math.log10(rate) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(LEFT, 26, title, "start", 15, "bold")]
    for power in range(low, high + 1):
        at = y(10.0**power)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
        label = {6: "1 M/s", 7: "10 M/s", 8: "100 M/s", 9: "1 G/s", 10: "10 G/s"}.get(power, f"10^{power}/s")
        out.append(text(LEFT - 8, at + 4, label, "end"))
    for size in sizes:
        power = size.bit_length() - 1
        out.append(text(x(size), HEIGHT - BOTTOM + 20, f'2<tspan dy="-5" font-size="10">{power}</tspan>'))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "directed edges in a batch"))
    for row, (name, points) in enumerate(rates.items()):
        label, colour, dash = SERIES[name]
        line = " ".join(f"{x(size):.1f},{y(rate):.1f}" for size, rate in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>')
        key = TOP + 20 + 24 * row
        out.append(f'<line x1="{WIDTH - RIGHT + 14}" x2="{WIDTH - RIGHT + 40}" y1="{key}" y2="{key}" stroke="{colour}" '
                   f'stroke-width="2.5" stroke-dasharray="{dash}"/>')
        out.append(text(WIDTH - RIGHT + 46, key + 4, label, "start"))
    return "\n".join(out + ["</svg>"])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(draw(read_rates(sys.argv[1], sys.argv[2]), sys.argv[3]))
