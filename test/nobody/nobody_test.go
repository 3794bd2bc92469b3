package nobody

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// TestListens: connections are refused, and no other process gets the port meanwhile.
func TestListens(t *testing.T) {
	at := Listens(t).String()
	if c, err := net.Dial("tcp", at); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, %v", c, err)
	}
	if l, err := net.Listen("tcp", at); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("%v, %v", l, err)
	}
}
