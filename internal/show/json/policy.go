package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/show/document"
)

// Policy writes the document as JSON.
func Policy(w io.Writer, d document.Policy) error { return Write(w, d) }
