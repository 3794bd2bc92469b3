package unwrap

import "bytes"

// findIndent finds blanks that all lines begin with, as Markdown has them before code and YAML before a text.
func findIndent(s *sample) cut {
	if opened(s.lines) || s.log() && len(s.lines) < 3 {
		return nil
	}
	first := s.signs[0]
	own := first[:len(first)-len(bytes.TrimLeft(first, " \t"))]
	for _, l := range s.signs {
		for !bytes.HasPrefix(l, own) && len(own) > 0 {
			own = own[:len(own)-1]
		}
	}
	const most = 32
	if own = bytes.Clone(own[:min(len(own), most)]); len(own) < 2 && string(own) != "\t" {
		return nil
	}
	// In YAML all lines but the first may be indented, and that is no layer. A log has lines of other forms.
	share := 1.0
	if s.log() {
		share = 0.8
	}
	// No server begins its lines with two blanks and a time: what is not indented as they are is around the log.
	timed := s.Labeled != nil && len(s.signs) >= 3 && own[0] == ' ' && len(first) > len(own) &&
		first[len(own)] >= '0' && first[len(own)] <= '9'
	if !timed && !s.all(share, func(l []byte) bool { return bytes.HasPrefix(l, own) }) {
		return nil
	}
	return off(func(l []byte) int {
		if bytes.HasPrefix(l, own) {
			return len(own)
		}
		return 0
	})
}

// opened says whether a sample begins with an object or an array that is laid out over lines.
func opened(lines [][]byte) bool {
	if len(lines) == 0 {
		return false
	}
	switch string(bytes.TrimSpace(lines[0])) {
	case "{", "[", "[{":
		return true
	}
	return false
}
