# SPDX-License-Identifier: MIT
"""Sections, tables and charts, and their writing: report.md, report.html (self-contained), a CSV and a
JSON file for each, and plots by gnuplot as SVG and PNG."""
import base64
import csv
import dataclasses
import html
import io
import json
import os

from .plot import draw
from .store import write_whole


@dataclasses.dataclass
class Table:
    columns: list
    rows: list  # strings, numbers, None for what there is not
    digits: int
    noise: object  # what two evaluations of one program may differ by, or a list of it, by column; None: not
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


def table(columns, rows, digits=1, noise=None):
    return Table(columns, rows, digits, noise)


def chart(name, axis, series, caption, stacked=False, lines=False, logy=False, xlabel="",
          range="*:*"):
    return Chart(name, axis, series, caption, stacked, lines, logy, xlabel, range)


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


class Report:
    """directory: where all files go; title and preface: text above the sections."""

    def __init__(self, directory, title, preface):
        self.directory = directory
        self.title = title
        self.preface = preface  # paragraphs
        self.sections = []

    def add(self, sections):
        self.sections += sections

    def write(self):
        os.makedirs(self.directory, exist_ok=True)
        for section in self.sections:
            self._write_data(section)
            for content in section.charts:
                content.title = section.title
            section.charts = [chart for chart in section.charts if draw(chart, self.directory)]
        write_whole(os.path.join(self.directory, "report.md"), self._markdown())
        write_whole(os.path.join(self.directory, "report.html"), self._html())
        write_whole(os.path.join(self.directory, "report.json"), json.dumps(
            {"schema_version": 1, "title": self.title, "preface": self.preface,
             "sections": {section.name: [{"columns": t.columns, "rows": t.rows, "noise": t.noise}
                                        for t in section.tables]
                          for section in self.sections},
             "charts": [dataclasses.asdict(chart) for section in self.sections for chart in section.charts]},
            indent=1) + "\n")

    def _write_data(self, section):
        for number, content in enumerate(section.tables):
            name = section.name + ("-%d" % (number + 1) if number else "")
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(content.columns)
            writer.writerows(["" if value is None else value for value in row] for row in content.rows)
            write_whole(os.path.join(self.directory, name + ".csv"), text.getvalue())
            write_whole(os.path.join(self.directory, name + ".json"), json.dumps(
                {"title": section.title, "columns": content.columns, "rows": content.rows},
                indent=1) + "\n")

    def _markdown(self):
        parts = ["# %s\n" % self.title] + [paragraph + "\n" for paragraph in self.preface]
        for section in self.sections:
            parts.append("## %s\n\n%s\n" % (section.title, section.text))
            for content in section.tables:
                parts.append("| %s |" % " | ".join(content.columns))
                parts.append("| %s |" % " | ".join("---" if is_text(content, index) else "---:"
                                                   for index in range(len(content.columns))))
                parts += ["| %s |" % " | ".join(cell(value, content.digits) for value in row)
                          for row in content.rows]
                parts.append("")
            for content in section.charts:
                parts.append("![%s](%s.svg)\n\n%s\n" % (content.axis, content.name, content.caption))
        return "\n".join(parts)

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
                          html.escape(cell(value, content.digits))) for value in row)
            for row in content.rows)
        return "<div class=t><table><tr>%s%s</table></div>" % (head, rows)


def redraw(directory):
    """The plots of a report that was written, again, from its report.json; how many."""
    with open(os.path.join(directory, "report.json"), encoding="utf-8") as file:
        charts = [Chart(**fields) for fields in json.load(file)["charts"]]
    return sum(draw(chart, directory) for chart in charts)


STYLE = """body{font:16px/1.5 sans-serif;max-width:75em;margin:2em auto;padding:0 1em;color:#222}
.t{overflow-x:auto}table{border-collapse:collapse;font-size:14px}td,th{padding:.2em .6em;
border-bottom:1px solid #ddd;text-align:left;vertical-align:bottom}.n{text-align:right;
font-variant-numeric:tabular-nums}figure{margin:1em 0}figcaption{color:#555}img{max-width:100%}"""
