package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// HBARule is a line of pg_hba.conf.
type HBARule struct {
	File        string `json:"file"` // "" before 16, where there is one file only
	Line        int64  `json:"line"`
	Type        string `json:"type"`        // local, host, hostssl, hostnossl, hostgssenc, hostnogssenc
	Method      string `json:"method"`      // trust, reject, md5, scram-sha-256, …
	Reach       string `json:"reach"`       // socket, loopback, network or anywhere; "" for a broken line
	Replication bool   `json:"replication"` // lets in connections for replication
	AllUsers    bool   `json:"all_users"`
	Superusers  bool   `json:"superusers"` // some superuser is among the users; not told for groups
	Broken      bool   `json:"broken"`     // has an error; with one and no Type it is no rule at all
	Error       string `json:"error"`      // of a broken line
	// the word of the option clientcert as the file has it; only of 13, as later versions take those of the view
	ClientCert string `json:"client_cert,omitempty"`
}

// ReadHBA reads hba.json: the rules in the order in which the server tries them.
func ReadHBA(fsys fs.FS, key string) known.Fact[[]HBARule] {
	return list(fsys, key, "hba", func(r *Row) HBARule {
		return HBARule{File: r.Text("sourcefile"), Line: r.Int("line"), Type: r.Text("type"), Method: r.Text("method"),
			Reach:       r.Text("reach"),
			Replication: r.Bool("replication"), AllUsers: r.Bool("all_users"), Superusers: r.Bool("superusers"),
			Broken: r.Bool("broken"), Error: r.Text("error"), ClientCert: r.Text("clientcert")}
	})
}

// PasswordKind counts the roles that may log in and whose password is of one kind.
type PasswordKind struct {
	Kind      string `json:"kind"` // none, md5, scram-sha-256, other
	Superuser bool   `json:"superuser"`
	Roles     int64  `json:"roles"`
	Expired   int64  `json:"expired"` // of them, those past VALID UNTIL
	Example   string `json:"example"` // the first one by name
}

// ReadPasswords reads passwords.json.
func ReadPasswords(fsys fs.FS, key string) known.Fact[[]PasswordKind] {
	return list(fsys, key, "passwords", func(r *Row) PasswordKind {
		return PasswordKind{Kind: r.Text("kind"), Superuser: r.Bool("superuser"), Roles: r.Int("roles"),
			Expired: r.Int("expired"),
			Example: r.Text("rolname")}
	})
}

// Library is one that a preload parameter names.
type Library struct {
	Parameter string `json:"parameter"` // shared_preload_libraries, …
	Name      string `json:"name"`
	InForce   bool   `json:"in_force"` // in the running value
	InFiles   bool   `json:"in_files"` // in the configuration files, for the next start
	// its file is there; unread with another dynamic_library_path than the default
	Installed known.Fact[bool] `json:"installed"`
}

// ReadLibraries reads libraries.json.
func ReadLibraries(fsys fs.FS, key string) known.Fact[[]Library] {
	return list(fsys, key, "libraries", func(r *Row) Library {
		l := Library{Parameter: r.Text("parameter"), Name: r.Text("library"), InForce: r.Bool("in_force"),
			InFiles: r.Bool("in_files")}
		l.Installed = known.Missed[bool](known.Gap{Fact: Path(key, "libraries") + ": installed",
			Reason: "dynamic_library_path is not the default one"})
		if r.Has("installed") {
			l.Installed = known.Is(r.Bool("installed"))
		}
		return l
	})
}
