package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// PSI is one file of proc/pressure: shares of time in percent.
type PSI struct {
	Some10  float64 `json:"some10"`
	Some60  float64 `json:"some60"`
	Some300 float64 `json:"some300"`
	Full10  float64 `json:"full10"` // 0 where the file has no full line (cpu before 5.13)
	Full60  float64 `json:"full60"`
	Full300 float64 `json:"full300"`
}

// Pressure is pressure stall information of the whole host.
type Pressure struct {
	CPU    known.Fact[PSI] `json:"cpu"`
	Memory known.Fact[PSI] `json:"memory"`
	IO     known.Fact[PSI] `json:"io"`
}

// ReadPressure
func ReadPressure(fsys fs.FS) Pressure { panic("ReadPressure: to be written") }
