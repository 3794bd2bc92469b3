package hostile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestNumbersAreGivenAgain: a thread of root's has ended, and a process of an account has
// its number.
func TestNumbersAreGivenAgain(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "1")
	for number, text := range map[string]string{
		"10": `1.0 execve("/pgfettle", ["pgfettle"], 0x0) = 0
1.1 clone(child_stack=0x0) = 12
1.2 clone(child_stack=0x0) = 11
9.0 +++ exited with 0 +++
`,
		"11": `2.0 setresuid(42301, 42301, 42301) = 0
2.1 clone(child_stack=0x0) = 12
2.2 clone(child_stack=0x0) = 13
`,
		"12": `1.2 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3
1.3 +++ exited with 0 +++
2.2 openat(AT_FDCWD</home/mallory>, "data", O_RDONLY) = 3
`,
	} {
		if err := os.WriteFile(prefix+"."+number, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	acts, err := readTrace(prefix, 10)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, a := range acts {
		if len(a.paths) > 0 {
			got[a.paths[0]] = a.fsuid
		}
	}
	if len(got) != 3 || got["/etc/passwd"] != 0 || got["/home/mallory/data"] != mallory {
		t.Errorf("%v", got)
	}
	// its number was used before by a thread whose parent is not in the trace
	if err := os.WriteFile(prefix+".13", []byte(`2.1 +++ exited with 0 +++
2.3 openat(AT_FDCWD, "/home/mallory/x", O_RDONLY) = 3
`), 0o600); err != nil {
		t.Fatal(err)
	}
	acts, err = readTrace(prefix, 10)
	if err != nil || acts[len(acts)-1].fsuid != mallory || acts[len(acts)-1].paths[0] != "/home/mallory/x" {
		t.Error(acts, err)
	}
	// a thread that was made while its process ended, and did nothing
	if err := os.WriteFile(prefix+".15", []byte("2.4 +++ exited with 0 +++\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := readTrace(prefix, 10); err != nil || len(again) != len(acts) {
		t.Error(again, err)
	}
	// a thread whose making is not written yet
	if err := os.WriteFile(prefix+".14",
		[]byte("2.3 openat(AT_FDCWD, \"/srv\", O_RDONLY) = 3\n2.4 +++ killed by SIGKILL +++\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readTrace(prefix, 10); !errors.Is(err, errUnborn) {
		t.Error(err)
	}
	// whose process ended in the middle of making it, in each way that a tracer says so
	for _, cut := range []string{" <unfinished ...>) = ?", " <unfinished ...>", ") = ? <unavailable>"} {
		if err := os.WriteFile(prefix+".11",
			[]byte("2.0 setresuid(42301, 42301, 42301) = 0\n2.1 clone(child_stack=0x0) = 12\n"+
				"2.2 clone(child_stack=0x0) = 13\n2.2 clone(child_stack=0x0"+cut+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		acts, err = readTrace(prefix, 10)
		if err != nil || acts[len(acts)-1].fsuid != mallory || acts[len(acts)-1].paths[0] != "/srv" {
			t.Error(cut, acts, err)
		}
	}
}
