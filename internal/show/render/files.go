package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// File is one file of a plan that was written out.
type File struct {
	Name  string // path below the folder that it is written to
	Place string // where it has to be put on the host to be in force
	Then  string // what puts it in force there
	Body  []byte
}

// Files renders a plan as the files that carry it out, the last of them a
// README that says where each belongs. A plan without changes gives none.
func Files(d Plan, s *snapshot.Snapshot) ([]File, error) {
	var out []File
	for _, key := range Keys(d) {
		var b bytes.Buffer
		if err := Conf(&b, d, s, key); err != nil {
			return nil, err
		}
		then := "postgresql.conf must have the line include_dir = 'conf.d'; then reload the server, and restart it for the last part"
		out = append(out, File{"instance-" + safeKey(key) + "/00-pgfettle.conf", confPlace(s, key), then, b.Bytes()})
	}
	if len(withPrefix(d, "sysctl")) > 0 {
		var b bytes.Buffer
		if err := Sysctl(&b, d, s); err != nil {
			return nil, err
		}
		out = append(out, File{"sysctl.d/60-pgfettle.conf", sysctlPlace, "sysctl --system, or the next boot", b.Bytes()})
	}
	if list := withPrefix(d, "thp"); len(list) > 0 {
		var b strings.Builder
		for _, c := range list {
			comment(&b, "#", "was "+shown(c.From)+"; "+c.Reason, commentWidth)
			b.WriteString(tmpfilesLine(c) + "\n")
		}
		out = append(out, File{"tmpfiles.d/60-pgfettle.conf", tmpfilesPlace, "systemd-tmpfiles --create " + tmpfilesPlace + ", or the next boot", []byte(b.String())})
	}
	if list := withPrefix(d, "unit"); len(list) > 0 {
		var b strings.Builder
		b.WriteString("[Service]\n")
		for _, c := range list {
			comment(&b, "#", "was "+shown(c.From)+"; "+c.Reason, commentWidth)
			b.WriteString(clean(c.Address.Name()) + "=" + raw(c) + "\n")
		}
		out = append(out, File{"systemd/60-pgfettle.conf", "/etc/systemd/system/" + unitName(s) + ".d/60-pgfettle.conf", "systemctl daemon-reload", []byte(b.String())})
	}
	if len(out) > 0 {
		out = append(out, readme(d, out))
	}
	return out, nil
}

// safeKey keeps the key of an instance, which an evidence file may have made
// up, from leading out of the folder.
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
			return strings.ReplaceAll(clean(u.Name), "/", "-")
		}
	}
	return "postgresql.service"
}

func readme(d Plan, files []File) File {
	var b strings.Builder
	fmt.Fprintf(&b, "Files of a plan of pgfettle: profile %s, snapshot %s, %s.\n", d.Profile, clean(shortHash(d.Snapshot)), count(len(d.Changes), "change", "changes"))
	b.WriteString("Nothing is in force until they are put into their places.\n")
	for _, f := range files {
		fmt.Fprintf(&b, "\n%s\n  place  %s\n  then   %s\n", f.Name, f.Place, f.Then)
	}
	for _, c := range d.Changes {
		if p := c.Address.Prefix(); p == "boot" || p == "block" || p == "mount" {
			fmt.Fprintf(&b, "\nBy hand: %s\n", how(c))
		}
	}
	for _, w := range d.Warnings {
		b.WriteString("\nBefore you act:\n")
		comment(&b, " ", w, commentWidth)
	}
	return File{Name: "README", Body: []byte(b.String())}
}
