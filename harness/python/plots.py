# Draws the pictures of a report as SVG. Run in the embedded Python; see plots.hpp.
import functools
import io
import logging
import re
import warnings

# Matplotlib warns of fonts, glyphs and layouts, by both ways that Python has. Nobody who reads a
# terminal can do anything about them: texts are drawn by the browser, in its own fonts.
logging.getLogger("matplotlib").addHandler(logging.NullHandler())
logging.getLogger("matplotlib").propagate = False
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import matplotlib
    from matplotlib.figure import Figure

# Colours that stand for CSS variables until the SVG is written; no map or default has them.
INK, FAINT = "#010203", "#010204"
COLOURS = ["#0102%02x" % (16 + i) for i in range(8)]
VARIABLES = {INK: "--ink", FAINT: "--faint", **{c: "--c%d" % i for i, c in enumerate(COLOURS)}}
MARKERS = "osD^vPX*"
SETTINGS = {
    "svg.fonttype": "none", "svg.hashsalt": "warpmark", "font.size": 10, "font.family": "sans-serif",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": FAINT, "xtick.color": INK,
    "ytick.color": INK, "grid.color": FAINT, "grid.alpha": 0.35, "axes.grid": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "legend.fontsize": 9, "axes.axisbelow": True,
}


CHARACTER = 0.075  # inches, of a text of 9 points


def without_warnings(function):
    @functools.wraps(function)
    def quiet(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments)
    return quiet


def power_text(value, _):
    """An axis value as it is written in a suite: 2^20, 1e+06, 4096."""
    whole = int(round(value))
    if whole >= 1024 and whole == value and whole & (whole - 1) == 0:
        return "2^%d" % (whole.bit_length() - 1)
    return "%d" % whole if whole == value and abs(whole) < 10**6 else "%g" % value


def number_text(value, _):
    return "%g" % value if 1e-4 <= abs(value) < 1e6 or value == 0 else "%.0e" % value


def write(figure, number):
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True,
                   metadata={"Creator": None, "Date": None, "Format": None, "Type": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, "var(%s)" % variable)
    # All pictures share the page's ids.
    svg = re.sub(r'(\bid="|url\(#|xlink:href="#)', r"\g<1>w%d-" % number, svg)
    return re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>',
                  r'<svg xmlns:xlink="http://www.w3.org/1999/xlink" role="img" \1>', svg, count=1)


def x_ticks(axes, values):
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
    values = sorted(set(values))
    step = max(1, -(-len(values) // 12))
    axes.xaxis.set_major_locator(FixedLocator(values[::step]))
    axes.xaxis.set_major_formatter(FuncFormatter(power_text))
    axes.xaxis.set_minor_locator(NullLocator())


def legend_shape(lines, width):
    """Columns and rows of a legend that is no wider than the picture, if one label is not."""
    longest = CHARACTER * max(len(line["label"]) for line in lines) + 0.5
    columns = max(1, min(len(lines), 4, int(width / longest)))
    return columns, -(-len(lines) // columns), longest


def add_legend(axes, columns):
    legend = axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=columns)
    for text in legend.get_texts():
        text.set_parse_math(False)


@without_warnings
def draw_lines(plot, number):
    columns, rows, longest = legend_shape(plot["lines"], 6.4)
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(max(6.4, longest), 3.3 + 0.18 * rows), layout="constrained")
        axes = figure.add_subplot()
        if plot["log_x"]:
            axes.set_xscale("log", base=2)
        if plot["log_y"]:
            axes.set_yscale("log")
        for line in plot["lines"]:
            colour = COLOURS[line["colour"] % 8]
            marker = MARKERS[line["colour"] % 8]
            axes.plot(line["x"], line["y"], color=colour, marker=marker, markersize=4.5,
                      linewidth=1.6, linestyle="--" if line["dashed"] else "-", label=line["label"],
                      markerfacecolor="none" if line["dashed"] else colour)
            if line["low"]:
                axes.fill_between(line["x"], line["low"], line["high"], color=colour, alpha=0.18,
                                  linewidth=0)
        for level in plot["levels"]:
            axes.axhline(level["value"], color=INK, linewidth=1, linestyle=(0, (4, 3)))
            axes.annotate(level["label"], (0, level["value"]), xycoords=("axes fraction", "data"),
                          xytext=(4, 3), textcoords="offset points", ha="left", va="bottom",
                          fontsize=9, color=INK, parse_math=False)
        if not plot["log_y"]:
            axes.set_ylim(bottom=0)
        if plot["x_names"]:
            axes.set_xticks(range(len(plot["x_names"])), plot["x_names"], parse_math=False)
        else:
            x_ticks(axes, [x for line in plot["lines"] for x in line["x"]])
        axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(number_text))
        axes.set_xlabel(plot["x_label"], parse_math=False)
        axes.set_ylabel(plot["y_label"], parse_math=False)
        add_legend(axes, columns)
        return write(figure, number)


def roof_segment(rate, peaks, left, right, low):
    """From where the roof comes into the picture up to the highest peak."""
    end = min(right, max(peaks) / rate) if peaks else right
    begin = max(left, low / rate)
    return (begin, end) if begin < end else (left, right)


@without_warnings
def draw_roofline(plot, number):
    groups = plot["groups"]
    rates = [roof["value"] for roof in plot["memory"]]
    peaks = [roof["value"] for roof in plot["peaks"]]
    xs = [x for group in groups for x in group["x"]]
    ys = [y for group in groups for y in group["y"]]
    ridges = [peak / rate for peak in peaks for rate in rates]
    left, right = min(xs) / 4, max(xs + ridges) * 4
    low, high = min(ys) / 2, max(ys + peaks + ([] if peaks else [max(xs) * max(rates)])) * 2.5
    columns, rows, longest = legend_shape(groups, 6.4)
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(max(6.4, longest), 3.6 + 0.18 * rows), layout="constrained")
        axes = figure.add_subplot()
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(left, right)
        axes.set_ylim(low, high)
        for roof in plot["memory"]:
            begin, end = roof_segment(roof["value"], peaks, left, right, low)
            axes.plot([begin, end], [begin * roof["value"], end * roof["value"]], color=INK,
                      linewidth=1.2)
            middle = (begin * end) ** 0.5  # points are mostly near its ends
            axes.annotate(roof["label"], (middle, middle * roof["value"]), xytext=(-6, 4),
                          textcoords="offset points", ha="right", va="bottom", fontsize=9, color=INK,
                          parse_math=False)
        for roof in plot["peaks"]:
            axes.plot([roof["value"] / max(rates), right], [roof["value"]] * 2, color=INK,
                      linewidth=1.2)
            axes.annotate(roof["label"], (right, roof["value"]), xytext=(-4, 3),
                          textcoords="offset points", ha="right", va="bottom", fontsize=9, color=INK,
                          parse_math=False)
        for place, group in enumerate(groups):
            axes.plot(group["x"], group["y"], linestyle="none", color=COLOURS[place % 8],
                      marker=MARKERS[place % 8], markersize=5, label=group["label"])
        formatter = matplotlib.ticker.FuncFormatter(number_text)
        axes.xaxis.set_major_formatter(formatter)
        axes.yaxis.set_major_formatter(formatter)
        axes.minorticks_off()
        axes.set_xlabel("flop a byte")
        axes.set_ylabel("GFLOP/s")
        add_legend(axes, columns)
        return write(figure, number)


@without_warnings
def draw_strips(plot, number):
    rows = plot["rows"]
    labels = CHARACTER * max(len(row["label"]) for row in rows)
    values = [value for row in rows for value in row["values"]]
    # A few samples far out would leave no room for the others; they come to the edge as arrows.
    low, high = max(min(values), -30), min(max(values), 60)
    margin = 0.03 * (high - low) or 0.1
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(max(7.6, labels + 3.5), 0.75 + 0.32 * len(rows)), layout="constrained")
        axes = figure.add_subplot()
        for place, row in enumerate(rows):
            count = len(row["values"])
            colour = COLOURS[0]
            heights = [place - 0.3 + 0.6 * (i + 0.5) / count for i in range(count)]
            inside = [(v, h) for v, h in zip(row["values"], heights) if low <= v <= high]
            beyond = [(v, h) for v, h in zip(row["values"], heights) if not low <= v <= high]
            axes.plot([v for v, _ in inside], [h for _, h in inside], linestyle="none", marker="o",
                      markersize=2.4, color=colour, alpha=0.55, markeredgewidth=0)
            for value, height in beyond:
                axes.plot([min(max(value, low), high)], [height], linestyle="none",
                          marker=">" if value > high else "<", markersize=4, color=COLOURS[1])
            axes.add_patch(matplotlib.patches.Rectangle(
                (row["q1"], place - 0.36), row["q3"] - row["q1"], 0.72, fill=False, edgecolor=INK,
                linewidth=0.9))
            axes.plot([row["median"]] * 2, [place - 0.36, place + 0.36], color=COLOURS[1],
                      linewidth=1.8)
        axes.set_yticks(range(len(rows)))
        axes.set_yticklabels([row["label"] for row in rows], parse_math=False)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(low - margin, high + margin)
        axes.grid(False, axis="y")
        axes.set_xlabel(plot["x_label"], parse_math=False)
        axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(
            lambda value, _: "%+g" % value if value else "0"))
        return write(figure, number)
