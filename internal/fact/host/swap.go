package host

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// SwapKind says what a swap area lives on.
type SwapKind string

// The kinds of swap.
const (
	SwapFile SwapKind = "file"
	SwapDisk SwapKind = "disk"
	SwapZram SwapKind = "zram" // compressed memory: it frees less than its size
)

// Swap is a line of /proc/swaps.
type Swap struct {
	Path     string     `json:"path"`
	Kind     SwapKind   `json:"kind"`
	Size     unit.Bytes `json:"size"`
	Used     unit.Bytes `json:"used"`
	Priority int        `json:"priority"`
}

// maxSwaps bounds the list: the kernel has at most 32 areas (MAX_SWAPFILES).
const maxSwaps = 32

// ReadSwaps reads /proc/swaps; an empty list says that there is no swap.
func ReadSwaps(fsys fs.FS) known.Fact[[]Swap] {
	return evidence.Read(fsys, "proc/swaps", ParseSwaps)
}

// ParseSwaps parses the text of /proc/swaps: a heading, then a line an area.
// A line that is none is an error, as leaving it out would make swap vanish.
func ParseSwaps(b []byte) ([]Swap, error) {
	out := []Swap{}
	head := false
	err := Lines(b, func(n int, line string) error {
		f := strings.Fields(line)
		switch {
		case n == 1:
			if len(f) == 0 || f[0] != "Filename" {
				return errors.New("no heading")
			}
			head = true
			return nil
		case len(f) == 0:
			return nil
		case len(f) != 5:
			return fmt.Errorf("%d columns instead of 5", len(f))
		case len(out) == maxSwaps:
			return fmt.Errorf("more than %d areas", maxSwaps)
		}
		size, err1 := parseKB(f[2])
		used, err2 := parseKB(f[3])
		prio, err3 := strconv.ParseInt(f[4], 10, 32)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		s := Swap{Path: unescape(f[0]), Kind: SwapDisk, Size: size, Used: used, Priority: int(prio)}
		switch {
		case strings.HasPrefix(f[0], "/dev/zram"):
			s.Kind = SwapZram
		case f[1] == "file":
			s.Kind = SwapFile
		}
		out = append(out, s)
		return nil
	})
	if err == nil && !head {
		err = errors.New("no heading")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// maxKB is the largest amount that is believed: 2^50 kB is a thousand times
// what x86-64 can address, and its bytes still fit into 63 bits.
const maxKB = 1 << 50

// parseKB reads an amount in kB, written as digits alone.
func parseKB(s string) (unit.Bytes, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || !Digits(s) || n > maxKB {
		return 0, fmt.Errorf("%q is not an amount in kB", Short(s))
	}
	return unit.Bytes(n) * unit.KB, nil
}

// The header of a swap area (union swap_header of include/linux/swap.h): its first page ends with a signature, and has
// the UUID of the area after 1024 bytes for a boot loader and three numbers.
const (
	swapSignature = "SWAPSPACE2"
	swapUUID      = 1024 + 3*4
)

// SwapUUID returns the UUID of the swap area that begins with a page; ok is false if none does.
func SwapUUID(page []byte) (id string, ok bool) {
	if len(page) < swapUUID+16+len(swapSignature) || !bytes.HasSuffix(page, []byte(swapSignature)) {
		return "", false
	}
	h := hex.EncodeToString(page[swapUUID : swapUUID+16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], true
}

// FstabSwap is a line of fstab(5) that has a swap area used at boot.
type FstabSwap struct {
	Line int    // counted from 1
	What string // device, file, or a tag such as UUID=…
}

// FstabSwaps returns the swap areas of /etc/fstab, in their order.
func FstabSwaps(text string) (out []FstabSwap) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := fieldSpans(line)
		if len(f) > 2 && line[f[0][0]] != '#' && line[f[2][0]:f[2][1]] == "swap" {
			out = append(out, FstabSwap{Line: n, What: unescapeFstab(line[f[0][0]:f[0][1]])})
		}
	}
	return out
}
