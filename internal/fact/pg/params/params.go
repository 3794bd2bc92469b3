// Package params holds what is known of PostgreSQL's parameters per major
// version, generated from real servers (make facts). A live server's own
// pg_settings comes first, as bounds and enums also depend on how a server was
// built; this table answers what no server is there to ask.
package params

// Param is one parameter as one major version has it.
type Param struct {
	Name    string
	Type    string // bool, integer, real, string, enum
	Unit    string // base unit: 8kB, kB, ms, …; "" for none
	Context string // postmaster, sighup, superuser, user, backend, superuser-backend, internal
	Min     string // "" where there is none
	Max     string
	Enum    []string
	Boot    string // compiled-in default; "" may be NULL
	Reset   string // what a fresh cluster made by initdb has, where that differs from Boot: shared_buffers
}
