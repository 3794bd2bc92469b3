// Package instances writes the plan of a new instance in forms that other programs read: a script, a playbook, the user
// data of a machine, the command of Debian, the manifest of pglift. One file a form. Nothing secret is in any of them.
package instances

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Form is one of them.
type Form struct {
	Name  string
	Write func(w io.Writer, p *creation.Plan) error
}

// Forms are all of them.
var Forms = []Form{{"script", Script}, {"ansible", Ansible}, {"cloud-init", CloudInit},
	{"pg_createcluster", CreateCluster}, {"pglift", Pglift}}

// Names are their names.
func Names() (out []string) {
	for _, f := range Forms {
		out = append(out, f.Name)
	}
	return out
}

// Find returns a form by its name.
func Find(name string) (Form, bool) {
	i := slices.IndexFunc(Forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, false
	}
	return Forms[i], true
}

// head says what a text is and what it is not, as a comment.
func head(p *creation.Plan) string {
	return "# pgfettle create: PostgreSQL " + strconv.Itoa(p.Version) + "/" + p.Name + ", profile " +
		string(p.Profile) + "\n"
}

// sysctls are the changes of the host that a line of sysctl.d makes. The others are named in a comment.
func sysctls(p *creation.Plan) (list []plan.Change, others []string) {
	for _, c := range p.Host {
		if c.Address.Prefix() == "sysctl" {
			list = append(list, c)
		} else {
			others = append(others, string(c.Address)+" = "+c.To)
		}
	}
	return list, others
}

// otherwise names what a form does not do.
func otherwise(others []string) string {
	if len(others) == 0 {
		return ""
	}
	return "# Not in this form ('pgfettle apply' makes it): " + strings.Join(others, ", ") + "\n"
}

// swapOf is the swap file of a plan; ok is false if it makes none.
func swapOf(p *creation.Plan) (at string, w newcluster.Swap, ok bool) {
	first, _ := p.Split()
	for _, s := range first {
		if s.Address.Prefix() == knob.SwapFilePrefix {
			w, err := newcluster.ParseSwap(s.To)
			return s.Address.Name(), w, err == nil
		}
	}
	return "", w, false
}

// swapScript is a line of a shell that makes a swap file and uses it. Stopped halfway, it is begun again.
func swapScript(at string, w newcluster.Swap) string {
	temp := shell.Quote(at + ".new")
	return "umask 077 && rm -f " + temp + " && fallocate -l " + strconv.FormatInt(int64(w.Size), 10) + " " + temp +
		" && mkswap " + temp + " && mv " + temp + " " + shell.Quote(at) + " && swapon " + shell.Quote(at)
}

// copyScript are the lines of a shell that copy the primary of a standby, as root.
func copyScript(p *creation.Plan) string {
	var b strings.Builder
	q := shell.Quote
	b.WriteString("runuser -u " + q(p.Owner.Name) + " --")
	if env := p.Spec.Standby.Environment(); len(env) > 0 {
		b.WriteString(" env " + q(env[0]))
	}
	for _, a := range p.Spec.Copy(true) {
		b.WriteString(" " + q(a))
	}
	b.WriteString("\nrm -rf " + q(p.Data+"/conf.d"))
	for _, n := range newcluster.Dropped() {
		b.WriteString(" " + q(p.Data+"/"+n))
	}
	b.WriteString("\n")
	list := ""
	for _, f := range p.Spec.Own() {
		here(&b, p.Data+"/"+f.Name, f.Text)
		list += " " + q(p.Data+"/"+f.Name)
	}
	b.WriteString("chmod 0600" + list + "\nchown " + q(p.Owner.Name+":"+p.Owner.Group) + list + "\n")
	return b.String()
}

// file is the step that writes the unit or the drop-in; ok is false if there is none.
func file(p *creation.Plan) (at, text string, ok bool) {
	for _, s := range p.Steps {
		if s.Address.Prefix() == knob.FilePrefix {
			return s.Address.Name(), s.To, true
		}
	}
	return "", "", false
}

// sysctlFile is the file that the kernel part is in.
const sysctlFile = "/etc/sysctl.d/60-pgfettle.conf"

// conf is the text of the configuration file, and its path.
func conf(p *creation.Plan) (at, text string) {
	return p.Config + "/" + p.Spec.Files[0].Name, p.Spec.Files[0].Text
}
