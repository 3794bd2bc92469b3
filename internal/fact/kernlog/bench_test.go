package kernlog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// journals are a million or so lines of other things, in the forms that large
// logs come in, with a report of the OOM killer in the middle.
func journals(b *testing.B) map[string][]byte {
	report, err := os.ReadFile("testdata/k601_memcg_v2_journal.log")
	if err != nil {
		b.Fatal(err)
	}
	out := map[string][]byte{}
	for name, line := range map[string]func(i int) string{
		"short": func(i int) string {
			return fmt.Sprintf(
				"Nov 21 07:%02d:%02d db1 kernel: [%d.123456] usb 1-1: new high-speed USB device number %d using "+
					"xhci_hcd and some more words\n", i/60%60, i%60, i, i)
		},
		"short-iso": func(i int) string {
			return fmt.Sprintf(
				"2026-11-21T07:%02d:%02d.123456+0100 db1 sshd[%d]: Accepted publickey for deploy from 192.0.2.%d "+
					"port 50%03d ssh2: ED25519\n", i/60%60, i%60, i, i%255, i%1000)
		},
		"json": func(i int) string {
			return fmt.Sprintf(
				`{"__CURSOR":"s=0;i=%x","__REALTIME_TIMESTAMP":"1795245786%06d","_BOOT_ID":"00","PRIORITY":"6",`+
					`"_TRANSPORT":"kernel","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"audit: type=1400 `+
					`audit(1795245786.%d:12): apparmor=\"ALLOWED\""}`, i, i%1000000, i%1000) + "\n"
		},
		"server": func(i int) string {
			return fmt.Sprintf(
				"2026-11-21 07:%02d:%02d.433 CET [%d] app@shop LOG:  duration: %d.123 ms  statement: select * from "+
					"orders where customer = %d\n", i/60%60, i%60, i%500+1, i%900, i)
		},
	} {
		var s bytes.Buffer
		for i := range 100_000 {
			if i == 50_000 {
				s.Write(report)
			}
			s.WriteString(line(i))
		}
		out[name] = s.Bytes()
	}
	return out
}

// BenchmarkRead reads what large logs mostly have: lines about something else.
func BenchmarkRead(b *testing.B) {
	for name, text := range journals(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if l, err := Read(bytes.NewReader(text)); err != nil || len(l.Reports) != 1 ||
					len(l.Reports[0].Victims) != 1 {
					b.Fatalf("%+v %v", l, err)
				}
			}
		})
	}
}

// TestMemoryBounded streams a log that is much larger than what may be held of it.
func TestMemoryBounded(t *testing.T) {
	line := strings.Repeat(
		"Nov 21 07:00:00 db1 kernel: [12.123456] usb 1-1: new high-speed USB device number 7 using xhci_hcd\n", 1000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	in := readers(func(p []byte) (int, error) {
		if n++; n > 1000 { // 100 MB
			return 0, io.EOF
		}
		return copy(p, line[:min(len(p), len(line))]), nil
	})
	if _, err := Read(in); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("%d bytes were allocated in all", got)
	}
}

type readers func([]byte) (int, error)

func (r readers) Read(p []byte) (int, error) { return r(p) }
