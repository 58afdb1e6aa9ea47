#!/usr/bin/env python3
"""Keeps of a Google Benchmark result what belongs to the project: medians, and the machine by its kind, not by its name.

  bench/collect.py RAW.json... 'NVIDIA H200, CUDA 13.0, driver 580' 'COMMAND THAT MADE IT' > bench/results/NAME.json

Of several results, by as many processes, each benchmark is taken from the one in the middle by its time.
"""
import json
import sys

DROPPED = {"family_index", "per_family_instance_index", "repetition_index", "threads", "run_name", "run_type",
           "aggregate_name", "aggregate_unit"}


def name_of(run):
    """What a run is of, without how it was timed and summed up."""
    return run["name"].replace("/manual_time", "").removesuffix("_median")


def kept_of(raw):
    """Medians by name, or all runs where nothing was repeated."""
    aggregates = any(run.get("run_type") == "aggregate" for run in raw["benchmarks"])
    kept = [run for run in raw["benchmarks"] if not aggregates or run.get("aggregate_name") == "median"]
    return {name_of(run): run for run in kept}, "median of repetitions" if aggregates else "mean of iterations"


def main(paths, machine, command):
    raws = [json.load(open(path)) for path in paths]
    results = [kept_of(raw) for raw in raws]
    benchmarks = []
    for name in results[0][0]:
        runs = sorted((kept[name] for kept, _ in results), key=lambda run: run["real_time"])
        middle = runs[(len(runs) - 1) // 2]
        benchmarks.append({**{key: value for key, value in middle.items() if key not in DROPPED}, "name": name})
    statistic = results[0][1] + (f", the middle one of {len(paths)} processes" if len(paths) > 1 else "")
    context = {"machine": machine, "date": raws[0]["context"]["date"], "command": command, "statistic": statistic}
    print(json.dumps({"context": context, "benchmarks": benchmarks}, indent=1))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1:-2], *sys.argv[-2:])
