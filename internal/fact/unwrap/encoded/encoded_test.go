package encoded

import (
	"bytes"
	"io"
	"testing"
)

// TestText: bytes of each encoding are lines of UTF-8, as a whole and as a stream; what is none stays.
func TestText(t *testing.T) {
	for _, c := range []struct {
		what, in, want string
		found          Found
	}{
		{"UTF-16, little-endian with its mark", "\xff\xfea\x00\n\x00", "a\n", Found{UTF16: true}},
		{"UTF-16, big-endian with its mark", "\xfe\xff\x00a\x00\n", "a\n", Found{UTF16: true}},
		{"UTF-16 without a mark", "a\x00b\x00\n\x00", "ab\n", Found{UTF16: true}},
		{"a mark of UTF-8", "\xef\xbb\xbfa b\n", "a b\n", Found{}},
		{"carriage returns alone", "a\rb\r", "a\nb\n", Found{Returns: true}},
		{"lines of Windows", "a\r\nb\r\n", "a\nb\n", Found{}},
		{"a progress line", "1 %\r2 %\r\nb\n", "1 %\r2 %\nb\n", Found{}},
		{"UTF-8", "é\nb\n", "é\nb\n", Found{}},
		{"nothing", "", "", Found{}},
	} {
		got, found := Text([]byte(c.in))
		if string(got) != c.want || found != c.found {
			t.Errorf("%s: %q, %+v", c.what, got, found)
		}
		open := Stream([]byte(c.in))
		if (open != nil) != (c.found != Found{}) {
			t.Errorf("%s: a stream of it is read as it is: %t", c.what, open == nil)
			continue
		}
		if open == nil {
			continue
		}
		b, err := io.ReadAll(open(bytes.NewReader([]byte(c.in))))
		if b = bytes.TrimPrefix(b, byteOrderMark); err != nil || string(b) != c.want {
			t.Errorf("%s as a stream: %q, %v", c.what, b, err)
		}
	}
}
