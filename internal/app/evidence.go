package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
)

// readEvidence reads an evidence file, never more of it than an archive may be.
func (h *Host) readEvidence(file string) (*evidence.Archive, error) {
	if file == "-" {
		return ParseEvidence(h.Input, "evidence on stdin")
	}
	f, err := os.Open(file)
	if err != nil {
		code := say.CodeError
		if errors.Is(err, fs.ErrPermission) {
			code = say.CodeNoAccess
		}
		return nil, &say.Problem{Message: say.M("evidence file: {error}", "error", err), Code: code}
	}
	defer f.Close()
	return ParseEvidence(f, fmt.Sprintf("evidence file %q", file))
}

// ParseEvidence reads evidence as it comes. A file that is too large is refused before
// its first byte is read. name is how errors call it.
func ParseEvidence(r io.Reader, name string) (*evidence.Archive, error) {
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() && st.Size() > evidence.MaxArchive {
			return nil, notEvidence(name, say.M("larger than {size}",
				"size", say.Number(fmt.Sprintf("%d MB", evidence.MaxArchive>>20))))
		}
	}
	a, err := evidence.ParseFrom(r)
	text, ours := "", false
	if err != nil {
		text, ours = strings.CutPrefix(err.Error(), "evidence: ")
	}
	switch {
	case err == nil:
		return a, nil
	case ours:
		return nil, notEvidence(name, gapwords.Arg(text))
	}
	return nil, say.Named(name, err)
}

func notEvidence(name string, why any) error {
	return &say.Problem{Message: say.M("{name}: {why}", "name", name, "why", why), Hint: say.M("Create an evidence " +
		"file on the host: pgfettle snapshot -o FILE"),
		Code: say.CodeError}
}
