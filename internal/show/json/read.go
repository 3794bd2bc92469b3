package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/paste"
)

// Read writes what was recognized in pastes as JSON. No array is null.
func Read(w io.Writer, r *paste.Read) error { return Write(w, r) }
