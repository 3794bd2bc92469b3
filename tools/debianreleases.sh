#!/bin/sh
# Prints the version of each package postgresql-N that the suites of Debian offer now, one a line:
# those of stable and oldstable with their security updates, and of unstable and experimental. The
# mirrors are those that this host uses. The lists are fetched into a temporary directory; those of
# the host are not touched.
set -eu
fail() { echo "debianreleases: $*" >&2; exit 1; }
for program in apt-get apt-cache; do
  command -v $program >/dev/null 2>&1 || fail "$program is missing: this needs a host of Debian's family"
done
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r $keys ] || fail "$keys is missing: apt-get install debian-archive-keyring"

# shellcheck disable=SC2016 # the fields are apt's
repositories=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' 'Created-By: Packages' | grep 'Debian$' |
  cut -d' ' -f1 | sort -u)
mirror=$(echo "$repositories" | grep -v security | head -n 1)
security=$(echo "$repositories" | grep security | head -n 1)
[ -n "$mirror" ] || fail "no Debian mirror in the package sources of this host (apt-get update may not have run yet)"
[ -n "$security" ] || fail "no security mirror of Debian in the package sources of this host"

work=$(mktemp -d "${TMPDIR:-/tmp}/debianreleases-XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
options="[signed-by=$keys target=Packages]"
for suite in stable oldstable sid experimental; do echo "deb $options $mirror $suite main"; done >"$work/sources.list"
set -- -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
  -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o Dir::State::status="$work/status" \
  -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o APT::Sandbox::User=
update() {
  apt-get "$@" update >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the package lists could not be fetched"; }
}
update "$@"
# Security updates by the names of the releases: what a proxy keeps of stable-security may be older.
# shellcheck disable=SC2016
for name in $(apt-get "$@" indextargets --format '$(SUITE) $(CODENAME)' 'Created-By: Packages' |
  sed -n 's/^\(old\)\{0,1\}stable //p' | sort -u); do
  echo "deb $options $security $name-security main"
done >>"$work/sources.list"
update "$@"
packages=$(apt-cache "$@" pkgnames postgresql- | grep -E '^postgresql-[0-9]+$')
[ -n "$packages" ] || fail "no suite has a server"
# shellcheck disable=SC2086 # a list
apt-cache "$@" madison $packages | cut -d'|' -f2 | tr -d ' ' | sort -u
