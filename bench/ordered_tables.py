"""Tables of ordered containers, and of which adjacency policy wins for which work."""
from result_tables import markdown, power, show

WORK = (
    ("bulk_build_sorted", "bulk build, sorted"), ("bulk_build_unsorted", "bulk build, any order"),
    ("insert_all", "insert all into an empty one, one call"), ("ref_insert_all", "the same, by tiles"),
    *((f"insert/{1 << bits}", f"insert {power(1 << bits)}") for bits in (10, 14, 16, 18, 20, 22)),
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
    made = markdown("H200: ordered containers, M/s", heads, rows)
    return [made] if made.count("\n") > 3 else []


def policies(results, where):
    """Milliseconds by degree; all vertices of a graph have the same."""
    found = {tuple(name.split("/")): run["real_time"] for name, run in results.runs.items()}
    works = dict.fromkeys(name[1] for name in found)
    degrees = sorted({int(name[2]) for name in found})
    rows = [[work, policy, *(show(found.get((policy, work, str(degree)))) for degree in degrees)]
            for work in works for policy in ("by_degree", "hash", "tree")]
    made = markdown(f"{where}: adjacency policies, ms by degree", ["work", "policy", *map(str, degrees)], rows)
    return [made] if made.count("\n") > 3 else []
