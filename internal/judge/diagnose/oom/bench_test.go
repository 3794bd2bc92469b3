package oom

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkOOMServerLog reads a server's log in which one entry in a hundred
// thousand bears on a kill.
func BenchmarkOOMServerLog(b *testing.B) {
	var s bytes.Buffer
	for i := range 100_000 {
		if i == 50_000 {
			s.WriteString(
				"2026-11-21 07:00:00.433 CET [1] LOG:  server process (PID 77) was terminated by signal 9: Killed\n")
		}
		fmt.Fprintf(&s,
			"2026-11-21 07:%02d:%02d.433 CET [%d] app@shop LOG:  duration: %d.123 ms  statement: select * from "+
				"orders where customer = %d\n", i/60%60, i%60, i%500+1, i%900, i)
	}
	b.SetBytes(int64(s.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r := NewReader()
		if err := r.Add(bytes.NewReader(s.Bytes())); err != nil || len(r.Log().Server) != 1 {
			b.Fatalf("%+v %v", r.Log(), err)
		}
	}
}
