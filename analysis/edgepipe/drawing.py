# SPDX-License-Identifier: GPL-2.0-only
"""Common frame of the programs that draw the results of a scenario: options and order of steps."""

import json
from pathlib import Path

from edgepipe.pictures import (InputError, Parser, add_look, check_folder, check_output, load_matplotlib,
                               save)
from edgepipe.run_file import check_scenario


def parse(text, default, add, width, least, what, note="", **out):
    """Reads the options of a program that draws; out: argparse settings of --out."""
    parser = Parser(text)
    parser.add_argument("input", nargs="?", default=default, metavar="FOLDER",
                        help="results of the scenario (default: %(default)s)")
    parser.add_argument("-o", "--out", **out)
    add(parser)
    add_look(parser, width, least, what, note)
    return parser.parse_args()


def draw_results(text, script, default, make, width, what="pictures", least=3, add=lambda parser: None):
    """Runs a program that draws pictures.

    default: the default folder of results; script: the program's file; width: of the pictures, inches;
    add: adds further options.
    make: turns folder and options into functions that draw, by name of the picture.
    """
    def add_all(parser):
        add(parser)
        parser.add_argument("--format", choices=("png", "svg", "pdf"), default="png",
                            help=f"file format of the {what} (default: %(default)s)")

    goes = what + (" go" if what.endswith("s") else " goes")
    options = parse(text, default, add_all, width, least, what, metavar="FOLDER",
                    help=f"where the {goes} (default: with the results)")
    folder, out = Path(options.input), Path(options.out or options.input)
    if options.out and not out.is_dir():
        raise InputError(f'--out: found "{out}", expected a folder')
    if out.is_dir():
        check_folder(out)
    check_scenario(folder, script)
    save_all({out / f"{name}.{options.format}": draw for name, draw in make(folder, options).items()}, options)


def draw_picture(text, script, default, make, width, least=3, note="", add=lambda parser: None):
    """As draw_results, for a single picture, named like the script unless --out is given.

    make: returns the function that draws.
    """
    name = f"{Path(script).stem}.png"
    options = parse(text, default, add, width, least, "picture", note, metavar="FILE",
                    help=f"picture to write, a .png, .svg or .pdf file (default: {name} in the folder)")
    folder = Path(options.input)
    check_scenario(folder, script)
    if not (folder / "results.csv").exists():
        raise InputError(f"{folder / 'results.csv'}: no such file, expected a scenario's results; ./ns3 run "
                         f"{Path(default).name} makes {default}")
    draw = make(folder, options)
    save_all({check_output(options.out) if options.out else folder / name: draw}, options)


def save_all(pictures, options):
    """pictures: functions that draw, by file."""
    load_matplotlib(options.font_size)
    for path, draw in pictures.items():
        save(draw(), path, options.dpi)
        show_on_page(path)
        print(path)


def show_on_page(picture):
    """Adds a picture to report.html beside it, if there is one; not a PDF, which browsers do not show inline."""
    page = picture.with_name("report.html")
    if picture.suffix == ".pdf" or not page.is_file():
        return
    before, start, rest = page.read_text(encoding="utf-8").partition('"pictures":[')
    names, end, after = rest.partition("]")
    if start and json.dumps(picture.name) not in names.split(","):
        names += ("," if names else "") + json.dumps(picture.name)
        page.write_text(before + start + names + end + after, encoding="utf-8")
