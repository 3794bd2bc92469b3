package scratch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets a test be killed in the middle: the process makes a place and waits
// for its end.
func TestMain(m *testing.M) {
	if os.Getenv("PGFETTLE_TEST_PLACE") != "" {
		p, err := newPlace(Account{UID: os.Getuid(), GID: os.Getgid()}, "")
		if err != nil {
			os.Stdout.WriteString("error: " + err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString(p.path + "\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// lodger is another process that has a place, and its path.
func lodger(t *testing.T, temp string) (*exec.Cmd, string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "PGFETTLE_TEST_PLACE=1", "TMPDIR="+temp)
	if _, err := cmd.StdinPipe(); err != nil { // it waits on it
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() })
	b := make([]byte, 4096)
	n, err := out.Read(b)
	path := strings.TrimSpace(string(b[:n]))
	if err != nil || !filepath.IsAbs(path) {
		t.Fatalf("%q, %v", path, err)
	}
	return cmd, path
}

// TestStalePlaces: the place of a process that was killed goes when the next one is made, with all that is in it; that
// of one that lives stays, and so does every directory of such a name that is not known to be ours.
func TestStalePlaces(t *testing.T) {
	temp := t.TempDir()
	if err := os.Chmod(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	dead, gone := lodger(t, temp)
	_, lives := lodger(t, temp)
	victim := filepath.Join(t.TempDir(), "victim")
	mine, err := self()
	if err != nil {
		t.Fatal(err)
	}
	old, elsewhere, worn := mine, mine, mine
	old.boot, old.pid = "00000000-0000-0000-0000-000000000000", 1<<30
	elsewhere.space, elsewhere.pid = "pid:[1]", 1<<30
	worn.start += "0" // the number is worn by another process: us
	lay := func(name, owner string) string {
		t.Helper()
		at := filepath.Join(temp, name)
		if err := os.MkdirAll(filepath.Join(at, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		if owner != "" {
			if err := os.WriteFile(filepath.Join(at, ownerFile), []byte(owner), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return at
	}
	goes := []string{gone, lay("pgfettle-2", old.text()), lay("pgfettle-3", worn.text())}
	stays := []string{lives, lay("pgfettle-4", ""), lay("pgfettle-5", "no owner\n"),
		lay("pgfettle-6", elsewhere.text()), lay("pgfettle-7", mine.text()), lay("other-8", old.text()), victim}
	if err := os.WriteFile(victim, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(temp, "pgfettle-9")
	for from, to := range map[string]string{filepath.Join(gone, "link"): filepath.Dir(victim),
		link: lay("linked", old.text())} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	stays = append(stays, link, filepath.Join(temp, "linked"))
	if err := os.WriteFile(filepath.Join(gone, "postgresql.conf"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dead.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = dead.Process.Wait()
	p, err := newPlace(Account{UID: os.Getuid(), GID: os.Getgid()}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.remove() }()
	for _, name := range goes {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range append(stays, p.path) {
		if _, err := os.Lstat(name); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
	if err := p.remove(); err != nil {
		t.Error(err)
	}
}
