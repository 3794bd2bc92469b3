package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// Store is a history that is open. Its methods may be called at once.
type Store struct {
	db   *sql.DB
	path string
	lock *os.File // of the one who writes; nil: opened to read
	o    Options

	mu     sync.Mutex // of the one who writes
	now    func() time.Time
	ids    map[history.Series]int64
	full   bool  // the limit of series was reported
	hour   int64 // of the last sample stored
	last   int64 // its time; 0: none is stored yet
	began  bool  // a sample was stored since Open
	failed error // why nothing is written now; nil: all is well
	retry  time.Time
}

// DefaultPath is where the history of a user lies: root's in Dir, another's in
// $XDG_STATE_HOME/pgfettle, or ~/.local/state/pgfettle.
func DefaultPath(uid int, getenv func(string) string) (string, error) {
	if uid == 0 {
		return filepath.Join(Dir, File), nil
	}
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification requires ignoring any other
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return "", say.Err("there is no directory for the history: HOME is not set")
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "pgfettle", File), nil
}

// pageSize holds four blocks of a coarse level, or six of an hour. SQLite's own
// 4 kB would leave a fifth of each page empty.
const pageSize = 8192

// Open opens a history to write it, and makes directory and file if there are none. There is one writer at a time;
// readers do not block it, nor it them.
func Open(path string, o Options) (*Store, error) {
	if o.Interval <= 0 {
		o.Interval = 10 * time.Second
	}
	if o.SeriesMost <= 0 {
		o.SeriesMost = 2000
	}
	if o.Pause <= 0 {
		o.Pause = time.Minute
	}
	if o.PagesMost <= 0 {
		o.PagesMost = 512 << 20 / pageSize
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*Store, error) {
		return nil, &WriteError{Path: path, First: true, Err: classify(path, err)}
	}
	if err := foreign(path); err != nil {
		return fail(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(err)
	}
	lock, err := holdLock(path + ".lock")
	if err != nil {
		return fail(err)
	}
	s := &Store{path: path, lock: lock, o: o, now: time.Now, ids: map[history.Series]int64{}}
	if err := s.open(); err != nil {
		s.Close()
		return fail(err)
	}
	return s, nil
}

// foreign returns an error where a file is there and is not ours. It is asked before anything is made next to it:
// /etc/passwd.lock, left there, keeps every useradd out.
func foreign(path string) error {
	switch err := regular(path); {
	case errors.Is(err, ErrNone):
		return nil
	case err != nil:
		return err
	}
	s := &Store{path: path}
	var err error
	if s.db, err = sql.Open("sqlite", dsn(path, "&mode=ro&immutable=1")); err != nil {
		return err
	}
	defer s.db.Close()
	err = classify(path, s.recognize())
	if errors.Is(err, ErrForeign) || errors.Is(err, ErrNewer) {
		return err
	}
	return nil // ours, empty, or what the one who holds the lock finds out
}

// OpenRead opens a history to read it, also while another writes it. It is ErrNone if there is no file, and ErrOthers
// where root was to open another's.
func OpenRead(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*Store, error) { return nil, ofHistory(path, err) }
	if err := regular(path); err != nil {
		return fail(err)
	}
	if err := rootsOwn(path); err != nil {
		return fail(err)
	}
	const readable = 4 // R_OK
	if err := syscall.Access(path, readable); err != nil {
		return fail(err)
	}
	s := &Store{path: path}
	try := func(more string) error {
		s.db, err = sql.Open("sqlite", dsn(path, "&mode=ro&_query_only=1"+more))
		if err != nil {
			return err
		}
		// The page that is asked for and the live values next to it.
		s.db.SetMaxOpenConns(4)
		s.db.SetMaxIdleConns(2)
		if err := s.recognize(); err != nil {
			s.db.Close()
			return err
		}
		return nil
	}
	err = try("")
	if c := classify(path, err); errors.Is(c, ErrReadOnly) {
		// In a directory where we cannot create the files next to it: without a WAL file of other writers, the file
		// alone is complete.
		if wal, statErr := os.Lstat(path + "-wal"); errors.Is(statErr, fs.ErrNotExist) ||
			statErr == nil && wal.Size() == 0 {
			err = try("&immutable=1")
		}
	}
	if err != nil {
		return fail(err)
	}
	return s, nil
}

// dsn is the name that the driver opens. The journal mode is not in it: opening a file must not change it, because it
// may belong to others.
//
// synchronous is FULL: every sample is on the disk when Append returns, so that
// a power cut too loses one sample at most. That is one fsync in ten seconds.
// With NORMAL all since the last checkpoint, an hour or so, could be lost.
// No schema in a file that others may have written is trusted.
func dsn(path, more string) string {
	u := url.URL{Scheme: "file", Path: path}
	return u.String() +
		"?_busy_timeout=5000&_defensive=1&_dqs=0&_error_rc=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=temp_store(2)" + more
}

// regular verifies that a path is a file: neither a link that leads elsewhere nor a pipe.
func regular(path string) error {
	switch st, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNone
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return say.Err("{reason}: not a regular file", "reason", ErrForeign)
	}
	return nil
}

// holdLock takes the lock of the one who writes, in a file beside the history:
// to open and close the history itself would drop the locks that SQLite holds.
func holdLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := target.Flock(f); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, err
	}
	return f, nil
}

func (s *Store) open() error {
	switch err := regular(s.path); {
	case errors.Is(err, ErrNone):
		// Made here for its mode; SQLite gives the files next to it the same.
		f, err := os.OpenFile(s.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	var err error
	if s.db, err = sql.Open("sqlite",
		dsn(s.path,
			fmt.Sprintf(
				"&_synchronous=FULL&_txlock=immediate&_pragma=page_size(%d)&_pragma=max_page_count(%d)&_pragma=journal_size_limit(%d)", pageSize, s.o.PagesMost, 4<<20))); err != nil {
		return err
	}
	// One: there is one writer, and every connection has a cache of pages.
	s.db.SetMaxOpenConns(1)
	switch err := s.recognize(); {
	case errors.Is(err, errEmpty):
		if err := s.create(); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	return s.begin()
}

var errEmpty = say.Err("the file is empty")

// recognize distinguishes our file from others by its header and by the SQL of its tables.
func (s *Store) recognize() error {
	var id, ver int64
	if err := s.db.QueryRow("PRAGMA application_id").Scan(&id); err != nil {
		return err
	}
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&ver); err != nil {
		return err
	}
	rows, err := s.db.Query("SELECT type, name, coalesce(sql, '') FROM sqlite_schema LIMIT 1000")
	if err != nil {
		return err
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return err
		}
		if kind == "trigger" {
			return say.Err("{reason}: it holds the trigger {name}", "reason", ErrForeign, "name", say.Quoted(name))
		}
		found[name] = text
	}
	if err := rows.Err(); err != nil {
		return err
	}
	switch {
	case len(found) == 0 && id == 0 && ver == 0:
		return errEmpty
	case id != applicationID:
		return ErrForeign
	case ver > version:
		return say.Err("{reason}: its version is {version}, and this program knows {known}", "reason", ErrNewer,
			"version", ver, "known", version)
	case ver < 1:
		return ErrForeign
	}
	for _, o := range objects {
		if found[o.name] != o.sql {
			return say.Err("{reason}: {name} is not as we made it", "reason", ErrForeign, "name", o.name)
		}
	}
	return nil
}

// create makes the tables, in one transaction with the mark of the file: a file
// that is half made is an empty one.
func (s *Store) create() error {
	if _, err := s.db.Exec("PRAGMA journal_mode = wal"); err != nil {
		return err
	}
	return s.tx(context.Background(), func(tx *sql.Tx) error {
		for _, o := range objects {
			if _, err := tx.Exec(o.sql); err != nil {
				return say.Named(o.name, err)
			}
		}
		_, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version))
		return err
	})
}

// begin reads what the writer has to know.
func (s *Store) begin() error {
	if err := eachSeries(context.Background(), s.db, 4*s.o.SeriesMost,
		func(id int64, k history.Series) { s.ids[k] = id }); err != nil {
		return err
	}
	var last sql.NullInt64
	if err := s.db.QueryRow("SELECT max(at) FROM sample").Scan(&last); err != nil {
		return err
	}
	s.last = last.Int64
	return nil
}

// eachSeries passes on the series and their numbers, most of them at the most.
func eachSeries(ctx context.Context, from interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, most int, put func(id int64, k history.Series)) error {
	rows, err := from.QueryContext(ctx, "SELECT id, instance, name, label FROM series LIMIT ?", most)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var k history.Series
		if err := rows.Scan(&id, &k.Instance, &k.Name, &k.Label); err != nil {
			return err
		}
		put(id, k)
	}
	return rows.Err()
}

// tx runs one transaction: all of it or nothing.
func (s *Store) tx(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		tx.Rollback() // SQLite has done so already after most failures
		return err
	}
	return tx.Commit()
}

// view runs reads that see one state of the file.
func (s *Store) view(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		err = do(tx)
		tx.Rollback()
	}
	if err != nil {
		return ofHistory(s.path, err)
	}
	return nil
}

// Path is where the file lies.
func (s *Store) Path() string { return s.path }

// Close ends the use of the history. What was stored is stored already.
func (s *Store) Close() error {
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	if s.lock != nil {
		s.lock.Close()
	}
	return err
}

// coder is the error of the driver.
type coder interface{ Code() int }

// Result codes of SQLite, and of its I/O error those that a full disk makes.
const (
	codePerm, codeBusy, codeLocked, codeReadOnly, codeIO = 3, 5, 6, 8, 10
	codeCorrupt, codeFull, codeCantOpen, codeNotADB      = 11, 13, 14, 26
	ioWrite, ioFsync, ioTruncate, ioShmSize              = 3, 4, 6, 19
)

// ofHistory is an error about a history, classified.
func ofHistory(path string, err error) error {
	return say.Err("history {file}: {reason}", "file", path, "reason", classify(path, err))
}

// classify puts one of the errors of this package before one of SQLite or the system.
func classify(path string, err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{ErrNone, ErrOthers, ErrForeign, ErrNewer, ErrFull, ErrReadOnly, ErrLocked, ErrDamaged,
		ErrPaused} {
		if errors.Is(err, known) {
			return err
		}
	}
	as := func(kind error) error { return say.Err("{reason} ({error})", "reason", kind, "error", err) }
	switch {
	case errors.Is(err, errBlock):
		return as(ErrDamaged)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return as(ErrFull)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return as(ErrReadOnly)
	}
	var c coder
	if !errors.As(err, &c) {
		return err
	}
	switch code := c.Code(); code & 0xff {
	case codeFull:
		return as(ErrFull)
	case codeReadOnly, codeCantOpen, codePerm:
		return as(ErrReadOnly)
	case codeBusy, codeLocked:
		return as(ErrLocked)
	case codeCorrupt:
		return as(ErrDamaged)
	case codeNotADB:
		return ErrForeign
	case codeIO:
		switch code >> 8 {
		case ioWrite, ioFsync, ioTruncate, ioShmSize:
			if noRoom(path) {
				return as(ErrFull)
			}
		}
	}
	return err
}

// noRoom reports whether the disk has less room than the files next to the history may need at once. SQLite reports a
// full disk as a plain I/O error if it was the file of its index of the log that could not grow.
func noRoom(path string) bool {
	var st syscall.Statfs_t
	return syscall.Statfs(filepath.Dir(path), &st) == nil && st.Bavail*uint64(st.Bsize) < 1<<20
}

// cut bounds a text, on the edge of a rune, and makes it valid UTF-8.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	s = s[:most-len("…")]
	return strings.ToValidUTF8(s, "") + "…"
}
