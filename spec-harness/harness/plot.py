# SPDX-License-Identifier: MIT
"""Charts by gnuplot, as SVG and PNG. Without gnuplot there are tables alone."""
import os
import shutil
import subprocess

from .store import StepFailed, write_whole

COLOURS = ["#1b6ca8", "#e07b39", "#4f9d69", "#a23b72", "#7d7d7d", "#c9a227", "#111111"]


def quoted(text):
    return '"%s"' % str(text).replace("\\", "").replace('"', "'").replace("_", "\\\\_")


def draw(chart, directory):
    """False if there is nothing to draw, or nothing to draw with."""
    series = {name: points for name, points in chart.series.items()
              if any(value is not None for _, value in points)}
    if not series or not shutil.which("gnuplot"):
        return False
    script = _lines(chart, series) if chart.lines else _bars(chart, series)
    for terminal, suffix in (("svg size 1000,420 dynamic font 'sans,13' background 'white'", "svg"),
                             ("pngcairo size 1500,630 font 'sans,14'", "png")):
        output = os.path.join(directory, "%s.%s" % (chart.name, suffix))
        text = "set terminal %s\nset output '%s'\n%s" % (terminal, output, script)
        done = subprocess.run(["gnuplot"], input=text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode and suffix == "svg":
            raise StepFailed("gnuplot: %s" % done.stdout.strip())
    write_whole(os.path.join(directory, chart.name + ".gnuplot"), script)
    return True


def _common(chart):
    return ("set ylabel %s\nset xlabel %s\nset grid ytics lc rgb '#dddddd'\nset border 3\n"
            "set tics nomirror\nset key outside top center horizontal\n" %
            (quoted(chart.axis), quoted(chart.xlabel)))


def _bars(chart, series):
    labels = []
    for points in series.values():
        labels += [label for label, _ in points if label not in labels]
    rows = []
    for label in labels:
        values = [dict(points).get(label) for points in series.values()]
        rows.append("%s %s" % (quoted(label), " ".join("NaN" if v is None else "%g" % v for v in values)))
    style = "rowstacked" if chart.stacked else "clustered gap 1"
    plots = ", ".join("$data using %d:xtic(1) title %s lc rgb '%s'" %
                      (index + 2, quoted(name), COLOURS[index % len(COLOURS)])
                      for index, name in enumerate(series))
    return ("%sset style data histogram\nset style histogram %s\nset style fill solid 0.9 border -1\n"
            "set boxwidth 0.9\nset xtics rotate by -40\nset rmargin 10\nset yrange [%s:]\n"
            "$data << EOD\n%s\nEOD\n"
            "plot %s\n" % (_common(chart), style, "0" if all(
                (value or 0) >= 0 for points in series.values() for _, value in points) else "",
                "\n".join(rows), plots))


def _lines(chart, series):
    blocks, plots = [], []
    for index, (name, points) in enumerate(series.items()):
        rows = "\n".join("%g %g" % point for point in points if None not in point)
        blocks.append("$data%d << EOD\n%s\nEOD\n" % (index, rows))
        plots.append("$data%d using 1:2 with linespoints pt 7 lw 2 lc rgb '%s' title %s" %
                     (index, COLOURS[index % len(COLOURS)], quoted(name)))
    places = sorted({point[0] for points in series.values() for point in points})
    few = len(places) < 12 and all(isinstance(place, int) for place in places)
    return "%sset rmargin 5\nset logscale %s\nset yrange [%s]\n%s%s%s\nplot %s\n" % (
        _common(chart), "xy" if chart.logy else "x", chart.range, _ticks("x", places if few else STEPS),
        _ticks("y", STEPS) if chart.logy else "", "".join(blocks), ", ".join(plots))


# Of a logarithmic axis: gnuplot's own may be one alone.
STEPS = [digit * 10.0 ** power for power in range(-2, 7) for digit in (1, 2, 5)]


def _ticks(axis, places):
    return "set %stics (%s)\n" % (axis, ", ".join('"%s" %g' % ("{:,.10g}".format(place), place)
                                                  for place in places))
