package host

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// THP is sys/kernel/mm/transparent_hugepage: the word in brackets of each file.
type THP struct {
	Enabled      known.Fact[string]            `json:"enabled"`       // always, madvise, never
	Defrag       known.Fact[string]            `json:"defrag"`        // always, defer, defer+madvise, madvise, never
	ShmemEnabled known.Fact[string]            `json:"shmem_enabled"` // always, within_size, advise, never, deny, force
	Khugepaged   known.Fact[string]            `json:"khugepaged"`    // khugepaged/defrag: 0 or 1
	Sizes        known.Fact[map[string]string] `json:"sizes"`         // hugepages-NkB → enabled (6.8+)
}

const thpDir = "sys/kernel/mm/transparent_hugepage"

// maxTHPEntries bounds the directory: it has some 12 files and one directory for each power of two between two page
// sizes.
const maxTHPEntries = 256

// ReadTHP reads the switches of transparent huge pages.
func ReadTHP(fsys fs.FS) THP {
	return THP{
		Enabled:      evidence.Read(fsys, thpDir+"/enabled", ParseChoice),
		Defrag:       evidence.Read(fsys, thpDir+"/defrag", ParseChoice),
		ShmemEnabled: evidence.Read(fsys, thpDir+"/shmem_enabled", ParseChoice),
		Khugepaged:   evidence.Read(fsys, thpDir+"/khugepaged/defrag", ParseWord),
		Sizes:        readTHPSizes(fsys),
	}
}

func readTHPSizes(fsys fs.FS) known.Fact[map[string]string] {
	names, there := folder(fsys, thpDir, maxTHPEntries)
	if !there.Known() {
		return known.Without[map[string]string](there.State(), there.Gap())
	}
	sizes := map[string]string{}
	for _, n := range names {
		if !strings.HasPrefix(n, "hugepages-") {
			continue
		}
		f := evidence.Read(fsys, thpDir+"/"+n+"/enabled", ParseChoice)
		mode, ok := f.Get()
		switch {
		case ok:
			sizes[n] = mode
		case f.State() != known.Absent: // a size for files alone (6.11+) has no such switch
			return known.Without[map[string]string](f.State(), f.Gap())
		}
	}
	if len(sizes) == 0 {
		return known.None[map[string]string](known.Gap{Fact: thpDir + "/hugepages-*",
			Reason: "this kernel has one switch for all sizes (a switch per size exists since 6.8)"})
	}
	return known.Is(sizes)
}

// ParseChoice parses a file of /sys that lists its choices with the present
// one in brackets: "always [madvise] never" is madvise. Anything but exactly
// one bracketed word is an error.
func ParseChoice(b []byte) (string, error) {
	s, err := ParseText(b)
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(s, "[")
	chosen, rest, closed := strings.Cut(rest, "]")
	if !ok || !closed || chosen == "" || strings.ContainsAny(chosen, " \t[") || strings.ContainsAny(rest, "[]") {
		return "", errors.New("not exactly one choice in brackets")
	}
	return chosen, nil
}
