// Package template keeps what initdb makes, once for each server and set of arguments,
// for the tests that start throwaway servers: a copy takes a third of the time. Each
// copy gets a system identifier of its own, so that two servers are not taken for a
// primary and its standby.
package template

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
)

// New is scratch.New with a copy in place of initdb.
func New(ctx context.Context, b scratch.Binaries, o scratch.Options) (*scratch.Instance, error) {
	from, err := kept(ctx, b, o.InitDB)
	if err != nil {
		return nil, err
	}
	o.Template = from
	i, err := scratch.New(ctx, b, o)
	if err != nil {
		return nil, err
	}
	if err := identify(i.DataDir, fresh()); err != nil {
		return nil, errors.Join(err, i.Remove())
	}
	return i, nil
}

// Copy makes a new cluster at dir, which does not exist yet, as initdb with the arguments of scratch.New would. Its
// files belong to the caller, and no other user can read them.
func Copy(ctx context.Context, b scratch.Binaries, dir string) error {
	from, err := kept(ctx, b, nil)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(name, 0o700)
		}
		return os.Chmod(name, 0o600)
	})
	return errors.Join(err, identify(dir, fresh()))
}

// recipe is another one where a template is made otherwise: old ones are not taken then.
const recipe = 2

// kept returns the template, which it makes if there is none. It stands beside the fetched servers and is root's, or
// the user's, alone.
func kept(ctx context.Context, b scratch.Binaries, args []string) (string, error) {
	cache, err := scratch.CacheDir()
	if err != nil {
		return "", err
	}
	st, err := os.Stat(b.Tool("postgres"))
	if err != nil {
		return "", err
	}
	// another build of the same version may make other catalogs
	of := fmt.Sprint(recipe, b.Dir, b.Version, st.Size(), st.ModTime().UnixNano(), strings.Join(args, "\n"))
	sum := sha256.Sum256([]byte(of))
	all := filepath.Join(filepath.Dir(cache), "templates")
	at := filepath.Join(all, fmt.Sprintf("%d-%s", b.Version.Major(), hex.EncodeToString(sum[:8])))
	if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
		return at, err
	}
	if err := os.MkdirAll(all, 0o700); err != nil {
		return "", err
	}
	i, err := scratch.New(ctx, b, scratch.Options{InitDB: args})
	if err != nil {
		return "", err
	}
	// New has written its own lines behind those of initdb. Without what initdb's server
	// has counted, from 15 on, a copy counts from its own start and not from the template's.
	err = errors.Join(trim(i.DataDir+"/postgresql.conf"), os.RemoveAll(i.DataDir+"/pg_stat/pgstat.stat"))
	tmp, err2 := os.MkdirTemp(all, ".making-")
	if err = errors.Join(err, err2); err == nil {
		err = os.CopyFS(tmp, os.DirFS(i.DataDir))
	}
	if err = errors.Join(err, i.Remove()); err == nil {
		err = os.Rename(tmp, at) // whole or not at all
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(tmp))
		if _, e := os.Stat(at); e == nil { // another process was first
			return at, nil
		}
		return "", err
	}
	return at, nil
}

// trim takes the lines away that scratch.New writes behind those of initdb.
func trim(conf string) error {
	b, err := os.ReadFile(conf)
	if err != nil {
		return err
	}
	text, _, found := strings.Cut(string(b), "\nlisten_addresses = ''\n")
	if !found {
		return fmt.Errorf("%s: not as a throwaway server has it", conf)
	}
	return os.WriteFile(conf, []byte(text+"\n"), 0o600)
}

var made atomic.Uint64

// fresh is a system identifier as initdb makes one, of the time and the process.
func fresh() uint64 {
	now := time.Now()
	return uint64(now.Unix())<<32 | uint64(now.Nanosecond()/1000)<<12 | (uint64(os.Getpid())+made.Add(1))&0xfff
}

// identify gives a cluster that was never started another system identifier. It is at the beginning of the control
// file, which a checksum ends, and in the long header of the first page of a WAL segment.
func identify(dataDir string, id uint64) error {
	control := filepath.Join(dataDir, "global", "pg_control")
	b, err := os.ReadFile(control)
	if err != nil {
		return err
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := func(n int) uint32 { return crc32.Checksum(b[:n], castagnoli) }
	end := 0 // of what the checksum is of: another offset in each version
	for n := 8; n+4 <= len(b) && end == 0; n += 4 {
		if binary.NativeEndian.Uint32(b[n:]) == sum(n) {
			end = n
		}
	}
	if end == 0 {
		return fmt.Errorf("%s: no checksum that fits", control)
	}
	was := binary.NativeEndian.Uint64(b)
	binary.NativeEndian.PutUint64(b, id)
	binary.NativeEndian.PutUint32(b[end:], sum(end))
	if err := overwrite(control, 0, b); err != nil {
		return err
	}
	const inHeader = 24 // sizeof(XLogPageHeaderData), aligned
	segments, err := filepath.Glob(filepath.Join(dataDir, "pg_wal", strings.Repeat("[0-9A-F]", 24)))
	if err != nil || len(segments) == 0 {
		return fmt.Errorf("no WAL of a new cluster in %s: %w", dataDir, err)
	}
	for _, name := range segments {
		if err := swap(name, inHeader, was, id); err != nil {
			return err
		}
	}
	return nil
}

// swap replaces a number in a file.
func swap(name string, at int64, was, id uint64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	var b [8]byte
	_, err = f.ReadAt(b[:], at)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if n := binary.NativeEndian.Uint64(b[:]); n != was {
		return fmt.Errorf("%s: identifier %d, not %d", name, n, was)
	}
	binary.NativeEndian.PutUint64(b[:], id)
	return overwrite(name, at, b[:])
}

func overwrite(name string, at int64, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, at)
	return errors.Join(err, f.Close())
}
