#!/usr/bin/env python3
"""Counts the test cases of Bazel runs.

Usage: count_results.py count NAME STATUS EVENTS >> COUNTS
       count_results.py sum COUNTS

`count` reads one run of `bazel test`: its name, its exit status and the file that
--build_event_json_file wrote. The events name the test.xml of every test target of
this very run (and of no earlier one); the next run overwrites them, so it is called
after each. `sum` prints the failures and skipped cases of all runs with their reasons;
its last line is `N passed, N failed` or `N passed, N failed, N skipped`. It exits 0 if
something passed and nothing failed.
"""

import json
import sys
import urllib.parse
import xml.etree.ElementTree
from dataclasses import asdict, dataclass, field

# Exit statuses of bazel test: https://bazel.build/run/scripts#exit-codes
NO_TESTS_FOUND = 4


@dataclass
class Count:
    """What happened, over one target or many. Each entry is a line to print."""

    passed: int = 0
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def reason_of(element):
    """The text of a <failure>, <error> or <skipped>, on one line."""
    text = element.get("message") or element.text or "no reason given"
    return " ".join(text.split())


def count_case(label, case, count):
    name = "%s %s.%s" % (label, case.get("classname", ""), case.get("name", ""))
    bad = case.find("failure")
    bad = case.find("error") if bad is None else bad
    skipped = case.find("skipped")
    if bad is not None:
        count.failed.append("%s: %s" % (name, reason_of(bad)))
    elif skipped is not None or case.get("result") == "skipped":
        reason = "no reason given" if skipped is None else reason_of(skipped)
        count.skipped.append("%s: %s" % (name, reason))
    elif case.get("name", "").startswith("DISABLED_"):
        count.skipped.append("%s: disabled" % name)
    elif case.get("status", "run") == "run":  # not run: the case of another shard
        count.passed += 1


def count_xml(label, path):
    count = Count()
    try:
        tree = xml.etree.ElementTree.parse(path)
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        count.failed.append("%s: no readable test.xml: %s" % (label, error))
        return count
    for case in tree.iter("testcase"):
        count_case(label, case, count)
    return count


def count_target(label, result):
    """One attempt of one shard of a test target."""
    outputs = {o["name"]: o.get("uri", "") for o in result.get("testActionOutput", [])}
    status = result.get("status", "NO_STATUS")
    path = urllib.parse.unquote(urllib.parse.urlparse(outputs.get("test.xml", "")).path)
    count = count_xml(label, path) if path or status == "PASSED" else Count()
    # A program that crashed or hung may leave a report without a failure, or none.
    if status != "PASSED" and not count.failed:
        count.failed.append("%s: %s" % (label, status))
    return count


def read_events(path):
    try:
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        print("no readable events: %s" % error, file=sys.stderr)
        return []


def count_run(status, events):
    count = Count()
    for event in events:
        label = next(iter(event["id"].values())).get("label", "")
        if "testResult" in event:
            count.add(count_target(label, event["testResult"]))
        elif "targetCompleted" in event["id"] and not event.get("completed", {}).get("success"):
            # A failed test is a built target: this one could not be built.
            count.failed.append("%s: not built" % label)
    if status not in (0, NO_TESTS_FOUND) and not count.failed:
        count.failed.append("bazel test: exit status %d" % status)
    return count


def print_count(name, status, path):
    count = count_run(int(status), read_events(path))
    print(json.dumps({"name": name, **asdict(count)}))
    return 0


def print_sum(path):
    total = Count()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            name = entry.pop("name")
            count = Count(**entry)
            for text in count.skipped:
                print("SKIPPED [%s] %s" % (name, text))
            for text in count.failed:
                print("FAILED [%s] %s" % (name, text))
            print("%s: %d passed, %d failed, %d skipped"
                  % (name, count.passed, len(count.failed), len(count.skipped)))
            total.add(count)
    skipped = ", %d skipped" % len(total.skipped) if total.skipped else ""
    print("%d passed, %d failed%s" % (total.passed, len(total.failed), skipped))
    return 0 if total.passed and not total.failed else 1


if __name__ == "__main__":
    sys.exit({"count": print_count, "sum": print_sum}[sys.argv[1]](*sys.argv[2:]))
