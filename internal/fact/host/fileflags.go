package host

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// FileFlags are the inode flags of a directory on btrfs, as lsattr(1) shows them.
type FileFlags struct {
	Path  string `json:"path"`
	Flags string `json:"flags"` // letters; C: new files in it are overwritten in place, without checksums
}

// LsAttr is the evidence of lsattr -d for the places on btrfs.
const LsAttr = "cmd/lsattr"

// ReadFileFlags reads cmd/lsattr.
func ReadFileFlags(fsys fs.FS) known.Fact[[]FileFlags] {
	return evidence.Read(fsys, LsAttr, ParseFileFlags)
}

// ParseFileFlags parses the output of lsattr -d: letters and dashes, a blank, a path.
func ParseFileFlags(b []byte) ([]FileFlags, error) {
	out := []FileFlags{}
	err := Lines(b, func(_ int, line string) error {
		if line == "" {
			return nil
		}
		flags, path, ok := strings.Cut(line, " ")
		if !ok || flags == "" || len(flags) > 64 || !strings.HasPrefix(path, "/") {
			return fmt.Errorf("%q is not a line of lsattr", Short(line))
		}
		if len(out) == maxSpaces {
			return fmt.Errorf("more than %d directories", maxSpaces)
		}
		out = append(out, FileFlags{Path: path, Flags: strings.ReplaceAll(flags, "-", "")})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
