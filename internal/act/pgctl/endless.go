package pgctl

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// endless returns an error where a server of this host would not come back from reading
// its configuration, so that neither a reload nor a restart may be asked for: one of its
// files is a FIFO, which it waits for, or a device. Seen on 13 and 18: with
// include '/dev/zero' a backend gives up at the first error, and the postmaster reads on
// until it is killed with SIGKILL. What cannot be read by us is no reason. Files that
// pg_hba.conf includes are not looked at.
func (p *Server) endless(in *snapshot.Instance, s *Session) error {
	main := p.ConfigFile(in, s)
	dir, ok := in.DataDirectory.Get()
	if main == "" || !ok {
		return nil
	}
	files, err := p.Files(dir)
	if err != nil {
		return nil
	}
	refused := func(what say.Message) error {
		return &say.Problem{Message: say.M("nothing was asked of the server of {label}: it would hang while it reads "+
			"its configuration", "label", in.Label()), Detail: what, Hint: say.M("correct that line or file first"),
			Code: say.CodeRefused}
	}
	r := conf.Resolve(target.ConfigFiles{Target: files}, main, dir)
	for _, f := range r.Faults {
		if f.Special {
			return refused(say.Text(f.Error()))
		}
	}
	values := r.Values()
	for name, file := range map[string]string{"hba_file": "pg_hba.conf", "ident_file": "pg_ident.conf"} {
		if v := values[name]; v != "" {
			file = v
		}
		if !path.IsAbs(file) {
			file = path.Join(dir, file)
		}
		if st, err := files.Stat(file); err == nil && !st.Mode.IsRegular() && !st.Mode.IsDir() {
			return refused(say.M("{file} ({name}) is not a regular file", "file", file, "name", name))
		}
	}
	return nil
}
