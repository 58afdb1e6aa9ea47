"""Line charts as SVG, by hand: what the plotting scripts share."""
import math

INK, GRID = "#333", "#ddd"
LEFT, TOP, BOTTOM = 70, 50, 50


class Axis:
    """Maps values onto [0, 1]; `ticks` are pairs of a value and its label."""

    def __init__(self, first, last, ticks, label="", scale=lambda value: value):
        self.low, self.high = scale(first), scale(last)
        self.ticks, self.label, self.scale = ticks, label, scale

    def __call__(self, value):
        return (self.scale(value) - self.low) / ((self.high - self.low) or 1)


def rate_axis(values):
    """Powers of ten around the values, as rates."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    units = {0: "", 3: " k", 6: " M", 9: " G"}
    ticks = [(10.0**power, f"{10 ** (power % 3)}{units[power - power % 3]}/s") for power in range(low, high + 1)]
    return Axis(10.0**low, 10.0**high, ticks, scale=math.log10)


def linear_axis(values, label="", step=None):
    """From zero to above the largest value, in round steps."""
    top = max(values)
    step = step or 10.0 ** math.floor(math.log10(top)) / (1 if top / 10.0 ** math.floor(math.log10(top)) > 4 else 2)
    count = math.ceil(top / step)
    return Axis(0, count * step, [(i * step, f"{i * step:g}") for i in range(count + 1)], label)


def power_axis(sizes, label):
    """Powers of two, each of the sizes a tick; labels are left out where there is no room."""
    powers = [size.bit_length() - 1 for size in sizes]
    ticks = [(size, f'2<tspan dy="-5" font-size="10">{power}</tspan>') for size, power in zip(sizes, powers)]
    return Axis(sizes[0], sizes[-1], ticks, label, scale=math.log2)


def text(x, y, words, anchor="middle", size=13, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}" fill="{INK}">{words}</text>')


def line(x1, y1, x2, y2, colour, width=1, dash=""):
    return (f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}" stroke-dasharray="{dash}"/>')


def chart(left, width, height, title, x, y, series, title_y=26):
    """One chart whose plot starts at `left` pixels and is `width` wide. A series is (label, colour, dash, points)."""
    bottom = height - BOTTOM

    def at(point):
        return left + x(point[0]) * width, bottom - y(point[1]) * (bottom - TOP)

    out = [text(left, title_y, title, "start", 15, "bold")]
    for value, label in y.ticks:
        row = at((x.ticks[0][0], value))[1]
        out += [line(left, row, left + width, row, GRID), text(left - 8, row + 4, label, "end")]
    for value, label in x.ticks:
        out.append(text(at((value, y.ticks[0][0]))[0], bottom + 20, label))
    out.append(text(left + width / 2, height - 10, x.label))
    for _, colour, dash, points in series:
        path = " ".join("{:.1f},{:.1f}".format(*at(point)) for point in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5" '
                   f'stroke-dasharray="{dash}"/>')
    return out


def key(left, series):
    """Names of the series, from `left` pixels on."""
    out = []
    for row, (label, colour, dash, _) in enumerate(series):
        y = TOP + 20 + 24 * row
        out += [line(left, y, left + 26, y, colour, 2.5, dash), text(left + 32, y + 4, label, "start")]
    return out


def page(width, height, elements):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">',
            f'<rect width="{width}" height="{height}" fill="white"/>')
    return "\n".join([*head, *elements, "</svg>"])
