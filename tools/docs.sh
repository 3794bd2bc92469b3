#!/bin/sh
# Builds the site of docs/ in .site/: Sphinx with MyST reads the Markdown as it is, Furo lays it
# out, and the search works without a server. A link that leads nowhere fails the build.
# decisions/0008 says why Sphinx.
set -eu
cd "$(dirname "$0")/.."
venv=${XDG_CACHE_HOME:-$HOME/.cache}/pgfettle/docs
[ -x "$venv/bin/sphinx-build" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r tools/docs/requirements.txt
rm -rf .site
"$venv/bin/sphinx-build" --quiet --fail-on-warning --keep-going -c tools/docs -b dirhtml docs .site
echo "the site is in .site; to read it: python3 -m http.server --directory .site --bind 127.0.0.1"
