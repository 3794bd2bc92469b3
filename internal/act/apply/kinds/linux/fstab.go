package linux

import (
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// findFstab finds the only line of fstab(5) that mounts something at a place. ok is false if there is none; two lines
// for one place are an error, as which one a mount takes depends on how it is asked for.
func findFstab(text, point string) (e host.FstabLine, ok bool, err error) {
	for _, l := range host.FstabLines(text) {
		if l.Point != path.Clean(point) {
			continue
		}
		if ok {
			return e, true, say.Named(fstabFile, say.Err("lines {line} and {other} both mount {path}",
				"line", strconv.Itoa(e.Line), "other", strconv.Itoa(l.Line), "path", point))
		}
		if l.Options == "" {
			return e, true, say.Err("{path} line {line}: {reason}", "path", fstabFile,
				"line", strconv.Itoa(l.Line), "reason", say.M("no field of options"))
		}
		e, ok = l, true
	}
	return e, ok, nil
}

// fstabOptions returns the options of a mount point.
func fstabOptions(text *string, point string) (options string, ok bool, err error) {
	if text == nil {
		return "", false, nil
	}
	e, ok, err := findFstab(*text, point)
	return e.Options, ok, err
}

// setFstab returns the text with other options for a mount point. Not a byte
// outside that one field changes.
func setFstab(text, point, options string) (string, error) {
	e, ok, err := findFstab(text, point)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", say.Named(fstabFile, say.Err("no line mounts {path}", "path", point))
	}
	lines := splitLines(text)
	line := lines[e.Line-1]
	lines[e.Line-1] = line[:e.Span[0]] + options + line[e.Span[1]:]
	return strings.Join(lines, ""), nil
}
