package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/tier"
)

// BenchmarkCheckAgainstPsql times the whole process «pgfettle check» of this
// host and one instance against «psql -c 'select * from pg_settings'», in turn,
// and reports medians, their ratio and the peak memory; then the same on an
// instance with 20,000 tables against the fresh one. These machines are noisy:
// read the ratios.
func BenchmarkCheckAgainstPsql(b *testing.B) {
	psql, err := exec.LookPath("psql")
	if err != nil {
		tier.Missing(b, tier.Servers, "psql is not installed")
	}
	found, err := binaries()
	if err != nil {
		tier.Missing(b, tier.Servers, "%v", err)
	}
	bin := filepath.Join(b.TempDir(), "pgfettle")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "../../cmd/pgfettle")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, major := range []int{13, 17, 18} {
		pg, ok := found[major]
		if !ok {
			continue
		}
		b.Run(fmt.Sprintf("pg%d", major), func(b *testing.B) {
			fresh, full := start(b, pg, nil), start(b, pg, nil)
			manyTables(b, full)
			conn := fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres", fresh.Socket, fresh.Port)
			var p, f, n []time.Duration
			peak := int64(0)
			for b.Loop() {
				d, _ := wall(b, psql, "-X", "-d", conn, "-c", "select * from pg_settings")
				p = append(p, d)
				d, rss := wall(b, bin, "check", fresh.DataDir)
				f, peak = append(f, d), max(peak, rss)
				d, _ = wall(b, bin, "check", full.DataDir)
				n = append(n, d)
			}
			b.ReportMetric(median(p), "psql-ms")
			b.ReportMetric(median(f), "check-ms")
			b.ReportMetric(median(f)/median(p), "check/psql")
			b.ReportMetric(median(n)/median(f), "20000tables/fresh")
			b.ReportMetric(float64(peak)/1024, "peak-MB")
		})
	}
}

func manyTables(b *testing.B, i *scratch.Instance) {
	b.Helper()
	c := connect(b, i.ConnString())
	exec0 := func(sql string) {
		if _, err := c.Exec(context.Background(), sql).ReadAll(); err != nil {
			b.Fatal(err)
		}
	}
	for from := 0; from < 20000; from += 2000 { // a transaction of 20,000 would exceed the lock table
		exec0("do $$ begin for i in " + strconv.Itoa(from+1) + ".." + strconv.Itoa(from+2000) +
			" loop execute format('create table t%s (id int primary key, v text)', i); end loop; end $$")
	}
	exec0("vacuum analyze")
	exec0("checkpoint")
}

// wall runs a program and returns its wall time and its peak memory in kB.
func wall(b *testing.B, name string, args ...string) (time.Duration, int64) {
	b.Helper()
	cmd := exec.Command(name, args...)
	began := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return time.Since(began), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}

func median(d []time.Duration) float64 {
	d = slices.Clone(d)
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}
