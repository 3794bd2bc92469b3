package target

import (
	"net"
	"path/filepath"
	"testing"
)

// TestTellManager: a state arrives as one datagram at a path and at an abstract name; any other address, or one without
// a listener, is an error.
func TestTellManager(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	abstract := "@pgfettle-test-" + filepath.Base(t.TempDir()) + filepath.Base(filepath.Dir(path))
	for _, name := range []string{path, abstract} {
		c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := TellManager(name, "READY=1\nSTATUS=watching"); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 100)
		n, err := c.Read(b)
		if err != nil || string(b[:n]) != "READY=1\nSTATUS=watching" {
			t.Errorf("%s: %q, %v", name, b[:n], err)
		}
	}
	for _, name := range []string{"", "@", "vsock:2:1234", path + "-nobody"} {
		if err := TellManager(name, "READY=1"); err == nil {
			t.Errorf("%q took it", name)
		}
	}
}
