"""What is aimed at beside what was measured: the tables that docs/performance.md begins with."""
from result_tables import power, show

SMALL, LARGE = 1 << 16, 1 << 20
UPDATES = (1 << 16, 1 << 18, 1 << 20, 1 << 22)
CPU_UPDATES = (1 << 10, 1 << 14, 1 << 17, 1 << 20)
GRAPHS = ("rmat20", "rmat22", "rgg20", "mesh20", "road23")
HEADS = ["work", "graph", "unit", "Mangrove", "best peer", "aimed at"]


def cells(values, goals, misses):
    """Figures side by side; those that miss their goals are bold, with a digit more."""
    shown = [f"**{value:.4g}**" if value is not None and misses(value, goal) else show(value)
             for value, goal in zip(values, goals)]
    return " / ".join(shown)


def row(work, graph, unit, values, goals, peers=(), at_most=False):
    """@param at_most whether a goal is what a figure is not to exceed, not what it is to come to"""
    misses = (lambda value, goal: value > goal) if at_most else (lambda value, goal: value < goal)
    common = [goals[0]] if len(set(goals)) == 1 else goals
    return [work, graph, unit, cells(values, goals, misses), " / ".join(map(show, peers)) or "-",
            " / ".join(map(show, common))]


def ratio(value, base):
    return None if value is None or not base else value / base


class Goals:
    """The rows of one machine."""

    def __init__(self, results, peers):
        self.results, self.peers = results, peers

    def rate(self, name, figure="edges/s", scale=1e9):
        value = self.results.get(name, figure)
        return None if value is None else value / scale

    def best_peer(self, work, graph, size, without=(), scale=1e3):
        known = self.peers.get(work, {}).get(graph, {}).get(str(size), {})
        rates = [rate for name, rate in known.items() if name not in without]
        return max(rates) / scale if rates else None

    def updates(self, work, graph, sizes, goals, title=None):
        values = [self.rate(f"{graph}/{work}/{size}") for size in sizes]
        peers = [self.best_peer(work, graph, size, ("CSR rebuild",)) for size in sizes]
        return row(f"{title or work} {' / '.join(map(power, sizes))}", graph, "G edges/s", values, goals, peers)

    def skewed(self):
        """As shares of the rate of random edges."""
        size = 1 << 22
        random = self.rate(f"rmat20/insert/{size}")
        shares = [ratio(self.rate(f"rmat20/insert_{how}/{size}"), random) for how in ("hub", "power_law")]
        return row(f"insert {power(size)}: one vertex takes all / R-MAT edges", "rmat20", "of random edges' rate",
                   shares, (0.5, 0.5))

    def latency(self, size):
        times = [self.results.get(f"{graph}/{work}/{size}", "real_time")
                 for graph in GRAPHS for work in ("insert", "erase")]
        slowest = max(time for time in times if time is not None) * 1e3
        return row(f"insert or erase {power(size)}, counts on the host", "the slowest", "µs", [slowest], [60],
                   at_most=True)

    def bulk(self):
        graphs = ("rmat20", "rmat22", "rgg20", "road23")
        return row("bulk build, any order", " / ".join(graphs), "G edges/s",
                   [self.rate(f"{graph}/bulk_build") for graph in graphs], [14] * len(graphs),
                   [self.best_peer("bulk_build", graph, "", ("CSR rebuild",)) for graph in graphs])

    def from_nothing(self, graph):
        return self.updates("incremental_build", graph, (1 << 20, 1 << 22), (4, 6), "from nothing by")

    def vertices(self, graph, sizes):
        """Goals are the best that was published, or what a CSR's rebuild did in the same run if that is more."""
        values = [self.rate(f"{graph}/erase_vertices/{size}", "vertices/s") for size in sizes]
        rebuilt = [self.rate(f"{graph}/csr_erase_vertices/{size}", "vertices/s") for size in sizes]
        known = [self.best_peer("erase_vertices", graph, size) for size in sizes]
        goals = [max(pair) for pair in zip(rebuilt, (rate or 0 for rate in known))]
        return row(f"vertices erased {' / '.join(map(power, sizes))}", graph, "G vertices/s", values, goals, known)

    def scans(self, graphs=GRAPHS):
        ratios = [ratio(max(self.rate(f"{graph}/{how}") for how in ("scan", "scan_balanced")),
                        self.rate(f"{graph}/csr_scan")) for graph in graphs]
        return row("scan of all edges, the better way", " / ".join(graphs), "of a CSR's rate", ratios,
                   [0.7] * len(graphs))

    def queries(self, goal, scale, unit):
        names = ("rmat20/contains", "rmat20/contains_random")
        return row("do edges exist: present / random pairs", "rmat20", unit,
                   [self.rate(name, "queries/s", scale) for name in names], [goal] * 2)

    def memory(self, name, what, goal, figures=("bytes/edge",)):
        """@param figures that are added up"""
        ratios = [ratio(sum(self.results.get(f"{graph}/{name}", figure) for figure in figures),
                        self.results.get(f"{graph}/{name}", "csr_bytes/edge")) for graph in GRAPHS]
        return row(what, " / ".join(GRAPHS), "of a CSR's bytes", ratios, [goal] * len(GRAPHS), at_most=True)

    def types(self, suffix, what, goal):
        """Times as long as with 32-bit ids and no weights, the longest of inserts and erases."""
        longest = [max(ratio(self.rate(f"{graph}/{work}/{LARGE}"), self.rate(f"{graph}/{work}{suffix}/{LARGE}"))
                       for work in ("insert", "erase")) for graph in GRAPHS]
        return row(f"insert, erase {power(LARGE)} {what}", " / ".join(GRAPHS), "times as long", longest,
                   [goal] * len(GRAPHS), at_most=True)


def table(title, rows):
    lines = [f"**{title}**", "", "| " + " | ".join(HEADS) + " |", "| --- | --- | --- | ---: | ---: | ---: |"]
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows])


def gpu_goals(results, peers):
    of = Goals(results, peers)
    rows = [of.updates("insert", "rmat20", UPDATES, (2, 5, 7, 8)),
            of.updates("erase", "rmat20", UPDATES, (2, 6, 8, 10)),
            of.updates("insert", "rmat22", (1 << 20, 1 << 22), (6, 7))]
    rows += [of.updates("insert", graph, (SMALL, LARGE), (2, 7)) for graph in ("rgg20", "mesh20", "road23")]
    rows += [of.skewed(), of.latency(1), of.latency(1 << 10), of.bulk()]
    rows += [of.from_nothing(graph) for graph in GRAPHS]
    rows += [of.vertices(graph, (1 << 16, 1 << 18)) for graph in ("rmat20", "rgg20", "mesh20")]
    rows += [of.vertices("road23", (1 << 16, 1 << 20)), of.scans(), of.queries(12, 1e9, "G queries/s")]
    rows += [of.memory("bulk_build", "memory after a bulk build", 1.5)]
    rows += [of.memory(f"incremental_build/{size}", f"memory mapped from nothing by {power(size)}, lists included", 2,
                       ("bytes_mapped/edge", "list_bytes/edge")) for size in (1 << 20, 1 << 22)]
    rows += [of.types("_weighted", "with weights", 1.5), of.types("_ids64", "with 64-bit ids: positions", 2),
             of.types("_ids64_sparse", "with 64-bit ids: any", 2)]
    return table("An H200: aims and figures; a figure in bold misses its aim", rows)


def cpu_goals(results, pair, peers, machine):
    """@param pair the same with two threads"""
    one, two = Goals(results, peers), Goals(pair, peers)
    rows = []
    for graph, goals in (("rmat20", (14, 20, 20, 20)), ("road20", (25, 25, 25, 25))):
        for work in ("insert", "erase"):
            names = [f"{graph}/{work}/{size}" for size in CPU_UPDATES]
            values = [one.rate(name, scale=1e6) for name in names]
            known = [one.best_peer(work, graph, size, ("CSR rebuild",), scale=1) for size in CPU_UPDATES]
            sizes = " / ".join(map(power, CPU_UPDATES))
            rows.append(row(f"{work} {sizes}", graph, "M edges/s", values, goals, known))
            gains = [ratio(two.rate(name), one.rate(name)) for name in names]
            rows.append(row(f"{work} {sizes}, two threads", graph, "times one thread's rate", gains, [1.7] * 4))
    rows += [one.scans(("rmat20", "road20")), one.queries(20, 1e6, "M queries/s")]
    for graph, most in (("rmat20", 8), ("road20", 15)):
        rows.append(row("memory after a bulk build", graph, "bytes an edge",
                        [results.get(f"{graph}/bulk_build", "bytes/edge")], [most], at_most=True))
    return table(f"{machine}, one thread and two", rows)
