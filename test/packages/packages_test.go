// Package packages holds the tests of what make dist makes: the binaries, the
// archives and the packages, looked at with the tools of the systems that they are
// for, installed into a throwaway tree, and built a second time.
package packages

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

const root = "../.."

// dist is the directory that make dist has filled.
func dist(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PGFETTLE_DIST")
	if dir == "" {
		tier.Missing(t, tier.Packages, "PGFETTLE_DIST does not name a folder that make dist has filled")
	}
	return dir
}

// one returns the one file of the directory that a pattern means.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v %v", pattern, list, err)
	}
	return list[0]
}

// tool runs a program to its end; where it is not installed the test ends.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	exe, err := exec.LookPath(name)
	if err != nil {
		tier.Missing(t, tier.Packages, "%s is not installed", name)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "MANPAGER=cat", "COLUMNS=100")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// unpack returns the files of a tar.gz by name, and the modes.
func unpack(t *testing.T, name string) (files map[string][]byte, heads map[string]*tar.Header) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files, heads = map[string][]byte{}, map[string]*tar.Header{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, heads
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(h.Name, "/")
		files[rest], heads[rest] = b, h
	}
}

// TestBinariesAreStatic: each archive holds a binary of its architecture that needs
// nothing of the system it runs on, and knows its version; nothing in it is of the
// machine that made it.
func TestBinariesAreStatic(t *testing.T) {
	dir := dist(t)
	for arch, machine := range machines {
		files, heads := unpack(t, one(t, dir, "pgfettle-*-linux-"+arch+".tar.gz"))
		bin := files["pgfettle"]
		e, err := elf.NewFile(bytes.NewReader(bin))
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if e.Machine != machine || heads["pgfettle"].Mode != 0o755 {
			t.Errorf("%s: the binary is for %s, mode %o", arch, e.Machine, heads["pgfettle"].Mode)
		}
		for _, p := range e.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("%s: the binary is not static: %s", arch, p.Type)
			}
		}
		here, err := filepath.Abs(root)
		if err != nil {
			t.Fatal(err)
		}
		for name, h := range heads {
			if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Mode&0o022 != 0 {
				t.Errorf("%s: %s belongs to %d:%d %q, mode %o", arch, name, h.Uid, h.Gid, h.Uname, h.Mode)
			}
			if here != "/" && bytes.Contains(files[name], []byte(here+"/")) {
				t.Errorf("%s: %s names a folder of this machine", arch, name)
			}
		}
		for _, name := range []string{"LICENSE", "README.md", "docs/metrics.md", "third-party-licenses.txt",
			"man/man1/pgfettle.1.gz", "completion/pgfettle.bash", "completion/_pgfettle", "completion/pgfettle.fish",
			"grafana/pgfettle.json", "prometheus/pgfettle.rules.yml"} {
			if len(files[name]) == 0 {
				t.Errorf("%s: %s is not in the archive", arch, name)
			}
		}
		// What is linked in comes with its licenses: the binary itself lists it.
		info, err := buildinfo.Read(bytes.NewReader(bin))
		if err != nil || len(info.Deps) < 10 {
			t.Fatalf("%s: %v", arch, err)
		}
		licences := string(files["third-party-licenses.txt"])
		for _, m := range info.Deps {
			if !strings.Contains(licences, "== "+m.Path+" "+m.Version+", ") {
				t.Errorf("%s: the licence of %s %s is not in the archive", arch, m.Path, m.Version)
			}
		}
		if !strings.Contains(licences, "== Go "+info.GoVersion+", ") {
			t.Errorf("%s: the licence of %s is not in the archive", arch, info.GoVersion)
		}
		exe := filepath.Join(t.TempDir(), "pgfettle")
		if err := os.WriteFile(exe, bin, 0o755); err != nil {
			t.Fatal(err)
		}
		line := []string{exe, "version"}
		if machine != hostMachine(t) {
			line = append([]string{"qemu-aarch64-static"}, line...)
		}
		if out := tool(t, line[0], line[1:]...); !strings.HasPrefix(out, "pgfettle ") ||
			strings.Contains(out, "unreleased") || !strings.Contains(out, "linux/"+arch) {
			t.Errorf("%s: %s", arch, out)
		}
	}
}

// hostMachine is the machine of this very program.
func hostMachine(t *testing.T) elf.Machine {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Machine
}

// units are the unit files of this checkout.
func units(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, p := range []string{"*.service", "*.timer", "*.socket"} {
		list, err := filepath.Glob(filepath.Join(root, "packaging", p))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			out = append(out, filepath.Base(f))
		}
	}
	if len(out) < 2 {
		t.Fatalf("units: %v", out)
	}
	return out
}

// wanted are the files that both packages have.
func wanted(t *testing.T) []string {
	list := []string{"/usr/bin/pgfettle", "/usr/share/man/man1/pgfettle.1.gz",
		"/usr/share/man/man1/pgfettle-metrics.1.gz", "/usr/share/bash-completion/completions/pgfettle",
		"/usr/share/fish/vendor_completions.d/pgfettle.fish", "/usr/share/pgfettle/grafana/pgfettle.json",
		"/usr/share/pgfettle/prometheus/pgfettle.rules.yml",
		"/usr/share/pgfettle/schema/snapshot.schema.json", "/usr/share/doc/pgfettle/metrics.md",
		"/usr/share/doc/pgfettle/third-party-licenses.txt",
		"/usr/lib/sysusers.d/pgfettle.conf"}
	for _, u := range units(t) {
		list = append(list, "/usr/lib/systemd/system/"+u)
	}
	return list
}

// TestDeb: the deb holds what it should, under root and no wider rights than that;
// lintian finds nothing. What its scripts do is TestDebLife's.
func TestDeb(t *testing.T) {
	dir := dist(t)
	for arch := range machines {
		deb := one(t, dir, "pgfettle_*_"+arch+".deb")
		have := map[string]string{}
		for line := range strings.Lines(tool(t, "dpkg-deb", "-c", deb)) {
			f := strings.Fields(line)
			if len(f) < 6 {
				t.Fatalf("%q", line)
			}
			name := strings.TrimSuffix(strings.TrimPrefix(f[5], "."), "/")
			have[name] = f[0]
			if want := map[byte]string{'d': "drwxr-xr-x", '-': "-rw-r--r--"}[f[0][0]]; f[1] != "root/root" ||
				f[0] != want && (name != "/usr/bin/pgfettle" || f[0] != "-rwxr-xr-x") {
				t.Errorf("%s: %s", arch, line)
			}
		}
		for _, name := range append(wanted(t), "/usr/share/zsh/vendor-completions/_pgfettle",
			"/usr/share/doc/pgfettle/copyright", "/usr/share/doc/pgfettle/changelog.gz") {
			if have[name] == "" {
				t.Errorf("%s: %s is not in the deb", arch, name)
			}
		}
		info := tool(t, "dpkg-deb", "-I", deb)
		for _, want := range []string{`(?m)^ Package: pgfettle$`, `(?m)^ Architecture: ` + arch + `$`,
			`(?m)^ Version: [0-9][^-]*$`, `(?m)^ Maintainer: .+@.+$`} {
			if !regexp.MustCompile(want).MatchString(info) {
				t.Errorf("%s: no %s in\n%s", arch, want, info)
			}
		}
		if strings.Contains(info, "Depends:") {
			t.Errorf("%s: a static binary depends on nothing:\n%s", arch, info)
		}
		tool(t, "lintian", "--fail-on", "error,warning", "--tag-display-limit", "0", deb)
	}
}

// TestDebInstalls: installed into a separate tree the program runs, its page is found by man, bash completes it;
// removed, nothing is left.
func TestDebInstalls(t *testing.T) {
	dir := dist(t)
	arch := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[hostMachine(t)]
	deb := one(t, dir, "pgfettle_*_"+arch+".deb")
	tree := t.TempDir()
	for _, d := range []string{"info", "updates", "triggers", "parts"} {
		if err := os.MkdirAll(filepath.Join(tree, "var/lib/dpkg", d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(tree, "var/lib/dpkg", f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The scripts run here, with DPKG_ROOT set: the tree has no shell. What the dpkg of this machine omits, as those of
	// small images do, is not left out.
	dpkg := func(args ...string) string {
		return tool(t, "dpkg", append([]string{"--root=" + tree, "--force-script-chrootless", "--force-not-root",
			"--path-include=/*", "--log=" + filepath.Join(tree, "dpkg.log")}, args...)...)
	}
	before := walk(t, tree)
	dpkg("--install", deb)
	if out := dpkg("--status", "pgfettle"); !strings.Contains(out, "Status: install ok installed") {
		t.Fatalf("%s", out)
	}
	bin := filepath.Join(tree, "usr/bin/pgfettle")
	if out := tool(t, bin, "plan", "--for", "ram=4GB,cpus=2"); !strings.Contains(out, "shared_buffers") {
		t.Errorf("%s", out)
	}
	share := filepath.Join(tree, "usr/share")
	for _, page := range []string{"pgfettle", "pgfettle-check", "pgfettle-diagnose-oom"} {
		if out := tool(t, "man", "-M", filepath.Join(share, "man"), "-P", "cat", page); !strings.Contains(out,
			"EXIT STATUS") || !strings.Contains(out, "SYNOPSIS") {
			t.Errorf("man %s: %.300s", page, out)
		}
	}
	// The script of completion asks the program itself what comes next.
	script := fmt.Sprintf(
		`PATH=%s:$PATH; . %s; COMP_WORDS=(pgfettle met); COMP_CWORD=1; COMP_LINE='pgfettle met'; COMP_POINT=12
_init_completion() { cur=met; prev=pgfettle; words=(pgfettle met); cword=1; }; __start_pgfettle; echo `+
			`"${COMPREPLY[@]}"`,
		filepath.Join(tree, "usr/bin"), filepath.Join(share, "bash-completion/completions/pgfettle"))
	if out := tool(t, "bash", "-c", script); !strings.Contains(out, "metrics") {
		t.Errorf("completion: %s", out)
	}
	links, err := filepath.Glob(filepath.Join(tree, "etc/systemd/system/*"))
	if err != nil || len(links) > 0 {
		t.Errorf("a unit is enabled: %v %v", links, err)
	}
	dpkg("--purge", "pgfettle")
	// The account stays, as its number must not become another's: that is all.
	accounts := []string{"etc/.pwd.lock", "etc/group", "etc/gshadow", "etc/passwd", "etc/shadow"}
	after := slices.DeleteFunc(walk(t, tree), func(s string) bool {
		return strings.HasPrefix(s, "var/lib/dpkg/") || s == "dpkg.log" || slices.Contains(accounts, s)
	})
	before = slices.DeleteFunc(before, func(s string) bool { return strings.HasPrefix(s, "var/lib/dpkg/") })
	if !slices.Equal(before, after) {
		t.Errorf("purged, there is still %v where there was %v", after, before)
	}
}

func walk(t *testing.T, tree string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(tree, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, e := filepath.Rel(tree, p)
			out, err = append(out, rel), e
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRPM: the rpm holds what it should. What its scripts do is TestRPMLife's.
func TestRPM(t *testing.T) {
	dir := dist(t)
	for arch, name := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		rpm := one(t, dir, "pgfettle-*."+name+".rpm")
		have := strings.Split(strings.TrimSpace(tool(t, "rpm", "-qpl", rpm)), "\n")
		for _, want := range append(wanted(t), "/usr/share/zsh/site-functions/_pgfettle",
			"/usr/share/licenses/pgfettle/LICENSE") {
			if !slices.Contains(have, want) {
				t.Errorf("%s: %s is not in the rpm", arch, want)
			}
		}
		for _, not := range []string{"/usr/share/doc/pgfettle/copyright",
			"/usr/share/zsh/vendor-completions/_pgfettle"} {
			if slices.Contains(have, not) {
				t.Errorf("%s: %s is Debian's", arch, not)
			}
		}
		head := tool(t, "rpm", "-qp", "--qf", "%{NAME}|%{ARCH}|%{LICENSE}|%{BUILDHOST}", rpm)
		if head != "pgfettle|"+name+"|Apache-2.0|pgfettle" {
			t.Errorf("%s: %s", arch, head)
		}
		for line := range strings.Lines(tool(t, "rpm", "-qp", "--qf",
			`[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILENAMES}\n]`, rpm)) {
			f := strings.Fields(line)
			if len(f) != 4 || f[1] != "root" || f[2] != "root" || f[0][5] == 'w' || f[0][8] == 'w' {
				t.Errorf("%s: %s", arch, line)
			}
		}
		if out := tool(t, "rpm", "-K", "--nosignature", rpm); !strings.Contains(out, "digests OK") {
			t.Errorf("%s: %s", arch, out)
		}
	}
}

// TestUnits: systemd finds nothing wrong in the unit files.
func TestUnits(t *testing.T) {
	dir := dist(t)
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		tier.Missing(t, tier.Packages, "systemd-analyze is not installed")
	}
	arch := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[hostMachine(t)]
	tree := t.TempDir()
	tool(t, "dpkg-deb", "-x", one(t, dir, "pgfettle_*_"+arch+".deb"), tree)
	for _, u := range units(t) {
		name := filepath.Join(tree, "usr/lib/systemd/system", u)
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// The program is not installed at its place on this machine.
		b = bytes.ReplaceAll(b, []byte("/usr/bin/pgfettle"), []byte(filepath.Join(tree, "usr/bin/pgfettle")))
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range units(t) {
		if out := tool(t, "systemd-analyze", "verify", "--man=no",
			filepath.Join(tree, "usr/lib/systemd/system", u)); strings.Contains(out, u) {
			t.Errorf("%s: %s", u, out)
		}
	}
}

// TestSums: SHA256SUMS is of every file next to it.
func TestSums(t *testing.T) {
	dir := dist(t)
	sums := sumsOf(t, dir)
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(sums) != 6 || len(list) != len(sums)+1 {
		t.Errorf("%d sums and %d files", len(sums), len(list))
	}
	for name, want := range sums {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s: another sum", name)
		}
	}
}

func sumsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		sum, name, ok := strings.Cut(sc.Text(), "  ")
		if !ok {
			t.Fatalf("%q", sc.Text())
		}
		out[name] = sum
	}
	return out
}

// TestBuiltTwice: the same files in another directory, with another umask, give the same bytes.
func TestBuiltTwice(t *testing.T) {
	dir := dist(t)
	git := func(args ...string) string {
		return strings.TrimRight(tool(t, "git", append([]string{"-C", root}, args...)...), "\n")
	}
	elsewhere, again := filepath.Join(t.TempDir(), "else", "where"), t.TempDir()
	for _, name := range strings.Split(git("ls-files"), "\n") {
		b, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed here and not committed
		}
		if err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(elsewhere, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, st.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `umask 077; exec make -s dist DIST="$1" VERSION="$2"`, "sh",
		again, git("describe", "--tags", "--always", "--dirty"))
	cmd.Dir = elsewhere
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+git("log", "-1", "--format=%ct"), "TZ=Asia/Tokyo",
		"LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make dist: %v\n%s", err, out)
	}
	first, second := sumsOf(t, dir), sumsOf(t, again)
	for name, sum := range first {
		if second[name] != sum {
			t.Errorf("%s is not the same when it is built again", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d files, and %d when built again", len(first), len(second))
	}
}
