# The site of docs/: see tools/docs.sh.
project = "pgfettle"
author = "the pgfettle developers"
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = []
# The anchors of headings as GitHub makes them, down to the deepest that is linked to.
myst_heading_anchors = 4
myst_enable_extensions = ["strikethrough", "tasklist"]
suppress_warnings = [
    # Pages and documents are not in a tree: docs/index.md is the map.
    "toc.not_included",
    # Headings of generated documents begin where GitHub likes them to.
    "myst.header",
    # "```text" has unusual content at times.
    "misc.highlighting_failure",
]
html_theme = "furo"
html_title = "pgfettle"
html_show_sphinx = False


def links(app, docname, source):
    """Links to what is beside docs/ and to folders lead to the repository."""
    import os
    import posixpath
    import re

    here = posixpath.dirname(docname)

    def to(m):
        target, _, anchor = m[1].partition("#")
        path = posixpath.normpath(posixpath.join("docs", here, target))
        folder = os.path.isdir(os.path.join(app.srcdir, "..", path))
        if "://" in m[1] or not target or not (folder or not path.startswith("docs/")):
            return m[0]
        kind = "tree" if folder else "blob"
        return f"](https://github.com/pgfettle/pgfettle/{kind}/main/{path}{'#' + anchor if anchor else ''})"

    whole = source[0]
    source[0] = re.sub(r"\]\(([^)\s]+)\)", to, whole)
    if docname != "index":
        return
    # The menu beside the pages has the sections of the map.
    for part in re.split(r"^## ", whole, flags=re.MULTILINE)[1:]:
        title, _, rest = part.partition("\n")
        pages = re.findall(r"^\| \[[^\]]+\]\(([\w/-]+)\.md\)", rest, re.MULTILINE)
        if pages:
            menu = "\n".join(pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n:titlesonly:\n\n{menu}\n```\n"


def setup(app):
    app.connect("source-read", links)
