package pgctl

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// managers tells where the change belongs instead.
var managers = map[string]string{
	"patroni": "give it to Patroni with \"patronictl edit-config\"; 'pgfettle plan --format patroni' " +
		"prints it in that form",
	"cloudnative-pg":   "put it into the Cluster resource; 'pgfettle plan --format cnpg' prints it in that form",
	"pg_auto_failover": "set it with \"pg_autoctl config set\" and in the files that it includes",
	"ansible": "put it into the role that writes the file; 'pgfettle plan --format ansible' prints it in " +
		"that form",
}

// Refuse says whether an instance is not ours to configure: another program
// owns its configuration and would write over ours, or it runs in a container,
// whose files and programs are others than the ones seen here. nil: it is ours.
func (p *Server) Refuse(in *snapshot.Instance) error {
	if m, ok := in.Manager.Get(); ok && m != "" {
		hint, known := managers[m]
		if !known {
			hint = "change it where " + m +
				" takes it from; 'pgfettle plan --format conf' prints it as lines of postgresql.conf"
		}
		return &say.Problem{Message: m + " owns the configuration of " + in.Label(), Code: say.CodeRefused,
			Detail: "it would write over what is changed behind its back", Hint: hint}
	}
	pm, ok := in.Postmaster().Get()
	if !ok {
		return nil
	}
	theirs, err1 := p.Target.Stat("/proc/" + strconv.Itoa(pm.PID) + "/root")
	ours, err2 := p.Target.Stat("/")
	if err1 == nil && err2 == nil && (theirs.Dev != ours.Dev || theirs.Inode != ours.Inode) {
		return &say.Problem{Message: in.Label() + " runs in a container", Code: say.CodeRefused,
			Detail: "its files and programs are not those of this host",
			Hint:   "run pgfettle in the container, or change the image or the arguments that it starts with"}
	}
	return nil
}
