package scratch

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/xi2/xz"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// What an archive of server binaries may hold: 60 MB in about 1,100 entries.
const (
	maxUnpacked = 512 << 20
	maxEntries  = 20000
)

// unpack unpacks an archive (tar in xz) into a directory that is ours alone.
func unpack(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return say.Err("archive: {reason}", "reason", err)
	}
	defer func() { _ = root.Close() }()
	x, err := xz.NewReader(r, 0)
	if err != nil {
		return say.Err("archive: {reason}", "reason", err)
	}
	if err := untar(root, tar.NewReader(x)); err != nil {
		return say.Err("archive: {reason}", "reason", err)
	}
	// Folders that the archive only implies were made under the umask.
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return root.Chmod(name, 0o755)
	})
}

// untar puts the entries below the directory: names and links that lead out of it are errors, and so is anything but
// directories, regular files and links.
func untar(root *os.Root, t *tar.Reader) error {
	left := int64(maxUnpacked)
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if left -= max(h.Size, 0); left < 0 || n >= maxEntries {
			return say.Err("holds more than server binaries take")
		}
		if err := entry(root, h, t); err != nil {
			return say.Named(say.Quoted(h.Name), err)
		}
	}
}

// entry puts one entry into the directory. The binaries are run by another user than the one who unpacks, so everything
// is readable to all and writable only to us.
func entry(root *os.Root, h *tar.Header, r io.Reader) error {
	name := path.Clean(h.Name)
	if name == "." {
		return nil
	}
	if path.IsAbs(h.Name) || name == ".." || strings.HasPrefix(name, "../") {
		return say.Err("leads out of the directory")
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		to := path.Join(path.Dir(name), h.Linkname)
		if path.IsAbs(h.Linkname) || to == ".." || strings.HasPrefix(to, "../") {
			return say.Err("links to the outside")
		}
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, io.LimitReader(r, h.Size))
		mode := os.FileMode(0o644)
		if h.Mode&0o100 != 0 {
			mode = 0o755
		}
		return errors.Join(err, f.Chmod(mode), f.Close())
	}
	return say.Err("is of a kind ({kind}) that server binaries do not have",
		"kind", strconv.QuoteRune(rune(h.Typeflag)))
}
