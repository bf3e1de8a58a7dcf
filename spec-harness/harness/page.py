# SPDX-License-Identifier: MIT
"""A Markdown page of measured figures, from the JSON files of sections (report.py) and contents.json, which says in
which order they stand and which figures are the headlines: those that other pages may show."""
import json
import os

from .report import SCHEMA_VERSION, cell, digits_of, is_text, read_sections

HEAD = """# Results

All measured figures of softlbr stand on this page, and only here. `spec-harness/results` writes it from the files in
[evaluation](evaluation/README.md): do not edit it. Below each table stands where it is from: the commit, the date, the
machine and the command that repeats it.
"""


class Contents:
    """contents.json: headlines and parts. Raises ValueError for what is not in the sections."""

    def __init__(self, directory):
        with open(os.path.join(directory, "contents.json"), encoding="utf-8") as file:
            fields = json.load(file)
        if fields.get("schema_version") != SCHEMA_VERSION:
            raise ValueError("contents.json: schema_version %s" % fields.get("schema_version"))
        self.parts = fields["parts"]
        self.headlines = fields["headlines"]
        self.tables = fields["tables"]  # of sections that not all tables are shown of
        self.sections = read_sections(directory)
        named = [name for part in self.parts for name in part["sections"]]
        for name in sorted(set(named) ^ set(self.sections)):
            raise ValueError("%s is in contents.json alone, or a file that it does not name" % name)

    def shown(self, section):
        """The tables that the page has: all, or those that contents.json names by number."""
        numbers = self.tables.get(section.name, range(len(section.tables)))
        return [section.tables[number] for number in numbers]

    def figure(self, headline):
        """The text of a headline's figure, rounded as it says: "8.5 %"."""
        section = self.sections[headline["section"]]
        content = section.tables[headline.get("table", 0)]
        column = content.columns.index(headline["column"])
        rows = [row for row in content.rows if row[0] == headline["row"]]
        if len(rows) != 1:
            raise ValueError("%s: %d rows %s" % (headline["section"], len(rows), headline["row"]))
        return cell(rows[0][column], headline.get("digits", digits_of(content, column))) + headline.get("unit", " %")


def _made(section, pictures):
    made = section.made
    where = ", ".join(made[key] for key in ("softlbr", "date", "machine") if made.get(key))
    command = ": `%s`" % made["command"] if made.get("command") else ""
    note = " " + made["note"] if made.get("note") else ""
    return "*%s%s.*%s ([data](%s%s.json))\n" % (where, command, note, pictures, section.name)


def _table(content):
    lines = ["| %s |" % " | ".join(content.columns),
             "| %s |" % " | ".join("---" if is_text(content, index) else "---:"
                                   for index in range(len(content.columns)))]
    lines += ["| %s |" % " | ".join("" if value is None and not index else cell(value, digits_of(content, index))
                                    for index, value in enumerate(row))
              for row in content.rows]
    return lines + [""]


def page(directory, pictures):
    """The whole page; pictures: the way from the page to the directory of the sections, with its slash."""
    contents = Contents(directory)
    lines = [HEAD, "## In short\n", "| | | |", "| --- | ---: | --- |"]
    for headline in contents.headlines:
        section = contents.sections[headline["section"]]
        lines.append('| <a name="%s"></a>%s | %s | [%s](#%s) |' %
                     (headline["name"], headline["what"], contents.figure(headline), section.title, section.name))
    lines.append("")
    for part in contents.parts:
        lines += ["## %s\n" % part["title"]] + ([part["text"] + "\n"] if part.get("text") else [])
        for name in part["sections"]:
            section = contents.sections[name]
            lines += ['### <a name="%s"></a>%s\n' % (name, section.title), section.text + "\n"]
            for content in contents.shown(section):
                lines += _table(content)
            for content in section.charts:
                lines.append("![%s](%s%s.svg)\n\n%s\n" % (content.axis, pictures, content.name, content.caption))
            lines.append(_made(section, pictures))
    return "\n".join(lines)
