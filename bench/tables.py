#!/usr/bin/env python3
"""Prints, from bench/results and bench/peers.json, the tables that the dissertation has as 5.2 to 5.6, and others.

  bench/tables.py                               prints them
  bench/tables.py --write docs/performance.md   puts them between the lines <!-- tables --> and <!-- /tables --> of it,
                                                and aims beside figures between <!-- aims --> and <!-- /aims -->

A figure that was not measured is printed as "-".
"""
import json
import pathlib
import sys

from goal_tables import cpu_goals, gpu_goals
from ordered_tables import batches_or_builds, builds_in_batches, ordered, policies, queries_by_size
from other_tables import load_tables, other_tables
from result_tables import BENCH, Results, markdown, power, show

PEERS = json.loads((BENCH / "peers.json").read_text())
GPU_GRAPHS = ("rmat20", "rmat22", "rgg20", "mesh20", "road23")
CPU_GRAPHS = ("rmat20", "road20")
XEON = "2 cores of an Intel Xeon"


def peer(machine, work, graph, size, name):
    return PEERS[machine].get(work, {}).get(graph, {}).get(size, {}).get(name)


def by_size(results, title, work, rebuilt, figure, machine="h200", graphs=GPU_GRAPHS, more=()):
    """A row a graph and a size: ours, others in the same run, peers. `more` are (head, benchmark) of the same run."""
    names = PEERS[machine]["peers"]
    others = (("CSR rebuild, same run", rebuilt), *more)
    rows = []
    for graph in graphs:
        known = {int(size) for size in PEERS[machine].get(work, {}).get(graph, {})}
        for size in sorted(results.sizes(graph, work) | known):
            ours = [results.rate(f"{graph}/{what}/{size}", figure) for what in (work, *(what for _, what in others))]
            theirs = [peer(machine, work, graph, str(size), name) for name in names]
            rows.append([graph, power(size), *map(show, ours + theirs)])
    return markdown(title, ["graph", "batch", "Mangrove", *(head for head, _ in others), *names], rows)


def dissertation(work):
    """The published means, which are over other graphs on another machine."""
    source = PEERS["titan_v"]
    sizes = {size: figures for size, figures in source[work].items() if size.isdigit()}
    heads = [f"table {source[work]['table']}, {source[work]['unit']}", "", *map(power, map(int, sizes))]
    rows = [[name, source["machine"], *(show(figures.get(name)) for figures in sizes.values())]
            for name in source["peers"] if any(name in figures for figures in sizes.values())]
    return markdown("As published", heads, rows)


def bulk_build(results):
    peers = PEERS["h200"]["peers"]
    published = PEERS["titan_v"]["bulk_build"]
    rows = []
    for graph in GPU_GRAPHS:
        rows.append([graph, "all", show(results.get(f"{graph}/bulk_build", "real_time")),
                     show(results.get(f"{graph}/csr_build", "real_time")),
                     show(results.rate(f"{graph}/bulk_build", "edges/s")),
                     show(results.rate(f"{graph}/csr_build", "edges/s")),
                     *(show(peer("h200", "bulk_build", graph, "", name)) for name in peers),
                     *(show(published.get(graph, {}).get(name)) for name in ("Hornet", "SlabGraph"))])
    heads = ["graph", "batch", "Mangrove, ms", "CSR, same run, ms", "Mangrove, M/s", "CSR, same run, M/s",
             *(f"{name}, M/s" for name in peers), "Hornet, ms, published", "SlabGraph, ms, published"]
    return markdown("Table 5.5: bulk build from a shuffled list", heads, rows)


def gpu_tables(results):
    return [
        by_size(results, "Table 5.2: edges inserted, M/s", "insert", "csr_rebuild_insert", "edges/s"),
        dissertation("insert"),
        by_size(results, "Table 5.3: edges erased, M/s", "erase", "csr_rebuild_erase", "edges/s"),
        dissertation("erase"),
        by_size(results, "Table 5.4: vertices erased with their edges, M/s", "erase_vertices", "csr_erase_vertices",
                "vertices/s"),
        dissertation("erase_vertices"),
        bulk_build(results),
        by_size(results, "Table 5.6: build from empty in batches, M edges/s", "incremental_build",
                "csr_incremental_build", "edges/s"),
        dissertation("incremental_build"),
    ]


def cpu_tables(results):
    tables = []
    for work, done in (("insert", "inserted"), ("erase", "erased")):
        more = (("flat hash sets, same run", f"flat_set_{work}"),
                ("flat hash sets, fetched ahead, same run", f"flat_set_ahead_{work}"))
        tables.append(by_size(results, f"CPU, one thread: edges {done}, M/s", work, f"csr_rebuild_{work}", "edges/s",
                              "xeon", CPU_GRAPHS, more))
    return tables


def text():
    gpu, cpu = Results("h200_graph_updates_*.json"), Results("cpu_xeon_graph_updates_*_1_thread.json")
    load, policy = Results("h200_slab_load.json"), Results("h200_graph_policies.json")
    containers = Results("h200_blink_tree*.json", "h200_sorted_array*.json")
    tables = gpu_tables(gpu) + other_tables(gpu, GPU_GRAPHS, "H200") + load_tables(load)
    tables += cpu_tables(cpu) + other_tables(cpu, CPU_GRAPHS, "CPU, one thread")
    tables += policies(policy, "H200") + ordered(containers, PEERS["h200_ordered"]) + queries_by_size(containers)
    tables += builds_in_batches(containers) + batches_or_builds(containers)
    notes = [f"- {source['machine']}, {source['date']}: {source['source']}" for source in PEERS.values()]
    ours = [f"- {line}" for results in (gpu, cpu, load, policy, containers) for line in results.sources()]
    legend = ["Same run: measured beside Mangrove, by the command below. The other columns:", "", *notes, "",
              "Mangrove's figures:", "", *ours]
    return "\n\n".join(tables + ["\n".join(legend)])


def aims():
    gpu = Results("h200_graph_updates_*.json")
    one, two = (Results(f"cpu_xeon_graph_updates_*_{threads}_thread.json") for threads in (1, 2))
    return "\n\n".join([gpu_goals(gpu, PEERS["h200"]), cpu_goals(one, two, PEERS["xeon"], XEON)])


def put(page, name, text):
    """Replaces what stands between the lines of a name."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if begin not in page or end not in page:
        sys.exit(f"the page has no lines {begin} and {end}")
    head, rest = page.split(begin, 1)
    return f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end, 1)[1]}"


def write(path):
    file = pathlib.Path(path)
    file.write_text(put(put(file.read_text(), "aims", aims()), "tables", text()))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(aims(), text(), sep="\n\n")
    elif len(sys.argv) == 3 and sys.argv[1] == "--write":
        write(sys.argv[2])
    else:
        sys.exit(__doc__)
