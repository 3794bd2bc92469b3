package pg

import (
	"math"
	"testing"
)

// A setting whose text is no number of the server's has none, whatever Go makes
// of it, and an amount that 64 bits do not hold is none either.
func TestSettingsWithoutANumber(t *testing.T) {
	for _, v := range []string{"1e308", "inf", "NaN", "1_000", "0x1p4", "1e309", "9223372036854775807", "1e300"} {
		set := Settings{"work_mem": {Name: "work_mem", Value: v, Unit: "kB"}}
		if f, ok := set.Float("work_mem"); ok && (math.IsNaN(f) || math.IsInf(f, 0) || v == "1_000" || v == "0x1p4") {
			t.Errorf("%q is the number %v", v, f)
		}
		if b, ok := set.Bytes("work_mem"); ok {
			t.Errorf("%q kB are %d bytes", v, b)
		}
	}
	set := Settings{"vacuum_cost_delay": {Name: "vacuum_cost_delay", Value: "nan", Unit: "ms"}}
	if s, ok := set.Seconds("vacuum_cost_delay"); ok {
		t.Errorf("nan ms are %v s", s)
	}
}
