"""Tables of ordered containers, and of which adjacency policy wins for which work."""
import math

from result_tables import markdown, power, show

CONTAINERS = {"u32": "`blink_tree`, 4-byte", "u64": "`blink_tree`, 8-byte", "array_u32": "`sorted_array`, 4-byte",
              "array_u64": "`sorted_array`, 8-byte"}
WORK = (
    ("bulk_build_sorted", "bulk build, sorted"), ("bulk_build_unsorted", "bulk build, any order"),
    ("insert_all", "insert all into an empty one, one call"), ("ref_insert_all", "the same, by tiles"),
    *((f"insert/{1 << bits}", f"insert {power(1 << bits)}") for bits in (10, 14, 16, 18, 20, 22, 24)),
    *((f"assign/{1 << bits}", f"assign {power(1 << bits)} that are there") for bits in (16, 18, 20, 22)),
    *((f"erase_percent/{percent}", f"erase {percent} %") for percent in (1, 10, 50)),
    ("find", "find, random"), ("find_sorted", "find, sorted"), ("successor", "successor"),
    ("range/8", "ranges of 8"), ("range/32", "ranges of 32"), ("retrieve_all", "retrieve all"),
    *((f"insert_range8/{percent}", f"tiles: {percent} % inserts, ranges of 8") for percent in (5, 50, 90)),
    *((f"erase_find/{percent}", f"tiles: {percent} % erases, finds") for percent in (5, 50, 90)),
)


def best_rate(results, name):
    """Of a benchmark, or of the fastest width of tiles that it was run with."""
    rates = [results.rate(run, figure) for run in results.runs for figure in ("keys/s", "operations/s")
             if run == name or run.startswith(f"{name}/lanes:")]
    return max((rate for rate in rates if rate is not None), default=None)


def ordered(results, peers):
    columns = ("u32", "u64", "array_u32", "array_u64")
    rows = [[title, "", *(show(best_rate(results, f"{column}/{work}")) for column in columns),
             *(show(peers.get(work, {}).get(name)) for name in peers["peers"])] for work, title in WORK]
    heads = ["work on 2^24 pairs", "", "`blink_tree`, 4-byte keys and values", "8-byte", "`sorted_array`, 4-byte", "8-byte",
             *(f"{name}, 4-byte" for name in peers["peers"])]
    return table("H200: ordered containers, M/s", heads, rows)


def queries_by_size(results):
    """A row a query and a container, a column a size."""
    queries = (("find_in", "find, random"), ("find_sorted_in", "find, sorted"), ("successor_in", "successor"),
               ("range8_in", "ranges of 8"))
    sizes = sorted({size for column in CONTAINERS for query, _ in queries for size in results.sizes(column, query)})
    rows = [[title, name, *(show(results.rate(f"{column}/{query}/{size}", "queries/s")) for size in sizes)]
            for query, title in queries for column, name in CONTAINERS.items()]
    return table("H200: queries by the container's size, M/s", ["query", "container", *map(power, sizes)], rows)


def builds_in_batches(results):
    sizes = sorted({size for column in CONTAINERS for size in results.sizes(column, "incremental_build")})
    rows = [[name, "", *(show(results.rate(f"{column}/incremental_build/{size}", "keys/s")) for size in sizes),
             show(results.rate(f"{column}/bulk_build_unsorted", "keys/s"))] for column, name in CONTAINERS.items()]
    return [] if not sizes else table("H200: 2^24 keys into an empty container in batches of so many, M/s",
                 ["container", "", *map(power, sizes), "bulk build"], rows)


def crossing(results, column, way):
    """The batch from which on building anew is faster than inserting: between two that were measured, both times taken
    for straight lines in logarithms."""
    before = None
    for size in sorted(results.sizes(column, "insert") & results.sizes(column, way)):
        gain = math.log(results.get(f"{column}/insert/{size}", "real_time") /
                        results.get(f"{column}/{way}/{size}", "real_time"))
        if gain >= 0:
            if before is None:
                return size
            at = before[1] / (before[1] - gain)
            return 2 ** (math.log2(before[0]) * (1 - at) + math.log2(size) * at)
        before = (size, gain)
    return None


def batches_or_builds(results, keys=1 << 24):
    """What a batch costs by inserting it and by building anew, and where the one gives way to the other."""
    tables = []
    ways = (("insert", "insert"), ("rebuild_sorted", "build anew, all sorted"),
            ("rebuild_appended", "take out, append, build anew"))
    for column, name in CONTAINERS.items():
        sizes = sorted(results.sizes(column, "rebuild_sorted"))
        rows = [[title, "" if way == "insert" else shown_share(crossing(results, column, way), keys),
                 *(show(results.get(f"{column}/{way}/{size}", "real_time")) for size in sizes)] for way, title in ways]
        heads = ["way", "wins from, keys of the container", *map(power, sizes)]
        if sizes:
            tables += table(f"H200: a batch into 2^24 keys, ms, {name}", heads, rows)
    return tables


def shown_share(size, keys):
    return "never" if size is None else f"2^{math.log2(size):.1f}, {100 * size / keys:.2g} %"


def table(title, heads, rows):
    made = markdown(title, heads, rows)
    return [made] if made.count("\n") > 3 else []


def policies(results, where):
    """Milliseconds by degree; all vertices of a graph have the same."""
    found = {tuple(name.split("/")): run["real_time"] for name, run in results.runs.items()}
    works = dict.fromkeys(name[1] for name in found)
    degrees = sorted({int(name[2]) for name in found})
    rows = [[work, policy, *(show(found.get((policy, work, str(degree)))) for degree in degrees)]
            for work in works for policy in ("by_degree", "hash", "tree")]
    return table(f"{where}: adjacency policies, ms by degree", ["work", "policy", *map(str, degrees)], rows)
