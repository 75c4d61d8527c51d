#!/usr/bin/env python3
"""Shows that the simulated worlds notice a wrong client.

    tests/sim/mutants/mutants.py [--list=PATTERN] [--worlds=N] [--mutant=NAME]...
                                 [-- WORLDS_OPTION...]

For each mutant of the lists in this folder (*.toml): applies it to a copy of the tree,
builds //tests/sim:worlds there, runs worlds from seed 1 on and demands a violation. Prints a
table of who was caught by which seed. Options after -- go to worlds (--only=...).

Exit status: 0 all were caught, 1 some were not, 2 it could not be tried: a text that is
not there, a build that fails, or a violation without any mutant.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[2]
TARGET = "//tests/sim:worlds"


def give_up(text):
    print(f"mutants: {text}", file=sys.stderr)
    sys.exit(2)


def copy_tree(to):
    """What git knows of the tree, as it is now."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TREE,
                           check=True, capture_output=True, text=True).stdout.splitlines()
    for name in names:
        source, copy = TREE / name, to / name
        if not source.is_file():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy)


class Workshop:
    """A copy of the tree, and the worlds built from it."""

    def __init__(self, folder, output_base):
        self.tree = folder / "tree"
        copy_tree(self.tree)
        self.bazel = ["bazel", f"--output_base={output_base}"] if output_base else ["bazel"]

    def run_bazel(self, *words):
        return subprocess.run([*self.bazel, *words], cwd=self.tree, capture_output=True, text=True)

    def close(self):
        self.run_bazel("shutdown")

    def build(self):
        """The program, or None."""
        # -w: what a mutant leaves unused is no reason not to build it.
        options = ["-c", "opt", "--copt=-w", "--experimental_convenience_symlinks=ignore"]
        built = self.run_bazel("build", *options, TARGET)
        if built.returncode != 0:
            print(built.stderr[-3000:], file=sys.stderr)
            return None
        bin_folder = self.run_bazel("info", "-c", "opt", "--copt=-w", "bazel-bin").stdout.strip()
        return pathlib.Path(bin_folder) / "tests/sim/worlds"

    def violating_seed(self, worlds, options):
        """Of the first violation, as a text; None when all was well."""
        program = self.build()
        if program is None:
            give_up("it does not build")
        try:
            ran = subprocess.run([program, f"--worlds={worlds}", *options], capture_output=True,
                                 text=True, errors="replace", timeout=1800)
        except subprocess.TimeoutExpired:
            return "all: it hangs"
        if ran.returncode == 0:
            return None
        found = re.search(r"^seed (\d+: .*)$", ran.stdout, re.MULTILINE)
        if found is None:
            give_up(f"worlds ended with {ran.returncode} and no seed:\n{ran.stdout[-2000:]}")
        return found.group(1)


def check(mutant):
    count = (TREE / mutant["file"]).read_text().count(mutant["text"])
    if count != 1:
        give_up(f"{mutant['name']}: the text is in {mutant['file']} {count} times, not once")


def mutate(workshop, mutant):
    path = workshop.tree / mutant["file"]
    path.write_text(path.read_text().replace(mutant["text"], mutant["becomes"]))


def restore(workshop, mutant):
    shutil.copy2(TREE / mutant["file"], workshop.tree / mutant["file"])
    (workshop.tree / mutant["file"]).touch()


def try_all(workshop, mutants, worlds, options):
    """How many survived."""
    survivors = 0
    for mutant in mutants:
        mutate(workshop, mutant)
        seed = workshop.violating_seed(worlds, options)
        restore(workshop, mutant)
        survivors += seed is None
        verdict = f"seed {seed}" if seed else f"NOT CAUGHT: {mutant['why']}"
        print(f"{mutant['name']:32} {verdict[:140]}", flush=True)
    return survivors


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", default="*.toml", metavar="PATTERN", help="in this folder")
    parser.add_argument("--worlds", type=int, default=20000, metavar="N")
    parser.add_argument("--mutant", action="append", metavar="NAME", help="only this one")
    parser.add_argument("--output_base", metavar="FOLDER", help="for bazel")
    parser.add_argument("--check", action="store_true", help="only look for the texts")
    parser.add_argument("options", nargs="*", metavar="WORLDS_OPTION")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    mutants = [mutant for path in sorted(HERE.glob(arguments.list))
               for mutant in tomllib.loads(path.read_text())["mutant"]]
    if arguments.mutant:
        mutants = [m for m in mutants if m["name"] in arguments.mutant]
    if not mutants:
        give_up("no such mutant")
    for mutant in mutants:
        check(mutant)
    if arguments.check:
        return 0
    with tempfile.TemporaryDirectory(prefix="mutants") as folder:
        workshop = Workshop(pathlib.Path(folder), arguments.output_base)
        try:
            seed = workshop.violating_seed(arguments.worlds, arguments.options)
            if seed is not None:
                give_up(f"without any mutant there is a violation, seed {seed}")
            survivors = try_all(workshop, mutants, arguments.worlds, arguments.options)
        finally:
            workshop.close()
    print(f"{len(mutants) - survivors} of {len(mutants)} caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
