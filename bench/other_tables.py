"""Tables that the dissertation does not have: latency, skewed batches, other types, scans, memory, load."""
from result_tables import markdown, power, show

LOADS = (30, 40, 50, 60, 70, 80, 85, 90, 95)


def latencies(results, graphs, where):
    """Milliseconds of small batches, counts back on the host included."""
    sizes = (1, 32, 1024)
    rows = [[graph, work, *(show(scaled(results.get(f"{graph}/{work}/{size}", "real_time"), 1e3)) for size in sizes)]
            for graph in graphs for work in ("insert", "erase")]
    return markdown(f"{where}: small batches, µs from the call to the counts on the host",
                    ["graph", "work", *map(power, sizes)], rows)


def scaled(value, factor):
    return None if value is None else value * factor


def skewed(results, graphs, where):
    """Batches that a few vertices take, and what the same number of random edges takes."""
    rows = []
    for graph in graphs:
        for work in ("insert", "erase"):
            for size in sorted(results.sizes(graph, f"{work}_hub")):
                names = (f"{work}", f"{work}_power_law", f"{work}_hub")
                rows.append([graph, f"{work} {power(size)}",
                             *(show(results.rate(f"{graph}/{name}/{size}", "edges/s")) for name in names)])
    heads = ["graph", "work", "random edges", "R-MAT edges", "one vertex takes all"]
    return markdown(f"{where}: skewed batches, M edges/s", heads, rows)


def types(results, graphs, where):
    """Rates with weights and wide ids."""
    suffixes = ("", "_weighted", "_ids64", "_ids64_sparse")
    rows = []
    for graph in graphs:
        rows.append([graph, "bulk build",
                     *(show(results.rate(f"{graph}/bulk_build{suffix}", "edges/s")) for suffix in suffixes)])
        for work in ("insert", "erase"):
            for size in sorted(results.sizes(graph, f"{work}_weighted")):
                names = (f"{graph}/{work}{suffix}/{size}" for suffix in suffixes)
                rows.append([graph, f"{work} {power(size)}", *(show(results.rate(name, "edges/s")) for name in names)])
    heads = ["graph", "work", "32-bit ids", "and float weights", "64-bit ids", "64-bit sparse ids"]
    return markdown(f"{where}: types, M edges/s", heads, rows)


def reading(results, graphs, where):
    """Scans and queries."""
    scans = ("scan", "scan_balanced", "csr_scan", "flat_set_scan")
    queries = ("contains", "contains_random", "flat_set_contains", "flat_set_ahead_contains")
    rows = [[graph, "all", *(show(results.rate(f"{graph}/{name}", "edges/s")) for name in scans),
             *(show(results.rate(f"{graph}/{name}", "queries/s")) for name in queries)] for graph in graphs]
    heads = ["graph", "edges", "scan", "balanced scan", "CSR scan", "flat sets' scan", "queries, found",
             "queries, random", "flat sets, found", "fetched ahead"]
    return markdown(f"{where}: reading, M edges/s and M queries/s", heads, rows)


def memory(results, graphs, where):
    """Bytes a directed edge: in use, mapped, and of lists of what is free."""
    rows = []
    for graph in graphs:
        sizes = sorted(results.sizes(graph, "incremental_build"))
        builds = (("bulk_build", "at once"), *((f"incremental_build/{size}", f"by {power(size)}") for size in sizes))
        for name, how in builds:
            figures = (f"{which}/edge" for which in ("bytes", "bytes_mapped", "list_bytes", "csr_bytes"))
            rows.append([graph, how, *(show(results.get(f"{graph}/{name}", figure)) for figure in figures)])
    heads = ["graph", "built", "in use", "mapped", "lists", "CSR"]
    return markdown(f"{where}: memory, bytes a directed edge", heads, rows)


def other_tables(results, graphs, where):
    """@param where names the machine in titles"""
    made = [table(results, graphs, where) for table in (latencies, skewed, types, reading, memory)]
    return [text for text in made if text.count("\n") > 3]


def load_tables(results):
    """Slab hash tables by load: M inserts/s, bytes a key, M queries/s for keys that are there and for absent ones."""
    rows = []
    for table in ("set32", "map32", "set64", "map64"):
        for load in LOADS:
            rows.append([table, f"{load} %", show(results.rate(f"{table}/build/{load}", "keys/s")),
                         show(results.get(f"{table}/build/{load}", "bytes/key")),
                         *(show(results.rate(f"{table}/{what}/{load}", "queries/s")) for what in ("found", "absent"))])
    heads = ["table", "load", "inserts, M/s", "bytes a key", "found, M/s", "absent, M/s"]
    made = markdown("Load of slab hash tables", heads, rows)
    return [made] if made.count("\n") > 3 else []
