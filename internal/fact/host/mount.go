package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Mount is a line of /proc/self/mountinfo.
type Mount struct {
	Point   string   `json:"point"`   // mount point, octal escapes resolved
	Device  string   `json:"device"`  // major:minor
	Root    string   `json:"root"`    // root of the mount within the filesystem
	FSType  string   `json:"fsType"`  // ext4, xfs, nfs4, tmpfs, zfs, overlay, …
	Source  string   `json:"source"`  // /dev/vda1, server:/export
	Options []string `json:"options"` // per-mount and per-superblock options, in that order
}

// Has says whether an option stands among the mount's options.
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
	Files int64      `json:"files"` // inodes; 0 where the filesystem has no fixed number
	FFree int64      `json:"filesFree"`
}

// ReadMounts
func ReadMounts(fsys fs.FS) known.Fact[[]Mount] { panic("ReadMounts: to be written") }

// ReadSpaces
func ReadSpaces(fsys fs.FS) known.Fact[[]Space] { panic("ReadSpaces: to be written") }
