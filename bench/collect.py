#!/usr/bin/env python3
"""Keeps of a Google Benchmark result what belongs to the project: medians, and the machine by its kind, not by its name.

  bench/collect.py RAW.json 'NVIDIA H200, CUDA 13.0, driver 580' 'COMMAND THAT MADE IT' > bench/results/NAME.json
"""
import json
import sys

DROPPED = {"family_index", "per_family_instance_index", "repetition_index", "threads", "run_name", "run_type",
           "aggregate_name", "aggregate_unit"}


def name_of(run):
    """What a run is of, without how it was timed and summed up."""
    return run["name"].replace("/manual_time", "").removesuffix("_median")


def main(path, machine, command):
    raw = json.load(open(path))
    aggregates = any(run.get("run_type") == "aggregate" for run in raw["benchmarks"])
    kept = [run for run in raw["benchmarks"] if not aggregates or run.get("aggregate_name") == "median"]
    benchmarks = [{**{key: value for key, value in run.items() if key not in DROPPED}, "name": name_of(run)}
                  for run in kept]
    context = {"machine": machine, "date": raw["context"]["date"], "command": command,
               "statistic": "median of repetitions" if aggregates else "mean of iterations"}
    print(json.dumps({"context": context, "benchmarks": benchmarks}, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
