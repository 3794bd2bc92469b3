package instances

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// CloudInit writes user data of a machine: the package, and the script of Script, which is run once at the first boot.
func CloudInit(w io.Writer, p *creation.Plan) error {
	var script strings.Builder
	if err := Script(&script, p); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("#cloud-config\n" + head(p))
	if pkg := packageOf(p); pkg != "" {
		b.WriteString("packages:\n  - " + pkg + "\n")
	}
	b.WriteString("write_files:\n  - path: /var/lib/pgfettle/create-" + strconv.Itoa(p.Version) + "-" + p.Name +
		".sh\n    permissions: '0700'\n    content: |\n")
	for line := range strings.Lines(script.String()) {
		b.WriteString(strings.TrimRight("      "+strings.TrimRight(line, "\n"), " ") + "\n")
	}
	b.WriteString("runcmd:\n  - [sh, /var/lib/pgfettle/create-" + strconv.Itoa(p.Version) + "-" + p.Name + ".sh]\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// packageOf is the package that has the programs; "" if no package has put them there.
func packageOf(p *creation.Plan) string {
	n := strconv.Itoa(p.Version)
	switch {
	case p.MadeBy == newcluster.Debian || p.Programs == "/usr/lib/postgresql/"+n+"/bin":
		return "postgresql-" + n
	case p.MadeBy == newcluster.RPM:
		return "postgresql" + n + "-server"
	}
	return ""
}
