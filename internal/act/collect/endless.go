package collect

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// Endless says which file of a server's configuration, beginning with postgresql.conf, is a
// device, a FIFO or a socket, and where it is named; "" where none is or it cannot be known.
// A process of the server that reads such a file waits for a FIFO's writer, for which no
// statement_timeout helps; with /dev/zero a backend gives up at the first error, and the
// postmaster reads on until it is killed with SIGKILL (seen on 13 and 18). Files that
// pg_hba.conf includes are not looked at.
func Endless(files target.Target, main, dataDir string) string {
	r := conf.Resolve(target.ConfigFiles{Target: files}, main, dataDir)
	for _, f := range r.Faults {
		if f.Special {
			return f.Error()
		}
	}
	values := r.Values()
	for _, place := range []struct{ setting, file string }{
		{"hba_file", "pg_hba.conf"}, {"ident_file", "pg_ident.conf"}} {
		file := place.file
		if v := values[place.setting]; v != "" {
			file = v
		}
		if !path.IsAbs(file) {
			file = path.Join(dataDir, file)
		}
		if st, err := files.Stat(file); err == nil && !st.Mode.IsRegular() && !st.Mode.IsDir() {
			return file + " (" + place.setting + "): not a regular file"
		}
	}
	return ""
}

// readsFiles are the queries for which the backend reads the configuration files.
var readsFiles = []string{"file_settings", "libraries", "hba"}

// leads says why queries for which the server reads its configuration are not asked.
func (c *collector) leads(in *instance) (why string, queries []string) {
	if in.dataDir == "" || in.pid == 0 {
		return "", nil
	}
	opts := splitOpts(text(in.view, path.Join(in.dataDir, "postmaster.opts")))
	if why = Endless(in.view, mainConfig(in, opts), in.dataDir); why != "" {
		return "not asked, as the server process that reads it would hang: " + why, readsFiles
	}
	return "", nil
}
