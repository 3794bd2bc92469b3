package export

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// File is one file of a plan that was written out.
type File struct {
	Name  string // path below the directory that it is written to
	Place string // where it has to be put on the host to be in force
	Then  string // what puts it in force there
	Body  []byte
}

// Files renders a plan as the files that carry it out, the last of them a
// README that says where each belongs. A plan without changes gives none.
func Files(p document.Plan, s *snapshot.Snapshot) ([]File, error) {
	d := carry(p, s, inPieces)
	var out []File
	for _, key := range Keys(d.Plan) {
		var b bytes.Buffer
		if err := confOf(&b, d, s, key); err != nil {
			return nil, err
		}
		then := "postgresql.conf must have the line include_dir = 'conf.d'; then reload the server, and restart it " +
			"for the last part"
		out = append(out, File{"instance-" + safeKey(key) + "/00-pgfettle.conf", confPlace(s, key), then, b.Bytes()})
	}
	if len(withPrefix(d, "sysctl")) > 0 {
		var b bytes.Buffer
		if err := sysctlOf(&b, d, s); err != nil {
			return nil, err
		}
		out = append(out, File{"sysctl.d/60-pgfettle.conf", sysctlPlace, "sysctl --system, or the next boot",
			b.Bytes()})
	}
	if list := withPrefix(d, "thp"); len(list) > 0 {
		var b strings.Builder
		for _, c := range list {
			comment(&b, "#", changeComment(c), commentWidth)
			b.WriteString(tmpfilesLine(c) + "\n")
		}
		out = append(out, File{"tmpfiles.d/60-pgfettle.conf", tmpfilesPlace,
			"systemd-tmpfiles --create " + tmpfilesPlace + ", or the next boot", []byte(b.String())})
	}
	if f, ok := queues(d); ok {
		out = append(out, f)
	}
	if list := withPrefix(d, "unit"); len(list) > 0 {
		var b strings.Builder
		b.WriteString("[Service]\n")
		for _, c := range list {
			comment(&b, "#", changeComment(c), commentWidth)
			b.WriteString(strings.Join(assignments(c), "\n") + "\n")
		}
		out = append(out, File{"systemd/60-pgfettle.conf", "/etc/systemd/system/" + unitName(s) + ".d/60-pgfettle.conf",
			"systemctl daemon-reload", []byte(b.String())})
	}
	if len(out)+len(d.left)+len(d.spaces) > 0 {
		out = append(out, readme(d, out))
	}
	return out, nil
}

// queues is the file of udev for the block devices.
func queues(d carried) (f File, ok bool) {
	var b strings.Builder
	for _, c := range withPrefix(d, "block") {
		if q, ok := queueOf(c); ok {
			comment(&b, "#", changeComment(c), commentWidth)
			b.WriteString(q.line() + "\n")
		}
	}
	return File{"udev/60-pgfettle.rules", udevPlace,
		"udevadm control --reload and udevadm trigger --action=change --subsystem-match=block, or the next boot",
		[]byte(b.String())}, b.Len() > 0
}

// safeKey keeps the key of an instance, which an evidence file may have forged, from leading out of the directory.
func safeKey(key string) string {
	for _, c := range key {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return fmt.Sprintf("%x", key)
		}
	}
	return key
}

func unitName(s *snapshot.Snapshot) string {
	for i := range s.Instances {
		if u, ok := s.Instances[i].Unit.Get(); ok && u.Name != "" {
			return strings.ReplaceAll(typeset.Clean(u.Name), "/", "-")
		}
	}
	return "postgresql.service"
}

func readme(d carried, files []File) File {
	var b strings.Builder
	fmt.Fprintf(&b, "Files of a plan of pgfettle: profile %s, snapshot %s, %s.\n", d.Profile,
		typeset.Clean(shortHash(d.Snapshot)), typeset.Count(len(d.Changes), "change", "changes"))
	for _, a := range d.Subject.Assumed {
		fmt.Fprintf(&b, "%s.\n", typeset.Clean(a.Text))
	}
	b.WriteString("Nothing is in force until they are put into their places.\n")
	for _, f := range files {
		fmt.Fprintf(&b, "\n%s\n  place  %s\n  then   %s\n", f.Name, f.Place, f.Then)
	}
	b.WriteString("\nThe order that is safe (huge pages before the server that needs them, strict overcommit last):\n")
	for i, st := range steps(d) {
		lead := fmt.Sprintf("%3d. ", i+1)
		for _, l := range typeset.Wrap(st.what+": "+strings.Join(st.names, ", "), commentWidth-len(lead)) {
			b.WriteString(lead + l + "\n")
			lead = strings.Repeat(" ", len(lead))
		}
	}
	if len(d.spaces) > 0 {
		b.WriteString(
			"\nIn no file, as they stand in a catalog of the server (psql on the primary, in any database):\n")
	}
	for _, c := range d.spaces {
		b.WriteString("  " + typeset.Clean(c.Instance) + ": " + spaceLine(c) + "\n")
	}
	if len(d.left) > 0 {
		b.WriteString("\nNot in these files:\n")
		d.leftOut(&b, " ", anyChange)
	}
	if len(d.Warnings) > 0 {
		b.WriteString("\nBefore you act:\n")
	}
	for _, w := range d.Warnings {
		comment(&b, "  -", w.String(), commentWidth)
	}
	return File{Name: "README", Body: []byte(b.String())}
}

// step is a run of changes of the plan that are made in one place.
type step struct {
	what  string
	names []string
}

// steps keeps the plan's order, which is that of carrying it out.
func steps(d carried) []step {
	var out []step
	for _, c := range d.Changes {
		what, name := stepOf(c)
		if n := len(out); n == 0 || out[n-1].what != what {
			out = append(out, step{what: what})
		}
		last := &out[len(out)-1]
		last.names = append(last.names, name)
	}
	return out
}

func stepOf(c plan.Change) (what, name string) {
	name = typeset.Clean(c.Address.Name())
	switch c.Address.Prefix() {
	case "pg":
		return typeset.Clean(c.Instance) + ", " + outline.EffectWords[c.Effect].String(), name
	case "sysctl":
		return "sysctl -w", name + "=" + raw(c)
	case "thp":
		return "systemd-tmpfiles --create", name
	case "unit":
		return "systemd unit", name
	case "block":
		if q, ok := queueOf(c); ok {
			return "udevadm trigger", typeset.Clean(c.Address.Subject()) + " " + q.attr + "=" + q.value
		}
	}
	return "manually", how(c)
}
