package host

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// FstabLine is a line of /etc/fstab that mounts something at a place.
type FstabLine struct {
	Line    int    `json:"line"`    // from 1
	Point   string `json:"point"`   // octal escapes resolved, without a slash at its end
	Type    string `json:"type"`    // "" if the line ends before it
	Options string `json:"options"` // the whole field; "" if there is none
	Span    [2]int `json:"-"`       // the bytes of that field in the line
}

// maxFstab bounds the lines: a host has some dozens.
const maxFstab = 10_000

const fstab = "etc/fstab"

// ReadFstab reads /etc/fstab. A host without the file mounts by other means.
func ReadFstab(fsys fs.FS) known.Fact[[]FstabLine] { return evidence.Read(fsys, fstab, ParseFstab) }

// ParseFstab parses the text of /etc/fstab.
func ParseFstab(b []byte) ([]FstabLine, error) {
	out := FstabLines(string(b))
	if len(out) > maxFstab {
		return nil, fmt.Errorf("more than %d lines", maxFstab)
	}
	return out, nil
}

// FstabLines returns the lines of fstab(5) that mount something at a path, in their order. Other lines, including swap,
// are skipped.
func FstabLines(text string) []FstabLine {
	out := []FstabLine{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := fieldSpans(line)
		if len(f) < 2 || line[f[0][0]] == '#' {
			continue
		}
		at := unescapeFstab(line[f[1][0]:f[1][1]])
		if !strings.HasPrefix(at, "/") {
			continue
		}
		l := FstabLine{Line: n, Point: path.Clean(at)}
		if len(f) > 2 {
			l.Type = line[f[2][0]:f[2][1]]
		}
		if len(f) > 3 {
			l.Span = f[3]
			l.Options = line[f[3][0]:f[3][1]]
		}
		out = append(out, l)
	}
	return out
}

// AtimeFS are the filesystems of local disks on which every read may be noted by
// the mount's own flag, and whose lines a collector keeps. Those of shares in a
// network hold passwords; ZFS has a property of its own for it.
var AtimeFS = []string{"ext2", "ext3", "ext4", "xfs", "btrfs"}

// LocalFstab returns a file of fstab in which only the lines of local filesystems remain, each on its own line number.
func LocalFstab(b []byte) []byte {
	keep := map[int]bool{}
	for _, l := range FstabLines(string(b)) {
		for _, t := range strings.Split(l.Type, ",") { // mount(8) tries one after another
			keep[l.Line] = keep[l.Line] || t == "auto" || slices.Contains(AtimeFS, t)
		}
	}
	var out bytes.Buffer
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if keep[n] {
			out.Write(bytes.TrimRight(line, "\r\n"))
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// fieldSpans returns where the fields of a line start and end, separated by blanks and tabs as in mount(8).
func fieldSpans(line string) (out [][2]int) {
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
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func octal(c byte) bool { return c >= '0' && c <= '7' }
