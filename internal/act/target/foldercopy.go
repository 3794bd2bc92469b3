package target

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// chunk is what is read and written at once: large enough that a disk streams,
// small enough that an interrupt is heard at once.
const chunk = 1 << 20

// walk calls visit for each entry below a directory, a directory before what is in it and the names in order. rel is
// the path below the directory.
func walk(dir *os.Root, visit func(rel string, in Info) error) error {
	n := 0
	var down func(rel string, depth int) error
	down = func(rel string, depth int) error {
		names, err := readNames(dir.Open(rel))
		if err != nil {
			return err
		}
		if n += len(names); n > maxEntries || depth > maxDepth {
			return say.Named(dir.Name(), say.Err("{reason}: more than {n} entries or {most} levels of directories",
				"reason", ErrTooLarge, "n", strconv.Itoa(maxEntries), "most", strconv.Itoa(maxDepth)))
		}
		slices.Sort(names)
		for _, name := range names {
			at := path.Join(rel, name)
			in, err := info(dir.Lstat(at))
			if errors.Is(err, fs.ErrNotExist) {
				continue // a server that runs recycles its segments
			}
			if err != nil {
				return err
			}
			if !in.Mode.IsRegular() && !in.Mode.IsDir() {
				return &OddEntry{Path: path.Join(dir.Name(), at), Mode: in.Mode}
			}
			if err := visit(at, in); err != nil {
				return err
			}
			if in.Mode.IsDir() {
				if err := down(at, depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return down(".", 1)
}

// Measure implements Folders.
func (f folders) Measure(name string) (e unit.Extent, err error) {
	at, err := f.at(name)
	if err != nil {
		return e, err
	}
	return e, f.do(func() error {
		dir, err := openFolder(at)
		if err != nil {
			return err
		}
		defer dir.Close()
		return walk(dir, func(_ string, in Info) error {
			if in.Mode.IsRegular() {
				e.Files++
				e.Bytes += in.Size
			}
			return nil
		})
	})
}

// both opens two directories and does something with them.
func (f folders) both(a, b string, do func(a, b *os.Root) error) error {
	from, err := f.at(a)
	if err != nil {
		return err
	}
	return f.do(func() error {
		x, err := openFolder(from)
		if err != nil {
			return err
		}
		defer x.Close()
		y, err := openFolder(clean(b))
		if err != nil {
			return err
		}
		defer y.Close()
		return do(x, y)
	})
}

// Copy implements Folders.
func (f folders) Copy(ctx context.Context, from, to string, told func(int64)) error {
	return f.both(from, to, func(src, dst *os.Root) error {
		made := []string{"."}
		var modes []fs.FileMode
		buf := make([]byte, chunk)
		err := walk(src, func(rel string, in Info) error {
			if in.Mode.IsDir() {
				made, modes = append(made, rel), append(modes, in.Mode.Perm())
				return dst.Mkdir(rel, 0o700)
			}
			return copyFile(ctx, src, dst, rel, in, buf, told)
		})
		if err != nil {
			return err
		}
		// what is deepest first, so that a directory is on disk after what is in it
		for i := len(made) - 1; i >= 0; i-- {
			if i > 0 {
				if err := dst.Chmod(made[i], modes[i-1]); err != nil {
					return err
				}
			}
			d, err := dst.Open(made[i])
			if err != nil {
				return err
			}
			err = errors.Join(d.Sync(), d.Close())
			if err != nil {
				return say.Named(path.Join(to, made[i]), err)
			}
		}
		up, err := os.Open(path.Dir(clean(to)))
		if errors.Is(err, fs.ErrPermission) {
			return nil // it was there before us, and is on disk
		}
		if err != nil {
			return err
		}
		return errors.Join(up.Sync(), up.Close())
	})
}

func copyFile(ctx context.Context, src, dst *os.Root, rel string, in Info, buf []byte, told func(int64)) (err error) {
	r, err := src.OpenFile(rel, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := dst.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var size int64
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, rerr := io.ReadFull(r, buf)
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		size += int64(n)
		told(int64(n))
		if rerr == io.EOF || rerr == io.ErrUnexpectedEOF {
			break
		}
		if rerr != nil {
			return rerr
		}
	}
	if size != in.Size {
		return say.Err("{name} changed while it was copied: {n} bytes, and {most} before", "name", r.Name(),
			"n", strconv.FormatInt(size, 10), "most", strconv.FormatInt(in.Size, 10))
	}
	if err := copyLabel(r, w); err != nil {
		return err
	}
	if err := w.Chmod(in.Mode.Perm()); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(r.Fd()), &st); err != nil {
		return err
	}
	times := []unix.Timeval{unix.NsecToTimeval(unix.TimespecToNsec(st.Atim)),
		unix.NsecToTimeval(unix.TimespecToNsec(st.Mtim))}
	if err := unix.Futimes(int(w.Fd()), times); err != nil {
		return err
	}
	return w.Sync()
}

// label is the attribute that SELinux keeps the context of a file in: a new file would get that of its directory, and
// the server might not be let in.
var label = "security.selinux"

func copyLabel(from, to *os.File) error {
	value := make([]byte, 4096) // the kernel bounds a context to a page
	n, err := unix.Fgetxattr(int(from.Fd()), label, value)
	switch err {
	case nil:
	case unix.ENODATA, unix.EOPNOTSUPP:
		return nil
	default:
		return &fs.PathError{Op: "getxattr", Path: from.Name(), Err: err}
	}
	switch err := unix.Fsetxattr(int(to.Fd()), label, value[:n], 0); err {
	case nil, unix.EOPNOTSUPP, unix.EACCES, unix.EPERM:
		return nil // whether the server gets in is seen when it is started
	default:
		return &fs.PathError{Op: "setxattr", Path: to.Name(), Err: err}
	}
}

// Same implements Folders.
func (f folders) Same(ctx context.Context, a, b string, told func(int64)) error {
	return f.both(a, b, func(x, y *os.Root) error {
		list := func(r *os.Root) (names []string, of map[string]Info, err error) {
			of = map[string]Info{}
			err = walk(r, func(rel string, in Info) error {
				names = append(names, rel)
				of[rel] = in
				return nil
			})
			return names, of, err
		}
		left, was, err := list(x)
		if err != nil {
			return err
		}
		right, is, err := list(y)
		if err != nil {
			return err
		}
		if !slices.Equal(left, right) {
			return say.Err("{name} and {other} hold other names: {n} and {most}", "name", a, "other", b,
				"n", strconv.Itoa(len(left)), "most", strconv.Itoa(len(right)))
		}
		one, two := make([]byte, chunk), make([]byte, chunk)
		for _, rel := range left {
			if was[rel].Mode != is[rel].Mode || was[rel].Mode.IsRegular() && was[rel].Size != is[rel].Size {
				return say.Named(rel, say.Err("{before} of {n} bytes, and {other} of {most} in the copy",
					"before", was[rel].Mode, "n", strconv.FormatInt(was[rel].Size, 10), "other", is[rel].Mode,
					"most", strconv.FormatInt(is[rel].Size, 10)))
			}
			if !was[rel].Mode.IsRegular() {
				continue
			}
			if err := sameFile(ctx, x, y, rel, one, two, told); err != nil {
				return err
			}
		}
		return nil
	})
}

func sameFile(ctx context.Context, x, y *os.Root, rel string, one, two []byte, told func(int64)) error {
	p, err := x.OpenFile(rel, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer p.Close()
	q, err := y.OpenFile(rel, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer q.Close()
	// The copy is read from the disk and not from memory, as far as the kernel
	// heeds this; where it does not, the comparison is of what it will write.
	_ = unix.Fadvise(int(q.Fd()), 0, 0, unix.FADV_DONTNEED)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err1 := io.ReadFull(p, one)
		m, err2 := io.ReadFull(q, two)
		if n != m || !bytes.Equal(one[:n], two[:m]) {
			return say.Err("{where} reads back otherwise than it was written", "where", q.Name())
		}
		told(int64(n))
		switch {
		case (err1 == io.EOF || err1 == io.ErrUnexpectedEOF) && (err2 == io.EOF || err2 == io.ErrUnexpectedEOF):
			return nil
		case err1 != nil || err2 != nil:
			return errors.Join(err1, err2)
		}
	}
}
