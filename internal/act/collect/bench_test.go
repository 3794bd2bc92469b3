package collect

import (
	"os"
	"strconv"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// BenchmarkHost collects the files of the machine that it runs on.
func BenchmarkHost(b *testing.B) {
	for b.Loop() {
		c := newCollector(&target.Local{}, Request{})
		c.hostFiles()
	}
}

// BenchmarkDiscover goes over the processes of the machine that it runs on.
func BenchmarkDiscover(b *testing.B) {
	for b.Loop() {
		newCollector(&target.Local{}, Request{}).discover()
	}
}

// BenchmarkCensus300 reads what is wanted of 300 backends: its own process
// three hundred times.
func BenchmarkCensus300(b *testing.B) {
	pid := os.Getpid()
	for b.Loop() {
		c := newCollector(&target.Local{}, Request{})
		for range 300 {
			c.a = evidence.New()
			c.oneProcess(pid)
		}
	}
}

// BenchmarkStatus300 reads the one file that has the page tables.
func BenchmarkStatus300(b *testing.B) {
	t, name := &target.Local{}, "/proc/"+strconv.Itoa(os.Getpid())+"/status"
	for b.Loop() {
		for range 300 {
			if _, err := t.ReadFile(name, maxFile); err != nil {
				b.Fatal(err)
			}
		}
	}
}
