package kernlog

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkRead reads what a syslog mostly has: lines of the kernel that are
// about something else.
func BenchmarkRead(b *testing.B) {
	var s strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&s, "Nov 21 07:%02d:%02d host kernel: [%d.123456] usb 1-1: new high-speed USB device number %d using xhci_hcd and some more words\n", i/60%60, i%60, i, i)
	}
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if l, err := Read(strings.NewReader(s.String())); err != nil || l.Lines != 10_000 {
			b.Fatal(err)
		}
	}
}
