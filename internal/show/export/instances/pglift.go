package instances

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// Pglift writes a manifest for 'pglift instance apply -f'. Directories and the account are its site's settings.
func Pglift(w io.Writer, p *creation.Plan) error {
	var b strings.Builder
	b.WriteString(head(p) + "# For: pglift instance apply -f FILE. Directories and the account come from pglift's " +
		"own " +
		"settings.\n")
	_, others := sysctls(p)
	if at, w, ok := swapOf(p); ok {
		others = append(others, at+" = "+w.Size.String())
	}
	if p.Standby != nil {
		for _, m := range p.Standby.Tablespaces {
			others = append(others, "the tablespace "+m.Old+" in "+m.New)
		}
	}
	b.WriteString(otherwise(others))
	state := "started"
	if p.Start == creation.Disabled {
		state = "stopped"
	}
	b.WriteString("name: " + yaml(p.Name) + "\nversion: " + yaml(strconv.Itoa(p.Version)) + "\nport: " +
		strconv.Itoa(p.Port) + "\nstate: " + state + "\n" + origin(p) + "auth:\n  local: " +
		yaml(local(p)) + "\n  host: \"scram-sha-256\"\nsettings:\n")
	for _, s := range p.Settings {
		switch s.Name {
		case "primary_conninfo", "primary_slot_name", "port", "unix_socket_directories", "cluster_name",
			"logging_collector", "lc_messages":
			continue // pglift's own
		}
		b.WriteString("  " + s.Name + ": " + yaml(s.Value) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// origin is what the cluster is made of: initdb's options, or the primary of a standby.
func origin(p *creation.Plan) string {
	if p.Standby == nil {
		return "data_checksums: " + strconv.FormatBool(p.Checksums) + "\nencoding: " + yaml(p.Encoding) + "\nlocale: " +
			yaml(p.Locale) + "\n"
	}
	conninfo := p.Standby.Conninfo
	for _, s := range p.Settings {
		if s.Name == "primary_conninfo" {
			conninfo = s.Value // with the file that the password is in
		}
	}
	return "standby:\n  primary_conninfo: " + yaml(conninfo) + "\n  slot: " + yaml(p.Standby.Slot) + "\n"
}

// local is the method of the socket.
func local(p *creation.Plan) string {
	for _, line := range p.HBA {
		if f := strings.Fields(line); len(f) == 4 && f[0] == "local" && f[1] == "all" {
			return f[3]
		}
	}
	return "peer"
}

// yaml spells a string of YAML, always in double quotes: off and 0x10 would be no strings without them. What is not
// ASCII or acts on a terminal is an escape.
func yaml(v string) string { return strconv.QuoteToASCII(v) }
