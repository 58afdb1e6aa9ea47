"""Benchmark results by name, and markdown tables: what the scripts that print tables share."""
import json
import pathlib

BENCH = pathlib.Path(__file__).parent


class Results:
    """Benchmarks by name, out of all result files whose names match a pattern, and where they come from."""

    def __init__(self, *patterns):
        self.runs, self.contexts = {}, {}
        for path in sorted(path for pattern in patterns for path in (BENCH / "results").glob(pattern)):
            result = json.loads(path.read_text())
            self.contexts[path.name] = result["context"]
            self.runs.update({run["name"]: run for run in result["benchmarks"]})

    def get(self, name, figure):
        return self.runs.get(name, {}).get(figure)

    def rate(self, name, figure):
        """In millions a second."""
        value = self.get(name, figure)
        return None if value is None else value / 1e6

    def sizes(self, graph, work):
        """Sizes of the benchmarks GRAPH/WORK/SIZE."""
        parts = (name.split("/") for name in self.runs)
        return {int(part[2]) for part in parts if len(part) == 3 and part[:2] == [graph, work]}

    def sources(self):
        line = "`{}` ({machine}, {day}, {statistic}: `{command}`)"
        return [line.format(name, day=context["date"][:10], **context) for name, context in self.contexts.items()]


def show(value):
    """Three digits or more."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def power(size):
    return f"2^{size.bit_length() - 1}" if size & (size - 1) == 0 else str(size)


def markdown(title, heads, rows):
    lines = [f"**{title}**", "", "| " + " | ".join(heads) + " |", "| --- " * 2 + "| ---: " * (len(heads) - 2) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows if any(cell != "-" for cell in row[2:])])
