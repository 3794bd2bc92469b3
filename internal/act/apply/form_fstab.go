package apply

import (
	"fmt"
	"path"
	"strings"
)

// fstabEntry is where the options of a mount point stand in /etc/fstab.
type fstabEntry struct {
	line       int // index of the line
	start, end int // bytes of the options field in it
	options    string
}

// findFstab finds the only line of fstab(5) that mounts something at a place.
// ok is false where there is none; two lines for one place are an error, as
// which one a mount takes depends on how it is asked for.
func findFstab(lines []string, point string) (e fstabEntry, ok bool, err error) {
	for i, line := range lines {
		f := fields(line)
		if len(f) < 2 || line[f[0][0]] == '#' {
			continue
		}
		at := unescapeFstab(line[f[1][0]:f[1][1]])
		if !strings.HasPrefix(at, "/") || path.Clean(at) != path.Clean(point) {
			continue
		}
		if ok {
			return e, true, fmt.Errorf("%s: lines %d and %d both mount %s", fstabFile, e.line+1, i+1, point)
		}
		if len(f) < 4 {
			return e, true, fmt.Errorf("%s line %d: no field of options", fstabFile, i+1)
		}
		e, ok = fstabEntry{i, f[3][0], f[3][1], line[f[3][0]:f[3][1]]}, true
	}
	return e, ok, nil
}

// fstabOptions returns the options of a mount point.
func fstabOptions(text *string, point string) (options string, ok bool, err error) {
	if text == nil {
		return "", false, nil
	}
	e, ok, err := findFstab(cut(*text), point)
	return e.options, ok, err
}

// setFstab returns the text with other options for a mount point. Not a byte
// outside that one field changes.
func setFstab(text, point, options string) (string, error) {
	lines := cut(text)
	e, ok, err := findFstab(lines, point)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("%s: no line mounts %s", fstabFile, point)
	}
	lines[e.line] = lines[e.line][:e.start] + options + lines[e.line][e.end:]
	return strings.Join(lines, ""), nil
}

// fields returns where the fields of a line start and end, parted by blanks and
// tabs as mount(8) has it.
func fields(line string) (out [][2]int) {
	line = strings.TrimRight(line, "\r\n")
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		n := strings.IndexAny(line[i:], " \t")
		if n < 0 {
			n = len(line) - i
		}
		out = append(out, [2]int{i, i + n})
		i += n
	}
	return out
}

// unescapeFstab resolves the octal escapes of blanks in a path: \040 is one.
func unescapeFstab(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && octal(s[i+1]) && octal(s[i+2]) && octal(s[i+3]) {
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | s[i+3] - '0')
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func octal(c byte) bool { return c >= '0' && c <= '7' }
