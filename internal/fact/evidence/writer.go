package evidence

import (
	"encoding/json"
	"strings"
)

// Writer fills an archive entry by entry and keeps the first error, for callers that make one from something other than
// a host: a description, a paste.
type Writer struct {
	Archive *Archive
	Err     error
}

// NewWriter returns a writer of an empty archive.
func NewWriter() Writer { return Writer{Archive: New()} }

// Add adds an entry of text, which ends with a line.
func (w *Writer) Add(name, text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := w.Archive.Add(name, []byte(text)); err != nil && w.Err == nil {
		w.Err = err
	}
}

// JSON adds an entry of a value in JSON.
func (w *Writer) JSON(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		if w.Err == nil {
			w.Err = err
		}
		return
	}
	w.Add(name, string(b))
}
