package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/fact/paste/input"
)

// Pasted is what was recognized in texts, and the evidence that it makes.
type Pasted struct {
	Read     *paste.Read
	Evidence *evidence.Archive
}

// ReadPastes identifies pasted texts, and makes evidence of them. Nothing is executed. files may hold "-" once; none is
// "-". host is whose parts are used if the texts are of several; "" is the host with the most parts.
func (h *Host) ReadPastes(files []string, host string) (*Pasted, error) {
	if len(files) == 0 {
		files = []string{"-"}
	}
	var in []paste.Input
	left, stdin := int64(paste.MaxText), false
	for _, name := range files {
		if name == "-" && stdin {
			return nil, say.Usage(say.M("stdin (-) is given twice"), say.M("Use - only once."))
		}
		stdin = stdin || name == "-"
		b, err := h.readPaste(name, left)
		if err != nil {
			return nil, err
		}
		left -= int64(len(b))
		if name == "-" {
			name = "stdin"
		}
		in = append(in, paste.Input{Name: name, Text: b})
	}
	return MakePasted(in, host)
}

// MakePasted is ReadPastes of texts that are at hand.
func MakePasted(in []paste.Input, host string) (*Pasted, error) {
	for _, i := range in {
		if bytes.Count(i.Text, []byte("\n")) >= input.MaxLines {
			return nil, &say.Problem{Message: say.M("{name} has more than {most} lines", "name", say.Quoted(i.Name),
				"most", fmt.Sprint(input.MaxLines)),
				Hint: say.M("For large logs, use pgfettle diagnose log or pgfettle diagnose oom."), Code: say.CodeError}
		}
	}
	r := paste.ReadAll(in, host)
	if host != "" && r.Host == "" {
		return nil, say.Usage(say.M("--host: no part is from host {host}", "host", say.Quoted(host)), hostsHint(r))
	}
	a, err := r.Evidence()
	if err != nil {
		return nil, err
	}
	return &Pasted{Read: r, Evidence: a}, nil
}

func hostsHint(r *paste.Read) say.Message {
	if len(r.Hosts) == 0 {
		return say.M("Omit --host: no prompt and no log names a host.")
	}
	return say.M("Use one of: {names}.", "names", say.Names(r.Hosts, 0))
}

func (h *Host) readPaste(name string, left int64) ([]byte, error) {
	r := h.Input
	if name != "-" {
		f, err := os.Open(name)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil, &say.Problem{Message: say.M("could not open {name}: permission denied", "name",
				say.Quoted(name)),
				Hint: say.M("Run pgfettle as its owner."),
				Code: say.CodeNoAccess}
		case err != nil:
			return nil, say.Usage(say.M("file {name} does not exist", "name", say.Quoted(name)),
				say.M("Name files, or - for stdin."))
		}
		defer f.Close()
		if st, err := f.Stat(); err != nil || st.IsDir() {
			return nil, say.Usage(say.M("{name} is a directory", "name", say.Quoted(name)), say.M("Name files, or - "+
				"for stdin."))
		}
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, left+1))
	if err == nil && int64(len(b)) > left {
		return nil, &say.Problem{Message: say.M("input is larger than {maxText} in total", "maxText",
			unit.Bytes(paste.MaxText)),
			Hint: say.M("For large logs, use pgfettle diagnose log or pgfettle diagnose oom."), Code: say.CodeError}
	}
	return b, err
}
