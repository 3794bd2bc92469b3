#!/bin/sh
# Prints the directory of a PostgreSQL of Debian's unstable or experimental suite that runs on this
# host, and fetches it if the cache lacks it: tools/debianpg.sh 19. Those programs need a newer libc
# than a stable release has, so they get the libc and the libraries of their suite, and are told
# where these are. Nothing is installed. 18 of unstable has io_uring, which the archives of
# scratch.Fetch lack.
#
#   PGFETTLE_TEST_PG=$(tools/debianpg.sh 19) go test ./test/servers -run TestName
set -eu
major=${1:?which major version?}
# The libraries that the programs load, and those that these load. A missing one is named below.
libraries="libc6 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libcom-err2 libicu78 libldap2
 libsasl2-2 liblz4-1 libnuma1 libpam0g libaudit1 libcap-ng0 libpq5 libselinux1 libpcre2-8-0 libssl3t64 libsystemd0
 libcap2 liburing2 libuuid1 libxml2-16 libxslt1.1 libzstd1 zlib1g libreadline8t64 libtinfo6 libedit2 libbsd0 libmd0
 liblzma5 libstdc++6 libgcc-s1"

fail() { echo "debianpg: $*" >&2; exit 1; }
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pgfettle
[ "$(id -u)" != 0 ] || cache=/var/cache/pgfettle
cache=$cache/debian
mkdir -p "$cache"

# What was fetched is taken as it is: a newer build is fetched once the old one is removed. No build is pinned, as a
# mirror keeps only the newest: that it is Debian's is proven by the signature of the package lists.
cached() {
  for have in "$cache/$major-"*; do
    if [ -x "$have/usr/lib/postgresql/$major/bin/postgres" ]; then
      echo "$have/usr/lib/postgresql/$major"
      exit
    fi
  done
}
cached
for program in apt-get apt-cache dpkg patchelf; do
  command -v $program >/dev/null 2>&1 || fail "$program is missing: apt-get install $program"
done
[ "$(dpkg --print-architecture)" = amd64 ] || fail "only amd64 was tried, and this host is $(dpkg --print-architecture)"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r $keys ] || fail "$keys is missing: apt-get install debian-archive-keyring"
exec 9>"$cache/.lock"
flock 9 # another process may be fetching it
cached

# The mirror is the one that this host uses.
# shellcheck disable=SC2016 # the fields are apt's
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' 'Created-By: Packages' | grep 'Debian$' |
  grep -v security | cut -d' ' -f1 | head -n 1)
[ -n "$mirror" ] || fail "no Debian mirror in the package sources of this host (apt-get update may not have run yet)"
work=$(mktemp -d "$cache/.fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs" "$work/root"
: >"$work/status"
for suite in sid experimental; do echo "deb [signed-by=$keys] $mirror $suite main"; done >"$work/sources.list"
set -- -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
  -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o Dir::State::status="$work/status" \
  -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o APT::Sandbox::User=
apt-get "$@" update >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the package lists could not be fetched from $mirror"; }
version=$(apt-cache "$@" policy "postgresql-$major" | sed -n 's/^  Candidate: //p')
case $version in '' | '(none)') fail "neither unstable nor experimental has postgresql-$major" ;; esac
# shellcheck disable=SC2086 # a list
(cd "$work/debs" && apt-get "$@" download "postgresql-$major" "postgresql-client-$major" $libraries) >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; fail "postgresql-$major $version could not be downloaded"; }
for package in "$work/debs"/*.deb; do dpkg -x "$package" "$work/root"; done

home=$cache/$major-$version # patchelf writes the path of the loader into the programs: it must be the final one
for program in "$work/root/usr/lib/postgresql/$major/bin"/*; do
  # shellcheck disable=SC2016 # $ORIGIN is the loader's
  case $(head -c 4 "$program" | tail -c 3) in
  ELF) patchelf --set-interpreter "$home/usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
    --set-rpath '$ORIGIN/../../../x86_64-linux-gnu' "$program" ;;
  esac
done
chmod -R a+rX "$work/root" # servers run as another account than root
mv "$work/root" "$home"
postgres=$home/usr/lib/postgresql/$major/bin/postgres
"$postgres" --version >/dev/null || { mv "$home" "$work/broken"; fail "$postgres does not start: a library may be missing in the list of this script"; }
echo "$home/usr/lib/postgresql/$major"
