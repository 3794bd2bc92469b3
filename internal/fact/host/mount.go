package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Mount is a line of /proc/self/mountinfo.
type Mount struct {
	Point   string   `json:"point"`   // mount point, octal escapes resolved
	Device  string   `json:"device"`  // major:minor
	Root    string   `json:"root"`    // root of the mount within the filesystem
	FSType  string   `json:"fs_type"` // ext4, xfs, nfs4, tmpfs, zfs, overlay, …
	Source  string   `json:"source"`  // /dev/vda1, server:/export
	Options []string `json:"options"` // per-mount and per-superblock options, in that order
}

// Has reports whether the mount has an option.
func (m Mount) Has(option string) bool {
	for _, o := range m.Options {
		if o == option {
			return true
		}
	}
	return false
}

// Space is what statfs(2) said of one place. The collector writes the list to
// statfs.json.
type Space struct {
	Path  string     `json:"path"`
	Total unit.Bytes `json:"total"`
	Free  unit.Bytes `json:"free"`  // free for an ordinary user (f_bavail)
	Files int64      `json:"files"` // inodes; 0 if the filesystem has no fixed number
	FFree int64      `json:"files_free"`
	// Reflinks says of XFS whether files can share blocks; null: unknown, or another filesystem
	Reflinks *bool `json:"reflinks,omitempty"`
}

// Bounds on the lists: fs.mount-max is 100,000 unless raised; the collector
// asks statfs(2) for the places of the instances only.
const (
	maxMounts = 100_000
	maxSpaces = 10_000
)

// ReadMounts reads /proc/self/mountinfo, in the order of the kernel.
func ReadMounts(fsys fs.FS) known.Fact[[]Mount] {
	return evidence.Read(fsys, mountinfo, ParseMounts)
}

const mountinfo = "proc/self/mountinfo"

// ParseMounts parses the text of /proc/PID/mountinfo, proc(5). A line that is none is an error: a skipped mount would
// attribute a path to the wrong filesystem.
func ParseMounts(b []byte) ([]Mount, error) {
	out := []Mount{}
	err := Lines(b, func(_ int, line string) error {
		if line == "" {
			return nil
		}
		if len(out) == maxMounts {
			return fmt.Errorf("more than %d mounts", maxMounts)
		}
		m, err := parseMount(line)
		out = append(out, m)
		return err
	})
	if err == nil && len(out) == 0 {
		err = errors.New("no mount")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// parseMount splits at single blanks, as a source may be the empty text.
func parseMount(line string) (Mount, error) {
	front, back, ok := strings.Cut(line, " - ")
	f, r := strings.Split(front, " "), strings.SplitN(back, " ", 3)
	if !ok || len(f) < 6 || len(r) < 3 || !Digits(f[0]) || !Digits(f[1]) {
		return Mount{}, errors.New("not a line of mountinfo")
	}
	major, minor, ok := strings.Cut(f[2], ":")
	if !ok || !Digits(major) || !Digits(minor) || len(f[2]) > 32 {
		return Mount{}, fmt.Errorf("%q is not a device", Short(f[2]))
	}
	point := unescape(f[4])
	if !strings.HasPrefix(point, "/") {
		return Mount{}, fmt.Errorf("%q is not a mount point", Short(f[4]))
	}
	m := Mount{Point: point, Device: f[2], Root: unescape(f[3]), FSType: r[0], Source: unescape(r[1])}
	for _, list := range []string{f[5], r[2]} {
		for o := range strings.SplitSeq(list, ",") {
			if o != "" {
				m.Options = append(m.Options, unescape(o))
			}
		}
	}
	return m, nil
}

// ReadSpaces reads statfs.json.
func ReadSpaces(fsys fs.FS) known.Fact[[]Space] {
	return evidence.Read(fsys, "statfs.json", ParseSpaces)
}

// ParseSpaces parses statfs.json. Negative numbers and more free than there is
// are errors.
func ParseSpaces(b []byte) ([]Space, error) {
	out := []Space{}
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, err
	}
	if len(out) > maxSpaces {
		return nil, fmt.Errorf("more than %d places", maxSpaces)
	}
	for _, s := range out {
		if s.Total < 0 || s.Free < 0 || s.Free > s.Total || s.Files < 0 || s.FFree < 0 || s.FFree > s.Files {
			return nil, fmt.Errorf("%s: impossible numbers", Short(s.Path))
		}
	}
	return out, nil
}
