package scratch

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func TestParseVersion(t *testing.T) {
	for _, c := range []struct {
		out        string
		version    unit.Version
		unfinished string
	}{
		{"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", 150018, ""},
		{"postgres (PostgreSQL) 13.23\n", 130023, ""},
		{"postgres (PostgreSQL) 19rc1\n", 190000, "19rc1"},
		{"postgres (PostgreSQL) 19rc1 (Debian 19~rc1-1)\n", 190000, "19rc1"},
		{"postgres (PostgreSQL) 20devel\n", 200000, "20devel"},
		{"postgres (PostgreSQL) 9.6.24\n", 0, ""},
		{"postgres (PostgreSQL) \n", 0, ""},
		{"postgres (PostgreSQL) 99999999999999999999.1\n", 0, ""},
		{"psql: not found\n", 0, ""},
		{"", 0, ""},
	} {
		v, unfinished, err := parseVersion(c.out)
		if v != c.version || unfinished != c.unfinished || (err == nil) != (c.version != 0) {
			t.Errorf("%q: %d, %q, %v", c.out, v, unfinished, err)
		}
	}
}

func TestConfText(t *testing.T) {
	got, err := confText(map[string]string{"work_mem": "4MB", "archive_command": `cp %p 'C:\x'`,
		"pg_stat_statements.max": "5000"})
	want := "archive_command = 'cp %p ''C:\\\\x'''\npg_stat_statements.max = '5000'\nwork_mem = '4MB'\n"
	if err != nil || got != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	for name, value := range map[string]string{"": "1", "a b": "1", "a=b": "1", "a'": "1", "include 'x'\n": "1",
		"x": "1\nfsync = off", "y": "\x00"} {
		if _, err := confText(map[string]string{name: value}); err == nil {
			t.Errorf("%q = %q was let through", name, value)
		}
	}
}

// The server's own choice of wal_buffers: a 32nd of shared_buffers, from 8
// blocks to one segment of 16 MB.
func TestWALBuffers(t *testing.T) {
	for _, c := range []struct {
		major    int
		settings map[string]string
		want     int64
	}{
		{13, map[string]string{}, 32},  // compiled-in shared_buffers of 8 MB
		{15, map[string]string{}, 512}, // 128 MB
		{15, map[string]string{"shared_buffers": "1048576"}, 2048},
		{15, map[string]string{"shared_buffers": "1048576", "wal_segment_size": "1073741824"}, 32768},
		{15, map[string]string{"shared_buffers": "16"}, 8},
		{15, map[string]string{"wal_buffers": "-1", "shared_buffers": "16384"}, 512},
		{15, map[string]string{"wal_buffers": "0"}, 4},
		{15, map[string]string{"wal_buffers": "4096"}, 4096},
	} {
		got, err := walBuffers(c.major, c.settings)
		if err != nil || got != c.want {
			t.Errorf("%d %v: %d, %v; want %d", c.major, c.settings, got, err, c.want)
		}
	}
	for _, bad := range []string{"128MB", "-2", "99999999999999999", ""} {
		if _, err := walBuffers(15, map[string]string{"shared_buffers": bad}); err == nil {
			t.Errorf("shared_buffers = %q was let through", bad)
		}
	}
}

func TestComplaint(t *testing.T) {
	text := "LOG:  starting\nFATAL:  WAL archival cannot be enabled when wal_level is \"minimal\"\nLOG:  shut down\n"
	if got := complaint(text); got != `WAL archival cannot be enabled when wal_level is "minimal"` {
		t.Errorf("%q", got)
	}
	if got := complaint("sh: 1: ulimit: error setting limit\n"); !strings.Contains(got, "ulimit") {
		t.Errorf("%q", got)
	}
}
