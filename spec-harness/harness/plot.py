# SPDX-License-Identifier: MIT
"""Charts by gnuplot, as SVG. Without gnuplot there are tables alone.

Programs are rows, with their names where names can be read: what was measured of one is points on its row (with
quartiles, where there are), or a bar of parts. What depends on a number is lines.
"""
import os
import re
import shutil
import subprocess

from .store import StepFailed, write_whole

# told apart by shape, too: for who does not see the colours, and where points lie on each other
COLOURS = ["#1b6ca8", "#e07b39", "#4f9d69", "#a23b72", "#7d7d7d", "#c9a227", "#111111", "#5bb5c5"]
SHAPES = [7, 5, 9, 11, 13, 6, 4, 8]
ROW = 18  # pixels
WIDTH = 900


def quoted(text):
    return '"%s"' % str(text).replace("\\", "").replace('"', "'").replace("_", "\\\\_")


def draw(chart, directory):
    """False if there is nothing to draw, or nothing to draw with."""
    series = {name: points for name, points in chart.series.items()
              if any(point[1] is not None for point in points)}
    if not series or not shutil.which("gnuplot"):
        return False
    if chart.lines:
        script, height = _lines(chart, series), 420
    else:
        labels = _labels(series)
        script = (_parts if chart.stacked else _points)(chart, series, labels)
        height = 110 + ROW * (len(labels) + (len(series) + 3) // 4)
    text = ("set terminal svg size %d,%d dynamic font 'sans,13' background 'white'\n%s" % (WIDTH, height, script))
    done = subprocess.run(["gnuplot"], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise StepFailed("gnuplot: %s" % done.stderr.strip())
    write_whole(os.path.join(directory, chart.name + ".svg"), compact(done.stdout))
    return True


def compact(svg):
    """The same picture in half of the bytes: gnuplot's has groups of nothing, unused symbols and air."""
    svg = re.sub(r"<desc>.*?</desc>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<filter .*?</filter>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' class="gridline"| stroke-linecap="butt"| stroke-linejoin="miter"| stroke-width="1.00"', "", svg)
    svg = re.sub(r"(\d)\.00\b|(\.\d)0\b", lambda found: found[1] or found[2], svg)
    for _ in range(3):
        svg = re.sub(r"<g [^>]*>\s*</g>", "", svg)
    used = set(re.findall(r"xlink:href='#(\w+)'", svg))
    svg = re.sub(r"<(?:path|rect|circle|use) [^>]*id='(gpPt\d+|gpDot)'[^>]*/>",
                 lambda found: found[0] if found[1] in used else "", svg)
    svg = re.sub(r">\s+<", ">\n<", svg)
    return re.sub(r"[ \t]+", " ", svg).strip() + "\n"


def _common(chart):
    return ("set title %s noenhanced font ',15'\nset border 1 lc rgb '#888888'\nset tics nomirror textcolor rgb '#222222'\n"
            "set key top outside center horizontal\n" % quoted(chart.title or chart.axis))


# ---- rows ------------------------------------------------------------------------------------------------------------

def _labels(series):
    labels = []
    for points in series.values():
        labels += [point[0] for point in points if point[0] not in labels]
    return labels


def _rows(chart, labels, low, high):
    """Names at the left, a line through each row; the axis has room for all of [low, high]."""
    ticks = ", ".join("%s %d" % (quoted(label), row) for row, label in enumerate(labels))
    return ("%sset xlabel %s\nset yrange [%g:-0.5] noextend\nset ytics (%s) scale 0\nset grid ytics lt 1 lc rgb '#eeeeee'\n"
            "set grid xtics lt 1 lc rgb '#dddddd'\nset xrange [%g:%g]\n%s" %
            (_common(chart), quoted(chart.axis), len(labels) - 0.5, ticks, low, high,
             "set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb '#888888' lw 1\n" if low < 0 else ""))


def _range(values):
    """What holds all of them, or all but few that are far out: those are named at the edge."""
    ordered = sorted(values)
    low, high = ordered[0], ordered[-1]
    body = ordered[int(0.97 * (len(ordered) - 1))]
    if high > 0 and body > 0 and high > 2 * body:
        high = 1.15 * body
    room = 0.03 * (high - min(low, 0) or 1)
    return (low - room if low < 0 else 0), high + room


def _points(chart, series, labels):
    """Series of (label, value) or (label, value, low, high): whiskers are from low to high."""
    values = [point[1] for points in series.values() for point in points if point[1] is not None]
    low, high = _range(values)
    blocks, plots, far = [], [], {}
    for index, (name, points) in enumerate(series.items()):
        rows = []
        for label, value, *whiskers in points:
            if value is None:
                continue
            row = labels.index(label) + (index - (len(series) - 1) / 2) * min(0.12, 0.5 / len(series))
            if value > high:
                far.setdefault(labels.index(label), []).append("%s %.3g" % (name, value))
            first, last = whiskers or (value, value)
            rows.append("%g %g %g %g" % (min(value, high), row, max(first, low), min(last, high)))
        colour = COLOURS[index % len(COLOURS)]
        blocks.append("$data%d << EOD\n%s\nEOD\n" % (index, "\n".join(rows)))
        plots.append("$data%d using 1:2:3:4 with xerrorbars pt 0 lc rgb '%s' notitle, $data%d using 1:2 with points "
                     "pt %d ps 0.8 lc rgb '%s' title %s" %
                     (index, colour, index, SHAPES[index % len(SHAPES)], colour, quoted(name)))
    notes = "".join("set label %s at %g, %g right offset -1, 0 font ',10' textcolor rgb '#444444' noenhanced\n" %
                    (quoted("beyond: " + ", ".join(texts)), high, row - 0.4) for row, texts in far.items())
    return "%sset bars 0\n%s%splot %s\n" % (_rows(chart, labels, low, high), notes, "".join(blocks), ", ".join(plots))


def _parts(chart, series, labels):
    """Bars of parts, one behind the other."""
    ends = {label: 0.0 for label in labels}
    blocks, plots = [], []
    for index, (name, points) in enumerate(series.items()):
        rows = []
        for label, value in points:
            rows.append("%g %d %g %g" % (ends[label], labels.index(label), ends[label], ends[label] + (value or 0)))
            ends[label] += value or 0
        blocks.append("$data%d << EOD\n%s\nEOD\n" % (index, "\n".join(rows)))
        plots.append("$data%d using 1:2:3:4:($2-0.35):($2+0.35) with boxxyerror lc rgb '%s' title %s" %
                     (index, COLOURS[index % len(COLOURS)], quoted(name)))
    return "%sset style fill solid 0.9 noborder\n%splot %s\n" % (
        _rows(chart, labels, 0, 1.02 * max(ends.values())), "".join(blocks), ", ".join(plots))


# ---- lines -----------------------------------------------------------------------------------------------------------

def _lines(chart, series):
    """The later a line, the thinner: those that coincide are seen both."""
    blocks, plots = [], []
    for index, (name, points) in enumerate(series.items()):
        rows = "\n".join("%g %g" % tuple(point) for point in points if None not in point)
        blocks.append("$data%d << EOD\n%s\nEOD\n" % (index, rows))
        plots.append("$data%d using 1:2 with linespoints pt %d ps %g lw %g lc rgb '%s' title %s" %
                     (index, SHAPES[index % len(SHAPES)], max(0.7, 1.3 - 0.15 * index), max(1.2, 4 - 0.7 * index),
                      COLOURS[index % len(COLOURS)], quoted(name)))
    places = sorted({point[0] for points in series.values() for point in points})
    few = len(places) < 12 and all(isinstance(place, int) for place in places)
    return ("%sset border 3\nset xlabel %s\nset ylabel %s\nset grid lt 1 lc rgb '#dddddd'\nset logscale %s\n"
            "set xrange [%g:%g] noextend\nset yrange [%s]\n%s%s%s\nplot %s\n" % (
                _common(chart), quoted(chart.xlabel), quoted(chart.axis), "xy" if chart.logy else "x",
                places[0] / 1.1, places[-1] * 1.1, chart.range, _ticks("x", places if few else STEPS),
                _ticks("y", STEPS) if chart.logy else "", "".join(blocks), ", ".join(plots)))


# Of a logarithmic axis: gnuplot's own may be one alone.
STEPS = [digit * 10.0 ** power for power in range(-2, 7) for digit in (1, 2, 5)]


def _ticks(axis, places):
    return "set %stics (%s)\n" % (axis, ", ".join('"%s" %g' % ("{:,.10g}".format(place), place)
                                                  for place in places))
