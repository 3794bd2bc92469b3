package pg

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// control makes a pg_control as 13 to 18 write it.
func control(state uint32) []byte {
	b := make([]byte, ControlFileSize)
	binary.NativeEndian.PutUint64(b, 7123456789)
	binary.NativeEndian.PutUint32(b[8:], 1300)
	binary.NativeEndian.PutUint32(b[16:], state)
	binary.NativeEndian.PutUint32(b[288:], crc32.Checksum(b[:288], castagnoli))
	return b
}

// TestParseControlFile: each state is told, and a file that is not whole is none.
func TestParseControlFile(t *testing.T) {
	for state, clean := range []bool{false, true, true, false, false, false, false} {
		c, err := ParseControlFile(control(uint32(state)))
		if err != nil || int(c.State) != state || c.State.Clean() != clean || c.System != 7123456789 {
			t.Errorf("%d: %+v, %v", state, c, err)
		}
	}
	torn := control(1)
	torn[16] = 6
	for name, b := range map[string][]byte{"empty": nil, "short": control(1)[:200],
		"long": make([]byte, ControlFileSize+1), "zeros": make([]byte, ControlFileSize)[:1000], "torn": torn,
		"a state to come": control(7)} {
		if c, err := ParseControlFile(b); err == nil {
			t.Errorf("%s: read as %+v", name, c)
		}
	}
}

// FuzzParseControlFile: no bytes bring the reader down.
func FuzzParseControlFile(f *testing.F) {
	f.Add(control(1))
	f.Add(control(9))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseControlFile(b); err == nil && c.State.String() == "" {
			t.Error("a state without a name")
		}
	})
}
