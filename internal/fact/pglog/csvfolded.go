package pglog

import "bytes"

// unfoldedCSV puts together the records of a csvlog that a letter has folded: its lines are broken between words, also
// where no field is in quotes. It is nil where no record is.
func unfoldedCSV(head []byte) []byte {
	var out []byte
	folded, inside := false, false
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		line = bytes.TrimRight(line, " \r")
		switch {
		case csvStart(line):
			out, inside = append(append(out, '\n'), line...), true
		case len(line) == 0 || bytes.HasPrefix(line, fence):
			inside = false
			out = append(append(out, '\n'), line...)
		case inside:
			// A field in quotes may hold an end of a line; behind the last one the words of the person go on.
			so := out[bytes.LastIndexByte(out, '\n')+1:]
			if commas := bytes.Count(so, []byte{','}); bytes.Count(so, []byte{'"'})%2 == 0 {
				folded = folded || commas < csvSeverity
				inside = commas < csvApp
			}
			between := byte(' ')
			if !inside {
				between = '\n'
			}
			out = append(append(out, between), line...)
		default:
			out = append(append(out, '\n'), line...)
		}
	}
	if !folded {
		return nil
	}
	return append(out[1:], '\n')
}
