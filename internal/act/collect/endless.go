package collect

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// Endless says which file of a server's configuration is a device, a FIFO or a socket, and where it is named: by
// config_file (postgresql.conf and what it includes), hba_file and ident_file. What cannot be known does not exist. A
// process of the server that reads such a file waits for a FIFO's writer, for which no statement_timeout helps; with
// /dev/zero a backend gives up at the first error, and the postmaster reads on until it is killed with SIGKILL (seen on
// 13 and 18). Files that pg_hba.conf includes are not examined.
func Endless(files target.Target, main, dataDir string) map[string]string {
	out := map[string]string{}
	r := conf.Resolve(target.ConfigFiles{Target: files}, main, dataDir)
	for _, f := range r.Faults {
		if f.Special && out["config_file"] == "" {
			out["config_file"] = f.Error()
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
			out[place.setting] = file + " (" + place.setting + "): not a regular file"
		}
	}
	return out
}

// readBy are the queries for which the backend reads a file of the configuration.
var readBy = map[string][]string{"config_file": {"file_settings", "libraries"}, "hba_file": {"hba"}}

// leads says which queries are not asked, and why: the server would read for them what has no end.
func (c *collector) leads(in *instance) map[string]string {
	if in.dataDir == "" || in.pid == 0 {
		return nil
	}
	out := map[string]string{}
	opts := splitOpts(text(in.view, path.Join(in.dataDir, "postmaster.opts")))
	for setting, why := range Endless(in.view, mainConfig(in, opts), in.dataDir) {
		for _, query := range readBy[setting] {
			out[query] = "not asked, as the server process that reads it would hang: " + why
		}
	}
	return out
}
