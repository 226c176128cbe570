# SPDX-License-Identifier: BSD-2-Clause
"""options.py: the options that the benchmarks in Python share."""
import argparse
import pathlib
import shutil
import sys


def number(text):
    """A whole number, such as 1000 or 1e3."""
    return int(float(text))


def existing_folder(text):
    path = pathlib.Path(text).resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


class Options(argparse.ArgumentParser):
    """Shows the text at the top of a script for --help, and reports a mistake in one
    line."""

    def __init__(self, about):
        super().__init__(
            description=about, formatter_class=argparse.RawDescriptionHelpFormatter
        )

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see --help\n")


class BenchOptions(Options):
    """Also has --quick, for values other than the usual ones."""

    def __init__(self, about):
        super().__init__(about)
        self.quick = {}
        self.add_argument(
            "--quick",
            action="store_true",
            help="see that it works, with little data in one round; figures mean nothing",
        )

    def build(self):
        self.add_argument(
            "build", type=existing_folder, help="the build folder, such as build/default"
        )

    def number(self, name, usual, quick, kind=number):
        optional = {} if name.startswith("-") else {"nargs": "?"}
        given = self.add_argument(
            name, type=kind, default=usual, help=f"default: {usual:,}", **optional
        )
        self.quick[given.dest] = quick

    def words(self, name, known):
        """Some of the known words, with commas between them; all of them if it is not
        given."""

        def split(text):
            wrong = [word for word in text.split(",") if word not in known]
            if wrong:
                raise argparse.ArgumentTypeError(
                    f"unknown '{wrong[0]}'; choose from {','.join(known)}"
                )
            return text.split(",")

        self.add_argument(
            name,
            type=split,
            default=",".join(known),
            metavar="LIST",
            help="default: %(default)s",
        )

    def read(self):
        if self.parse_args().quick:
            self.set_defaults(**self.quick)
            print(
                "--quick: this shows that the benchmark works; its figures mean nothing",
                flush=True,
            )
        return self.parse_args()


def installed(command, effect):
    """Whether a command is installed.  Says so if it is not."""
    there = shutil.which(command) is not None
    if not there:
        print(f"{command} is not installed: {effect}", file=sys.stderr)
    return there
