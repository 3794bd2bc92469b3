package unit

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a PostgreSQL server version as server_version_num has it: 150018 is 15.18.
type Version int

// MajorVersion returns the version number of a major's first release: 17 gives 170000.
func MajorVersion(major int) Version { return Version(major * 10000) }

// Major returns the major version, such as 15.
func (v Version) Major() int { return int(v) / 10000 }

// Minor returns the minor version, such as 18.
func (v Version) Minor() int { return int(v) % 10000 }

// String returns "15.18".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }

// Kernel is a Linux kernel release.
type Kernel struct {
	Major   int    `json:"major"`
	Minor   int    `json:"minor"`
	Patch   int    `json:"patch"`
	Release string `json:"release"` // the whole string of uname -r
}

// AtLeast reports whether the kernel's number is major.minor or later. A vendor's kernel (RHEL 8's 4.18, RHEL 9's 5.14)
// carries newer features: if a file shows a feature, rely on the file and not on this number.
func (k Kernel) AtLeast(major, minor int) bool {
	return k.Major > major || k.Major == major && k.Minor >= minor
}

// String returns the whole release.
func (k Kernel) String() string { return k.Release }

// ParseKernel reads the text of /proc/sys/kernel/osrelease, such as "6.1.0-28-amd64".
func ParseKernel(s string) (Kernel, error) {
	rel := strings.TrimSpace(s)
	k := Kernel{Release: rel}
	num := rel
	if i := strings.IndexFunc(num, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i >= 0 {
		num = num[:i]
	}
	for i, p := range strings.SplitN(strings.Trim(num, "."), ".", 4) {
		n, err := strconv.Atoi(p)
		if err != nil || n > 1<<20 {
			return Kernel{}, &Fault{Text: noRelease, Value: rel}
		}
		switch i {
		case 0:
			k.Major = n
		case 1:
			k.Minor = n
		case 2:
			k.Patch = n
		}
	}
	if k.Major == 0 {
		return Kernel{}, &Fault{Text: noRelease, Value: rel}
	}
	return k, nil
}
