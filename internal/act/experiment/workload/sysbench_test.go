package workload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// TestSysbenchCommand holds what sysbench is asked to do.
func TestSysbenchCommand(t *testing.T) {
	s, w := Sysbench{Path: "/usr/bin/sysbench", Version: "1.0.20"}, find(t, "sysbench:oltp_read_only")
	o := SysbenchOptions{Conn: Conn{Host: "/tmp/s", Port: 5433, User: "postgres", Database: "db"}, Scale: 3}
	const common = "/usr/bin/sysbench --db-driver=pgsql --pgsql-host=/tmp/s --pgsql-port=5433 --pgsql-user=postgres " +
		"--pgsql-db=db --pgsql-password= --rand-seed="
	if got := s.Prepare(w, o).Line(); got != common+
		"1 oltp_read_only --tables=10 --table-size=30000 --threads=1 prepare" {
		t.Error(got)
	}
	for _, c := range []struct {
		change func(o *SysbenchOptions)
		want   string
	}{
		{func(o *SysbenchOptions) { o.Seconds = 60 },
			"--threads=4 --time=60 --events=0 --report-interval=1 --histogram --percentile=99 --db-ps-mode=auto run"},
		{func(o *SysbenchOptions) { o.Events, o.Protocol = 100, Simple },
			"--threads=4 --time=0 --events=100 --report-interval=1 --histogram --percentile=99 --db-ps-mode=disable " +
				"run"},
		{func(o *SysbenchOptions) { o.Seconds, o.Rate, o.Connect = 1, 99.6, true },
			"--db-ps-mode=auto --rate=100 --reconnect=1 run"},
	} {
		o := o
		o.Clients, o.Seed = 4, 0xfffffff0
		c.change(&o)
		cmd, err := s.Run(w, o)
		if err != nil || !strings.HasPrefix(cmd.Line(), common+"2147483632 oltp_read_only") ||
			!strings.HasSuffix(cmd.Line(), c.want) {
			t.Errorf("%s: %v", cmd.Line(), err)
		}
	}
	o.Clients = 1
	if _, err := s.Run(w, o); err == nil {
		t.Error("neither a time nor a number")
	}
	o.Seconds, o.Protocol = 1, Extended
	if _, err := s.Run(w, o); err == nil {
		t.Error("a protocol that sysbench does not have")
	}
}

// TestFindSysbench verifies that what is missing is named by its package, and that a version whose report is another
// one is not run.
func TestFindSysbench(t *testing.T) {
	for says, want := range map[string]string{"": "not installed", "sysbench 1.0.20": "",
		"sysbench 0.4.12:  multi-threaded": "0.4.12", "sysbench": "not installed", "nonsense 1.0": "not installed"} {
		dir := t.TempDir()
		if says != "" {
			if err := os.WriteFile(filepath.Join(dir, "sysbench"), []byte("#!/bin/sh\necho '"+says+"'\n"),
				0o755); err != nil {
				t.Fatal(err)
			}
		}
		got, err := findSysbench(t.Context(), &target.Local{}, []string{t.TempDir(), dir})
		if want == "" {
			if err != nil || got.Version != "1.0.20" || got.Path != filepath.Join(dir, "sysbench") {
				t.Errorf("%q: %+v, %v", says, got, err)
			}
			continue
		}
		var p *say.Problem
		if !errors.As(err, &p) || !strings.Contains(p.Message.String()+p.Detail.String(), want) ||
			!strings.Contains(p.Hint.String(), "package sysbench") {
			t.Errorf("%q: %v", says, err)
		}
	}
}
