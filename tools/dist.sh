#!/bin/sh
# Makes what is published: static binaries for linux on amd64 and arm64, each as a tar.gz, a deb and an rpm, and
# SHA256SUMS. The same commit gives the same bytes, wherever and whenever it is built with the same Go. Set are:
#   VERSION            what git describe says
#   LDFLAGS            with the version in them
#   DIST               the folder, which is replaced (dist)
#   GO                 the go command
#   SOURCE_DATE_EPOCH  the time that all files have: the commit's where it is not set
set -eu
umask 022
export LC_ALL=C TZ=UTC

go=${GO:-go}
dist=${DIST:-dist}
: "${VERSION:?}" "${LDFLAGS:?}"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} || { echo 'dist: set SOURCE_DATE_EPOCH, as this is no checkout of git' >&2; exit 1; }
export SOURCE_DATE_EPOCH

# Packages have versions that begin with a digit and hold no hyphen: v1.2.3-4-gabc is 1.2.3+4.gabc, and a commit that
# no tag precedes is older than any release.
version=$(printf %s "${VERSION#v}" | sed 's/-/+/; s/-/./g')
case $version in
  [0-9]*.*) ;;
  *) version=0~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d).$version ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
rm -rf "$dist"
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)

build() { # ARCH FILE
  CGO_ENABLED=0 GOOS=linux GOARCH=$1 GOFLAGS='' "$go" build -trimpath -buildvcs=false -ldflags "$LDFLAGS" -o "$2" ./cmd/pgfettle
}
zip() { gzip -9n "$@"; }

"$go" -C tools build -o "$work/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm

# What is the same for both architectures is made by a binary that runs here.
build "$("$go" env GOHOSTARCH)" "$work/pgfettle"
all=$work/all
share=$all/usr/share
doc=$share/doc/pgfettle
mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/fish/vendor_completions.d" "$share/pgfettle/grafana" "$share/pgfettle/prometheus" \
  "$share/pgfettle/schema" "$all/usr/lib/systemd/system" "$doc"
"$work/pgfettle" man "$share/man/man1" >/dev/null
zip "$share"/man/man1/*.1
"$work/pgfettle" completion bash > "$share/bash-completion/completions/pgfettle"
"$work/pgfettle" completion fish > "$share/fish/vendor_completions.d/pgfettle.fish"
"$work/pgfettle" completion zsh > "$work/_pgfettle"
for unit in packaging/*.service packaging/*.timer packaging/*.socket; do
  [ ! -e "$unit" ] || cp "$unit" "$all/usr/lib/systemd/system/"
done
mkdir -p "$all/usr/lib/sysusers.d"
cp packaging/sysusers.d/*.conf "$all/usr/lib/sysusers.d/"
cp packaging/grafana/*.json "$share/pgfettle/grafana/"
cp packaging/prometheus/pgfettle.rules.yml "$share/pgfettle/prometheus/"
cp schema/*.json "$share/pgfettle/schema/"
cp README.md docs/*.md "$doc/"
# What is linked in has licences that want to come along.
for arch in amd64 arm64; do
  GOOS=linux GOARCH=$arch CGO_ENABLED=0 "$go" list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/pgfettle
done | sort -u | while read -r module of from; do
  for text in "$from"/LICENSE* "$from"/LICENCE* "$from"/COPYING* "$from"/NOTICE*; do
    [ ! -f "$text" ] || { printf '== %s %s, %s\n\n' "$module" "$of" "$(basename "$text")"; cat "$text"; printf '\n'; }
  done
done > "$doc/third-party-licenses.txt"
{ printf '== Go %s, LICENSE\n\n' "$("$go" env GOVERSION)"; cat "$("$go" env GOROOT)/LICENSE"; } >> "$doc/third-party-licenses.txt"

deb=$work/deb
mkdir -p "$deb/usr/share/zsh/vendor-completions" "$deb/usr/share/lintian/overrides" "$deb/usr/share/doc/pgfettle"
cp "$work/_pgfettle" "$deb/usr/share/zsh/vendor-completions/"
cp packaging/lintian-overrides "$deb/usr/share/lintian/overrides/pgfettle"
cp LICENSE "$deb/usr/share/doc/pgfettle/copyright"
maintainer=$(sed -n 's/^maintainer: //p' packaging/nfpm.yaml)
printf 'pgfettle (%s) unstable; urgency=medium\n\n  * Version %s; the history of the repository tells what changed.\n\n -- %s  %s\n' \
  "$version" "$VERSION" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | zip > "$deb/usr/share/doc/pgfettle/changelog.gz"
rpm=$work/rpm
mkdir -p "$rpm/usr/share/zsh/site-functions" "$rpm/usr/share/licenses/pgfettle"
cp "$work/_pgfettle" "$rpm/usr/share/zsh/site-functions/"
cp LICENSE "$rpm/usr/share/licenses/pgfettle/"

publish() { # ARCH
  arch=$1
  stage=$work/stage-$arch
  mkdir -p "$stage/all/usr/bin"
  build "$arch" "$stage/all/usr/bin/pgfettle"
  cp -R "$all/." "$stage/all/"
  cp -R "$deb" "$rpm" "$stage/"
  # Times and modes are what the commit and this script say, not what this machine's are.
  find "$stage" -type d -exec chmod 755 {} +
  find "$stage" -type f -exec chmod 644 {} +
  chmod 755 "$stage/all/usr/bin/pgfettle"
  find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  for kind in deb rpm; do
    STAGE=$stage ARCH=$arch PACKAGE_VERSION=$version \
      "$work/nfpm" package --config packaging/nfpm.yaml --packager "$kind" --target "$dist/" >"$work/log-$arch" || { cat "$work/log-$arch" >&2; exit 1; }
  done
  # The tar.gz is for who has neither: the binary on top, the rest in folders.
  name=pgfettle-$version-linux-$arch
  top=$work/tar-$arch/$name
  mkdir -p "$top/completion" "$top/docs"
  cp "$stage/all/usr/bin/pgfettle" LICENSE README.md "$doc/third-party-licenses.txt" "$top/"
  cp docs/*.md "$top/docs/"
  cp -R "$share/man" "$share/pgfettle/." "$all/usr/lib/systemd" "$all/usr/lib/sysusers.d" "$top/"
  cp "$share/bash-completion/completions/pgfettle" "$top/completion/pgfettle.bash"
  cp "$share/fish/vendor_completions.d/pgfettle.fish" "$work/_pgfettle" "$top/completion/"
  find "$top" -type d -exec chmod 755 {} +
  find "$top" -type f -exec chmod 644 {} +
  chmod 755 "$top/pgfettle"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar -C "$work/tar-$arch" -cf - "$name" | gzip -n > "$dist/$name.tar.gz"
}
# Both at once: most of it is compression, on one processor each.
publish amd64 &
other=$!
publish arm64
wait "$other"

cd "$dist"
sha256sum pgfettle* > SHA256SUMS
ls -l "$dist"
