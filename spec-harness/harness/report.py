# SPDX-License-Identifier: MIT
"""Sections, tables and charts, and their writing: a JSON file for each section, the plots of its charts as SVG, and
report.html with all of them in one file. harness/page.py makes a Markdown page of the JSON files."""
import base64
import dataclasses
import glob
import html
import json
import os

from .plot import draw
from .store import write_whole

SCHEMA_VERSION = 1


@dataclasses.dataclass
class Table:
    columns: list
    rows: list  # strings, numbers, None for what there is not
    digits: object = 1  # behind the point, or a list of it, by column
    noise: object = None  # what two evaluations of one program may differ by, or a list of it, by column; None: not
    # to be compared


@dataclasses.dataclass
class Chart:
    name: str
    axis: str
    # name -> [(label, value)], of which some may have quartiles: (label, value, low, high); or [(x, y)] if lines
    series: dict
    caption: str
    stacked: bool
    lines: bool
    logy: bool
    xlabel: str
    range: str  # of lines, as gnuplot has it between brackets
    title: str = ""  # the section's


@dataclasses.dataclass
class Section:
    name: str
    title: str
    text: str
    tables: list
    charts: list
    made: dict = dataclasses.field(default_factory=dict)  # softlbr, date, machine, command: where figures are from


def table(columns, rows, digits=1, noise=None):
    return Table(columns, rows, digits, noise)


def chart(name, axis, series, caption, stacked=False, lines=False, logy=False, xlabel="",
          range="*:*"):
    return Chart(name, axis, series, caption, stacked, lines, logy, xlabel, range)


def digits_of(content, index):
    return content.digits[index] if isinstance(content.digits, list) else content.digits


def cell(value, digits):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        if isinstance(value, int) or abs(value) >= 10000:
            return "{:,.0f}".format(value)
        return "{:.{}f}".format(value, digits)
    return str(value)


def is_text(content, index):
    """Whether a column has words alone."""
    values = [row[index] for row in content.rows if row[index] is not None]
    return all(isinstance(value, str) for value in values)


# ---- JSON ------------------------------------------------------------------------------------------------------------

def _line(value):
    return json.dumps(value, ensure_ascii=False)


def _lines(values, indent):
    """A list or an object with an item a line, as a person reads and compares it."""
    pad = "\n" + " " * indent
    if isinstance(values, dict):
        return "{%s\n%s}" % (",".join(pad + _line(key) + ": " + _line(value) for key, value in values.items()),
                             " " * (indent - 1)) if values else "{}"
    return "[%s\n%s]" % (",".join(pad + _line(value) for value in values), " " * (indent - 1)) if values else "[]"


def section_json(section):
    """The file of a section: a row of a table is a line."""
    tables = ["{\"columns\": %s,\n   \"digits\": %s, \"noise\": %s,\n   \"rows\": %s}" %
              (_line(content.columns), _line(content.digits), _line(content.noise), _lines(content.rows, 4))
              for content in section.tables]
    charts = []
    for content in section.charts:
        fields = dataclasses.asdict(content)
        series = fields.pop("series")
        charts.append("{%s,\n   \"series\": %s}" % (_line(fields)[1:-1], _lines(series, 4)))
    return ("{\"schema_version\": %d,\n \"title\": %s,\n \"text\": %s,\n \"made\": %s,\n \"tables\": [\n  %s],\n"
            " \"charts\": [%s]}\n" %
            (SCHEMA_VERSION, _line(section.title), _line(section.text), _lines(section.made, 2),
             ",\n  ".join(tables), ("\n  " + ",\n  ".join(charts)) if charts else ""))


def read_section(path):
    with open(path, encoding="utf-8") as file:
        fields = json.load(file)
    if not isinstance(fields, dict) or fields.get("schema_version") != SCHEMA_VERSION or "tables" not in fields:
        raise ValueError("%s: not a section of spec-harness" % path)
    return Section(os.path.basename(path)[:-len(".json")], fields["title"], fields["text"],
                   [Table(**content) for content in fields["tables"]],
                   [Chart(**content) for content in fields.get("charts", [])], fields.get("made", {}))


def read_sections(directory):
    """name -> section, of all that are in a directory."""
    found = [read_section(path) for path in sorted(glob.glob(os.path.join(directory, "*.json")))
             if os.path.basename(path) != "contents.json"]
    return {section.name: section for section in found}


def redraw(directory):
    """The plots of a report that was written, again, from its JSON files; how many."""
    return sum(draw(content, directory) for section in read_sections(directory).values() for content in section.charts)


# ---- the report ------------------------------------------------------------------------------------------------------

class Report:
    """directory: where all files go; title and preface: text above the sections; made: where the figures are from."""

    def __init__(self, directory, title, preface, made):
        self.directory = directory
        self.title = title
        self.preface = preface  # paragraphs
        self.made = made
        self.sections = []

    def add(self, sections):
        self.sections += sections

    def write(self):
        os.makedirs(self.directory, exist_ok=True)
        for old in glob.glob(os.path.join(self.directory, "*.json")):
            os.remove(old)
        for section in self.sections:
            section.made = self.made
            for content in section.charts:
                content.title = section.title
            section.charts = [content for content in section.charts if draw(content, self.directory)]
            write_whole(os.path.join(self.directory, section.name + ".json"), section_json(section))
        write_whole(os.path.join(self.directory, "report.html"), self._html())

    def _html(self):
        parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>%s</title><style>%s</style>"
                 "<h1>%s</h1>" % (html.escape(self.title), STYLE, html.escape(self.title))]
        parts += ["<p>%s</p>" % html.escape(paragraph) for paragraph in self.preface]
        parts.append("<ul>%s</ul>" % "".join("<li><a href='#%s'>%s</a></li>" %
                                             (section.name, html.escape(section.title))
                                             for section in self.sections))
        for section in self.sections:
            parts.append("<h2 id='%s'>%s</h2><p>%s</p>" %
                         (section.name, html.escape(section.title), html.escape(section.text)))
            parts += [self._html_table(content) for content in section.tables]
            for content in section.charts:
                with open(os.path.join(self.directory, content.name + ".svg"), "rb") as file:
                    picture = base64.b64encode(file.read()).decode()
                parts.append("<figure><img alt='%s' src='data:image/svg+xml;base64,%s'>"
                             "<figcaption>%s</figcaption></figure>" %
                             (html.escape(content.axis), picture, html.escape(content.caption)))
        return "\n".join(parts) + "\n"

    @staticmethod
    def _html_table(content):
        head = "".join("<th>%s" % html.escape(column) for column in content.columns)
        rows = "".join("<tr>%s" % "".join(
            "<td%s>%s" % ("" if isinstance(value, str) else " class=n",
                          html.escape(cell(value, digits_of(content, index)))) for index, value in enumerate(row))
            for row in content.rows)
        return "<div class=t><table><tr>%s%s</table></div>" % (head, rows)


STYLE = """body{font:16px/1.5 sans-serif;max-width:75em;margin:2em auto;padding:0 1em;color:#222}
.t{overflow-x:auto}table{border-collapse:collapse;font-size:14px}td,th{padding:.2em .6em;
border-bottom:1px solid #ddd;text-align:left;vertical-align:bottom}.n{text-align:right;
font-variant-numeric:tabular-nums}figure{margin:1em 0}figcaption{color:#555}img{max-width:100%}"""
