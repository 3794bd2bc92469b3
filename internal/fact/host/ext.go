package host

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Ext is what the superblock of an ext3 or ext4 under a place says.
type Ext struct {
	Device   string   `json:"device"`   // major:minor
	Features []string `json:"features"` // has_journal, dir_index, …
}

// Has reports whether the filesystem has a feature.
func (e Ext) Has(feature string) bool {
	for _, f := range e.Features {
		if f == feature {
			return true
		}
	}
	return false
}

// Exts is the evidence of tune2fs: for each device a line «# MAJOR:MINOR»,
// then what tune2fs -l printed of its features. ExtFeatures begins that line.
const (
	Exts        = "cmd/tune2fs"
	ExtFeatures = "Filesystem features:"
)

// ReadExts reads cmd/tune2fs.
func ReadExts(fsys fs.FS) known.Fact[[]Ext] { return evidence.Read(fsys, Exts, ParseExts) }

// ParseExts parses cmd/tune2fs. Other lines of tune2fs -l are skipped.
func ParseExts(b []byte) ([]Ext, error) {
	out := []Ext{}
	err := headed(b, func(device string) error {
		if len(out) == maxBlocks {
			return fmt.Errorf("more than %d devices", maxBlocks)
		}
		out = append(out, Ext{Device: device, Features: []string{}})
		return nil
	}, func(line string) error {
		if v, ok := strings.CutPrefix(line, ExtFeatures); ok {
			out[len(out)-1].Features = strings.Fields(v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// headed reads a text in which a line «# NAME» precedes the output for each object: one command was run for each.
func headed(b []byte, head func(name string) error, line func(string) error) error {
	begun := false
	return Lines(b, func(_ int, text string) error {
		if name, ok := strings.CutPrefix(text, "# "); ok {
			begun = true
			if name == "" || len(name) > 256 {
				return fmt.Errorf("%q is not a name", Short(name))
			}
			return head(name)
		}
		if !begun {
			return fmt.Errorf("%q comes before any name", Short(text))
		}
		return line(text)
	})
}
