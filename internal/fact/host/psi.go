package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// PSI is one file of proc/pressure: shares of time in percent.
type PSI struct {
	Some10  float64 `json:"some10"`
	Some60  float64 `json:"some60"`
	Some300 float64 `json:"some300"`
	Full10  float64 `json:"full10"` // 0 if the file has no full line (cpu before 5.13)
	Full60  float64 `json:"full60"`
	Full300 float64 `json:"full300"`
}

// Pressure is pressure stall information of the whole host.
type Pressure struct {
	CPU    known.Fact[PSI] `json:"cpu"`
	Memory known.Fact[PSI] `json:"memory"`
	IO     known.Fact[PSI] `json:"io"`
}

// ReadPressure reads proc/pressure: 4.20 and later, if psi is enabled.
func ReadPressure(fsys fs.FS) Pressure {
	return Pressure{
		CPU:    evidence.Read(fsys, "proc/pressure/cpu", ParsePSI),
		Memory: evidence.Read(fsys, "proc/pressure/memory", ParsePSI),
		IO:     evidence.Read(fsys, "proc/pressure/io", ParsePSI),
	}
}

// ParsePSI parses a file of /proc/pressure. Lines other than some and full are skipped; a text without the line some,
// and a share outside 0 to 100, are errors.
func ParsePSI(b []byte) (PSI, error) {
	var p PSI
	seen := false
	err := Lines(b, func(_ int, line string) error {
		f := strings.Fields(line)
		if len(f) == 0 {
			return nil
		}
		var to map[string]*float64
		switch f[0] {
		case "some":
			seen = true
			to = map[string]*float64{"avg10": &p.Some10, "avg60": &p.Some60, "avg300": &p.Some300}
		case "full":
			to = map[string]*float64{"avg10": &p.Full10, "avg60": &p.Full60, "avg300": &p.Full300}
		default:
			return nil
		}
		for _, kv := range f[1:] {
			k, v, _ := strings.Cut(kv, "=")
			dst, ok := to[k]
			if !ok {
				continue
			}
			share, err := unit.Figure(v)
			if err != nil || !(share >= 0 && share <= 100) {
				return fmt.Errorf("%s %q is not a share in percent", k, Short(v))
			}
			*dst = share
			delete(to, k)
		}
		if len(to) > 0 {
			return fmt.Errorf("%s: an average is missing", f[0])
		}
		return nil
	})
	if err == nil && !seen {
		err = errors.New("no line «some»")
	}
	if err != nil {
		return PSI{}, err
	}
	return p, nil
}
