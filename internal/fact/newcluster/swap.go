package newcluster

import (
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Swap is a swap file that a create makes: the value of its step.
type Swap struct {
	Size unit.Bytes
	// UUID is in the header of the file: it tells this file from another one in its place.
	UUID string
}

// InUse is the value of the step that swaps to a file, now and at boot.
const InUse = "in use"

var (
	swapUUID = regex.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	// swapPath is what /etc/fstab and /proc/swaps spell as it is
	swapPath = regex.New(`^(/[A-Za-z0-9_.@+-]+)+$`)
)

// SwapOf is a swap file of a size for the create that has a token, which is 8 bytes. The others spell pgfettle.
func SwapOf(size unit.Bytes, token string) Swap {
	return Swap{Size: size, UUID: token[:8] + "-" + token[8:12] + "-" + token[12:16] + "-7067-666574746c65"}
}

// Text is the value of a step.
func (s Swap) Text() string { return strconv.FormatInt(int64(s.Size), 10) + " " + s.UUID }

// ParseSwap reads the value of a step.
func ParseSwap(text string) (Swap, error) {
	size, id, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != size || !swapUUID.MatchString(id) {
		return Swap{}, say.Err("{value} is not the value of a swap file", "value", say.Quoted(text))
	}
	return Swap{Size: unit.Bytes(n), UUID: id}, nil
}

// SwapPath reports whether a swap file may have a path: an absolute one of letters, digits and _.@+- alone.
func SwapPath(p string) bool { return swapPath.MatchString(p) && path.Clean(p) == p }

// SwapLine is the line of /etc/fstab that has a file used at boot.
func SwapLine(at string) string { return at + " none swap sw 0 0" }
