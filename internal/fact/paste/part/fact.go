package part

// Fact is one thing that a part says.
type Fact struct {
	Name string `json:"name"`         // memory.total, setting, space.free, …
	Of   string `json:"of,omitempty"` // of which setting, mount point, process, …
	// Value is a number in Unit, or a text
	Value any    `json:"value"`
	Unit  string `json:"unit,omitempty"` // bytes, bytes/s, s, percent; "" for counts and texts
	// Rounded says that the number was printed rounded, or cut
	Rounded bool `json:"rounded,omitempty"`
	// Step is how far off a rounded number may be, in Unit; 0: it is exact
	Step float64 `json:"step,omitempty"`
}

// Number returns the number of a fact.
func (f Fact) Number() (float64, bool) {
	switch v := f.Value.(type) {
	case int64:
		return float64(v), true
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Count is a fact that is a number.
func Count(name, of string, n int64) Fact { return Fact{Name: name, Of: of, Value: n} }

// Word is a fact that is a text.
func Word(name, of, s string) Fact { return Fact{Name: name, Of: of, Value: s} }

// Bytes is a fact that is a number of bytes, which was printed whole.
func Bytes(name, of string, bytes int64) Fact {
	return Fact{Name: name, Of: of, Value: bytes, Unit: "bytes"}
}

// Percent is a fact that is a share, of 100.
func Percent(name, of string, f float64) Fact {
	return Fact{Name: name, Of: of, Value: f, Unit: "percent"}
}

// Seconds is a fact that is a time.
func Seconds(name, of string, seconds float64) Fact {
	return Fact{Name: name, Of: of, Value: seconds, Unit: "s"}
}
