package scratch

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func archiveOf(t *testing.T, entries ...tar.Header) *tar.Reader {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		if h.Typeflag == tar.TypeReg && h.Size == 0 {
			h.Size = 4
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(bytes.Repeat([]byte("x"), int(h.Size))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return tar.NewReader(&b)
}

// untarred unpacks into a directory beside a file that must not change.
func untarred(t *testing.T, entries ...tar.Header) (dir string, err error) {
	t.Helper()
	up := t.TempDir()
	if err := os.WriteFile(filepath.Join(up, "outside"), []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(up, "tree")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	err = untar(root, archiveOf(t, entries...))
	if b, _ := os.ReadFile(filepath.Join(up, "outside")); string(b) != "as it was" {
		t.Errorf("a file outside now holds %q", b)
	}
	if names, _ := os.ReadDir(up); len(names) != 2 {
		t.Errorf("something was written outside: %v", names)
	}
	return dir, err
}

func TestUntar(t *testing.T) {
	dir, err := untarred(t,
		tar.Header{Name: "share/", Typeflag: tar.TypeDir, Mode: 0o700},
		tar.Header{Name: "./bin/postgres", Typeflag: tar.TypeReg, Mode: 0o4711},
		tar.Header{Name: "lib/libpq.so.5.18", Typeflag: tar.TypeReg, Mode: 0o600},
		tar.Header{Name: "lib/libpq.so", Typeflag: tar.TypeSymlink, Linkname: "libpq.so.5.18"},
		tar.Header{Name: "bin/lib", Typeflag: tar.TypeSymlink, Linkname: "../lib"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"bin/postgres": 0o755, "lib/libpq.so.5.18": 0o644,
		"bin/lib/libpq.so": 0o644} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, st, err, want)
		}
	}
}

func TestUntarRefuses(t *testing.T) {
	reg := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644} }
	link := func(name, to string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to}
	}
	for what, entries := range map[string][]tar.Header{
		"a name that leads out":         {reg("../outside")},
		"a name that leads out later":   {reg("a/../../outside")},
		"an absolute name":              {reg("/tmp/pgfettle-untar-test")},
		"a link that leads out":         {link("x", "../outside"), reg("x")},
		"an absolute link":              {link("x", "/etc/passwd")},
		"a file through a link out":     {link("a", "b"), link("b", "../.."), reg("a/outside")},
		"a file over a link":            {reg("t"), link("x", "t"), reg("x")},
		"a hard link":                   {reg("t"), {Name: "h", Typeflag: tar.TypeLink, Linkname: "t"}},
		"a device":                      {{Name: "d", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}},
		"a FIFO":                        {{Name: "f", Typeflag: tar.TypeFifo}},
		"the same file twice":           {reg("t"), reg("t")},
		"a file where a folder must be": {reg("t"), reg("t/u")},
	} {
		if _, err := untarred(t, entries...); err == nil {
			t.Errorf("%s was unpacked", what)
		}
	}
}

// A header may announce more than can be unpacked.
func TestUntarBounds(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "big", Typeflag: tar.TypeReg, Size: maxUnpacked + 1}); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := untar(root, tar.NewReader(&b)); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a file of 512 MB and one byte: %v", err)
	}
}

func TestUnpackOfRubbish(t *testing.T) {
	for _, rubbish := range []string{"", "not xz", "\xfd7zXZ\x00", strings.Repeat("\x00", 4096)} {
		if err := unpack(strings.NewReader(rubbish), t.TempDir()); err == nil {
			t.Errorf("%.10q was unpacked", rubbish)
		}
	}
}
