# SPDX-License-Identifier: GPL-2.0-only
"""Shared by the programs that draw: one-line errors, options, matplotlib, files."""

import argparse
import math
import os
import sys
import tempfile
import textwrap
from pathlib import Path

from edgepipe.interpreter import need
from edgepipe.running import ScenarioError

NARROW = 6  # inches; in narrower pictures panels are stacked


class InputError(Exception):
    """A mistake by the user, described in one line, whatever the user's names and values hold; lines: more of them."""

    def __init__(self, message, lines=()):
        super().__init__("\n".join([one_line(message), *(f"  {one_line(line)}" for line in lines)]))


def one_line(text):
    return "".join(one if one.isprintable() else "?" for one in " ".join(str(text).splitlines()))


def start(main):
    """Runs a program; mistakes by the user are reported in one line."""
    name = Path(sys.argv[0]).name
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # if it is closed
    try:
        try:
            main()
        finally:
            sys.stdout.flush()
    except (InputError, ScenarioError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the final flush does not fail
        if not isinstance(error, BrokenPipeError):
            print(f"{name}: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


class Parser(argparse.ArgumentParser):
    """Splits a program's docstring in --help: the first paragraph before the options, the rest after them."""

    def __init__(self, text, **options):
        description, _, details = text.partition("\n\n")
        super().__init__(description=description, epilog=details, **options)

    def option(self, name, default, text, **options):
        """Adds --name, with the default in its help."""
        self.add_argument(f"--{name}", default=default, help=f"{text} (%(default)s)", **options)

    def error(self, message):  # one line, without the usage
        self.exit(2, f"{self.prog}: {message}; --help explains the options\n")


def number(lowest, highest, kind=float):
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not lowest <= value <= highest:
            what = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(
                f'found "{text}", expected {what} from {lowest:g} to {highest:g}'
            )
        return value

    return read


def add_look(parser, width, least=5, what="pictures", note=""):
    """Adds the options for a picture's size and text; width and least: default and minimum width, inches."""
    add = parser.add_argument
    add("--width", type=number(least, 40), default=width, metavar="IN",
        help=f"width of the {what}, inches (default: %(default)s{note})")
    add("--font-size", type=number(4, 30), default=8, metavar="PT",
        help="size of the text, points (default: %(default)s)")
    add("--dpi", type=number(50, 1200, int), default=150, metavar="N",
        help="pixels per inch of a .png (default: %(default)s)")


def new_figure(width, height, dpi, **options):
    """A figure independent of any window system; sizes in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=dpi, **options)
    FigureCanvasAgg(figure)
    return figure


def new_panels(options, count, share, title="", abreast=None):
    """A figure of count panels, abreast to a row (default: all), stacked in narrow pictures; share: a panel's
    height over the picture's width."""
    across, share = (abreast or count, share) if options.width >= NARROW else (1, 0.9)
    rows = count // across
    figure = new_figure(options.width, rows * share * options.width + 0.5, options.dpi, layout="constrained")
    set_title(figure, title, options)
    return figure, figure.subplots(rows, across, squeeze=False).flat


def set_title(figure, title, options):
    letters = int(options.width * 72 / (0.6 * options.font_size))
    lines = [part for line in title.splitlines() for part in textwrap.wrap(line, letters)]
    if lines:
        figure.suptitle("\n".join(lines), fontsize=options.font_size, weight="bold")


def check_output(text):
    out = Path(text)
    if out.suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f'--out: found "{text}", expected a name ending in .png, .svg or .pdf')
    check_folder(out.parent)
    return out


def check_folder(folder):
    """Refuses a folder that is not writable, before anything is drawn."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InputError(f"{folder}: cannot write there: {error.strerror}") from None


def make_folder(option, text):
    """The folder that an option names, created and checked before there is work to lose."""
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f'{option}: found "{text}", expected a folder: {error.strerror}') from None
    check_folder(folder)
    return folder


def load_matplotlib(font_size):
    need("matplotlib")
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({
        "font.size": font_size,
        "axes.linewidth": 0.6,
        "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3 fonts
        "svg.hashsalt": "edgepipe",  # makes files reproducible
    })


def save(figure, out, dpi):
    """Writes the picture under a temporary name, then renames it."""
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    temporary = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        try:
            figure.savefig(temporary, format=out.suffix[1:], dpi=dpi,
                           metadata=dates.get(out.suffix))
            temporary.replace(out)
            note_file(out)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{out}: {error.strerror}") from None


def note_file(path):
    """Registers a file, so that the scenario's next run into the folder removes it."""
    files = path.parent / ".edgepipe-files"
    if files.exists() and path.name not in files.read_text(encoding="utf-8").splitlines():
        with open(files, "a", encoding="utf-8") as file:
            file.write(path.name + "\n")
