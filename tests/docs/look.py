"""Looks at pages of the built site in Chromium: contrast of every text, and widths, at 400 and 1400 pixels, light and dark.

Chromium renders a page with a script that is added to it, which lists what is wrong: text with less contrast than WCAG 2.2 AA
asks for (4.5, or 3 for large text), and pages that are wider than the window. Tables and code may scroll in frames of their own.
"""
import html
import pathlib
import re
import shutil
import subprocess

WIDTHS = (400, 1400)
SCHEMES = ("light", "dark")
SCRIPT = r"""
<script>
addEventListener("load", () => {
  const faults = new Set();
  const parts = (text) => (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = (c) => [0, 1, 2].map((i) => c[i] / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, below) => { const a = top.length > 3 ? top[3] : 1; return [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)); };
  const paper = (node) => {
    const layers = [];
    for (let one = node; one; one = one.parentElement) layers.push(parts(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), document.documentElement.dataset.paper === "dark" ? [33, 37, 41] : [255, 255, 255]);
  };
  document.documentElement.dataset.paper = document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light";
  const main = document.querySelector("div[role=main]");
  for (const root of [main, document.querySelector(".bs-sidebar"), document.querySelector("footer")]) {
    if (!root) continue;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement, style = getComputedStyle(node);
      if (!walker.currentNode.data.trim() || !node.getClientRects().length || style.visibility === "hidden") continue;
      const below = paper(node), text = over(parts(style.color), below);
      const [a, b] = [light(text), light(below)].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
      const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
      if (ratio < least) faults.add("contrast " + ratio.toFixed(2) + " of `" + walker.currentNode.data.trim().slice(0, 40) + "` in " + node.tagName + "." + node.className);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.add("the page is " + document.documentElement.scrollWidth + " wide");
  for (const code of main.querySelectorAll("pre code:not([class]), code.language-report, code.language-console, code.language-text"))
    if (code.scrollWidth > code.clientWidth + 1) faults.add("lines are cut off in a block of " + code.className);
  for (const name of main.querySelectorAll("td code.name"))
    if (name.getClientRects().length > 1) faults.add("`" + name.textContent + "` is broken into lines");
  parent.postMessage(innerWidth + " " + document.documentElement.dataset.bsTheme + "\n" + [...faults].join("\n"), "*");
});
</script>
"""
# Chromium makes no window narrower than 500 pixels, but frames.
FRAMES = """<!DOCTYPE html><body>%s
<script>addEventListener("message", (event) => {
  const out = document.createElement("pre");
  out.className = "look";
  out.textContent = event.data;
  document.body.append(out);
});</script>"""
FRAME = '<iframe src="%s" style="width:%dpx;height:1000px;border:0"></iframe>'


def browser():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def look(program, page):
    """The faults of a page, a (width, scheme, fault) each."""
    text = page.read_text(encoding="utf-8").replace("</body>", SCRIPT + "</body>")
    copies = {scheme: page.with_name("look-%s-%s" % (scheme, page.name)) for scheme in SCHEMES}
    frames = page.with_name("look-" + page.name)
    for scheme, copy in copies.items():
        copy.write_text(text.replace('data-bs-theme="auto"', 'data-bs-theme="%s"' % scheme), encoding="utf-8")
    frames.write_text(FRAMES % "\n".join(FRAME % (copy.name, width) for copy in copies.values() for width in WIDTHS), encoding="utf-8")
    try:
        done = subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000",
                               "--window-size=1500,1100", "--dump-dom", frames.as_uri()],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=50, check=False)
    finally:
        for path in (frames, *copies.values()):
            path.unlink()
    found = {(int(width), scheme): text for width, scheme, text in
             re.findall(r'<pre class="look">(\d+) (\w+)\n(.*?)</pre>', done.stdout, re.S)}
    return [(width, scheme, html.unescape(line)) for width in WIDTHS for scheme in SCHEMES
            for line in found.get((width, scheme), "Chromium says nothing of it").splitlines() if line]


def faults(folder, pages):
    """(page, width, scheme, fault) of each; None where there is no Chromium."""
    program = browser()
    if program is None:
        return None
    return [(name, *fault) for name in pages for fault in look(program, pathlib.Path(folder) / name)]
