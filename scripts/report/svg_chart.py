# SPDX-License-Identifier: Apache-2.0
"""A matplotlib figure that becomes inline SVG: coloured by the page, with marks that a pointer or the keyboard can
ask."""
import io
import re
import xml.etree.ElementTree as ElementTree

import matplotlib

matplotlib.use("svg")
from matplotlib.figure import Figure  # The backend is chosen first.

import palette

SVG = "http://www.w3.org/2000/svg"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
_FONTS = re.compile(r"(font: [^;\"']*?)'DejaVu Sans'[^;\"]*")
_STYLE = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.linewidth": 1,
    "xtick.labelsize": 11,
    "ytick.labelsize": 12,
    "legend.frameon": False,
    "text.parse_math": False,
    "legend.fontsize": 11,
    "hatch.linewidth": 1,
}
for _key in ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.labelcolor", "ytick.labelcolor"):
    _STYLE[_key] = palette.stand_in("ink")
for _key in ("axes.edgecolor", "xtick.color", "ytick.color", "grid.color"):
    _STYLE[_key] = palette.stand_in("line")
matplotlib.rcParams.update(_STYLE)


_PLACES = re.compile(r' (?:d|x|y|x1|x2|y1|y2|cx|cy|rx|ry|r|points|transform|width|height|viewBox)="[^"]*"')


def shorter(svg):
    """The same drawing in fewer characters: for places and sizes, not for words, a tenth of a pixel is near enough."""
    svg = _PLACES.sub(
        lambda places: re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), places[0]), svg
    )
    return re.sub(r"\s*\n\s*", " ", svg)


class SvgChart:
    """One figure of `width` x `height` pixels. `name` makes its ids unique in a page; `title` is what a screen reader
    says."""

    def __init__(self, name, title, width, height, columns=1, **subplots):
        self.name, self.title, self._marks = name, title, {}
        self.figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        self.axes = self.figure.subplots(1, columns, squeeze=False, **subplots)[0]
        for axes in self.axes:
            axes.set_facecolor("none")
        self.figure.patch.set_visible(False)

    def mark(self, artist, text, link=None):
        """Makes an artist say `text` when it is pointed at or reached by the keyboard, and lead to `link` (#id)."""
        gid = f"{self.name}-mark-{len(self._marks)}"
        artist.set_gid(gid)
        self._marks[gid] = (text, link)

    def svg(self):
        """The figure as an <svg> element."""
        file = io.StringIO()
        with matplotlib.rc_context({"svg.hashsalt": self.name}):
            self.figure.savefig(
                file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
            )
        root = ElementTree.fromstring(file.getvalue())
        self._name_root(root)
        self._name_parts(root)
        text = shorter(ElementTree.tostring(root, encoding="unicode"))
        return palette.to_variables(_FONTS.sub(r"\1var(--font)", text)).strip()

    def _name_root(self, root):
        for key in ("width", "height", "version"):
            root.attrib.pop(key, None)
        for metadata in root.findall(f"{{{SVG}}}metadata"):
            root.remove(metadata)
        root.attrib.update({"class": "chart", "role": "group", "aria-label": self.title})

    def _name_parts(self, root):
        """Gives marks their words, and takes matplotlib's own ids away: a page has many figures. The first mark can be
        tabbed to."""
        tab = "0"
        for element in root.iter():
            gid = element.get("id")
            if gid in self._marks:
                text, link = self._marks[gid]
                element.attrib.update(
                    {"class": "mark", "tabindex": tab, "role": "link" if link else "img", "aria-label": text}
                )
                if link:
                    element.set("data-link", link)
                tab = "-1"
            elif gid and element.tag == f"{{{SVG}}}g":
                del element.attrib["id"]
