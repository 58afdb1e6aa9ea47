#!/usr/bin/env python3
"""Runs two builds of a benchmark program in turn, so that both meet the same moods of a machine, and prints the times
of each round and their medians, as JSON.

  bench/in_turn.py --rounds 3 --filter 'incremental_build' --machine 'NVIDIA H100, CUDA 13.0' BEFORE AFTER rmat20 rgg20

BEFORE and AFTER are programs; what follows goes to each of them, one word a run. A time is the median of five
repetitions, in milliseconds; counters are those of the last run.
"""
import argparse
import datetime
import json
import statistics
import subprocess
import sys

from collect import DROPPED, name_of

REPETITIONS = 5
TIMES = {"name", "repetitions", "iterations", "real_time", "cpu_time", "time_unit"}


def run(program, word, pattern):
    """Medians by name, each with the counters that the benchmark reports."""
    command = [program, word, f"--benchmark_filter={pattern}", "--benchmark_min_time=0.01", "--benchmark_format=json",
               f"--benchmark_repetitions={REPETITIONS}", "--benchmark_report_aggregates_only=true"]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return {name_of(one): one for one in json.loads(out)["benchmarks"] if one["aggregate_name"] == "median"}


def row(name, rounds):
    """What came of a benchmark. `rounds` has a pair of results for each."""
    times = [[pair[k][name]["real_time"] for pair in rounds] for k in (0, 1)]
    made = {"name": name, "rounds": len(rounds)}
    for k, which in enumerate(("before", "after")):
        made[which] = round(statistics.median(times[k]), 4)
        made[f"{which}_rounds"] = [round(time, 4) for time in times[k]]
    made["after/before"] = round(made["after"] / made["before"], 3)
    made.update({key: value for key, value in rounds[-1][1][name].items() if key not in DROPPED | TIMES})
    return made


def compare(args):
    rows = []
    for word in args.words:
        rounds = []
        for number in range(args.rounds):
            rounds.append([run(program, word, args.filter) for program in (args.before, args.after)])
            if sys.stderr.isatty():
                print(f"{word}: round {number + 1} of {args.rounds}", file=sys.stderr)
        rows += [row(name, rounds) for name in rounds[0][0] if name in rounds[0][1]]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("words", nargs="+", help="what the programs are called with, one a run: a graph's name")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--filter", default=".", help="which benchmarks: a regular expression (default: all)")
    parser.add_argument("--machine", default="", help="what to call the machine in the result")
    args = parser.parse_args()
    context = {"machine": args.machine, "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
               "command": f"bench/in_turn.py --rounds {args.rounds} --filter '{args.filter}' BEFORE AFTER "
                          + " ".join(args.words),
               "statistic": f"median of rounds, each the median of {REPETITIONS} repetitions, in ms"}
    print(json.dumps({"context": context, "benchmarks": compare(args)}, indent=1))


if __name__ == "__main__":
    main()
