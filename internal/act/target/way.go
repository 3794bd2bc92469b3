package target

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Step is one entry on the way to a name.
type Step struct {
	Path string
	Info // of the entry itself: of a link, the link's
}

// Way implements Target: each directory is opened from the one above it, and its entries are taken for what they are,
// so that nothing can be inserted between the check and the use.
func (l *Local) Way(name string) ([]Step, error) {
	root := l.Root
	if root == "" {
		root = "/"
	}
	top, err := os.OpenFile(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	open := []*os.File{top}
	defer func() {
		for _, f := range open {
			f.Close()
		}
	}()
	at, rest := "/", strings.Split(clean(name), "/")
	first, err := stepOf("/", top)
	if err != nil {
		return nil, err
	}
	way := []Step{first}
	up := func(depth int) {
		for len(open) > depth {
			open[len(open)-1].Close()
			open = open[:len(open)-1]
		}
	}
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			up(max(len(open)-1, 1))
			at = path.Dir(at)
			continue
		}
		fd, err := unix.Openat(int(open[len(open)-1].Fd()), part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return way, &fs.PathError{Op: "open", Path: path.Join(at, part), Err: err}
		}
		f := os.NewFile(uintptr(fd), path.Join(at, part))
		s, err := stepOf(path.Join(at, part), f)
		if err != nil {
			f.Close()
			return way, err
		}
		way = append(way, s)
		if s.Mode&fs.ModeSymlink == 0 {
			open, at = append(open, f), s.Path
			continue
		}
		to := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(fd, "", to)
		f.Close()
		if err != nil {
			return way, &fs.PathError{Op: "readlink", Path: s.Path, Err: err}
		}
		if links++; links > maxLinks {
			return way, &fs.PathError{Op: "resolve", Path: name, Err: syscall.ELOOP}
		}
		text := string(to[:n])
		if strings.HasPrefix(text, "/") {
			up(1)
			at = "/"
		}
		rest = append(strings.Split(text, "/"), rest...)
	}
	return way, nil
}

func stepOf(at string, f *os.File) (Step, error) {
	in, err := info(f.Stat())
	return Step{Path: at, Info: in}, err
}
