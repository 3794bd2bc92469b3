package pgclient

import (
	"fmt"
	"io/fs"
	"testing"
)

type files map[string]string

func (f files) ReadFile(name string, _ int64) ([]byte, error) {
	if b, ok := f[name]; ok {
		return []byte(b), nil
	}
	return nil, fs.ErrNotExist
}

func TestPostmasterHere(t *testing.T) {
	const boot = 1_700_000_000
	stat := func(pid, ticks int) string {
		return fmt.Sprintf(
			"%d (postgres) S 7 4 4 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 %d 227000000 5000 18446744073709551615\n",
			pid, ticks)
	}
	host := files{"proc/stat": fmt.Sprintf("cpu 1 2 3\nbtime %d\nprocesses 9\n", boot),
		"proc/50/comm": "postgres\n", "proc/50/stat": stat(50, 90_000),
		"proc/60/comm": "sshd\n", "proc/60/stat": stat(60, 90_000),
		"proc/70/comm": "postgres\n", "proc/70/stat": "70 (postgres"}
	for _, c := range []struct {
		name string
		s    Session
		want int
	}{
		{"the listener is a postmaster here", Session{PeerPID: 50}, 50},
		{"the listener is the near end of a tunnel", Session{PeerPID: 60}, 0},
		{"a tunnel to a server that runs here after all", Session{PeerPID: 60, BackendPID: 50, BackendAt: boot + 900},
			7},
		{"the backend began when the process did", Session{BackendPID: 50, BackendAt: boot + 902}, 7},
		{"the number is that of another, older backend", Session{BackendPID: 50, BackendAt: boot + 903}, 0},
		{"the number is that of another, younger backend", Session{BackendPID: 50, BackendAt: boot + 897}, 0},
		{"the number is that of another program", Session{BackendPID: 60, BackendAt: boot + 900}, 0},
		{"no such process", Session{BackendPID: 51, BackendAt: boot + 900}, 0},
		{"the start is not known", Session{BackendPID: 50}, 0},
		{"nothing is known", Session{}, 0},
		{"a process that cannot be read", Session{BackendPID: 70, BackendAt: boot}, 0},
	} {
		if got := postmasterHere(host, c.s); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	delete(host, "proc/stat")
	if postmasterHere(host, Session{BackendPID: 50, BackendAt: boot + 900}) != 0 {
		t.Error("proven without the time of boot")
	}
}

func TestMajor(t *testing.T) {
	for v, want := range map[string]int{"17.11": 17, "18beta1": 18, "15.18 (Debian 15.18-0+deb12u1)": 15, "19devel": 19,
		"": 0, "x": 0, "-3": 0} {
		if got := major(v); got != want {
			t.Errorf("%q: %d, want %d", v, got, want)
		}
	}
}
