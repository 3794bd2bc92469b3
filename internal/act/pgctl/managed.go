package pgctl

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// managers returns where the change belongs instead.
var managers = map[string]say.Template{
	"patroni": "give it to Patroni with \"patronictl edit-config\"; 'pgfettle plan --format patroni' " +
		"prints it in that form",
	"cloudnative-pg":   "put it into the Cluster resource; 'pgfettle plan --format cnpg' prints it in that form",
	"pg_auto_failover": "set it with \"pg_autoctl config set\" and in the files that it includes",
	"ansible": "put it into the role that writes the file; 'pgfettle plan --format ansible' prints it in " +
		"that form",
}

// Refuse reports whether an instance is not ours to configure: another program owns its configuration and would write
// over ours, or it runs in a container, whose files and programs are others than the ones seen here. nil: it is ours.
func (p *Server) Refuse(in *snapshot.Instance) error {
	if m, ok := in.Manager.Get(); ok && m != "" {
		hint := say.M("change it where {manager} takes it from; 'pgfettle plan --format conf' prints it as lines of "+
			"postgresql.conf", "manager", m)
		if known, ok := managers[m]; ok {
			hint = say.M(known)
		}
		return &say.Problem{Message: say.M("{value} owns the configuration of {label}", "value", m, "label",
			in.Label()), Code: say.CodeRefused,
			Detail: say.M("it would write over what is changed behind its back"), Hint: hint}
	}
	pm, ok := in.Postmaster().Get()
	if !ok {
		return nil
	}
	theirs, err1 := p.Target.Stat("/proc/" + strconv.Itoa(pm.PID) + "/root")
	ours, err2 := p.Target.Stat("/")
	if err1 == nil && err2 == nil && (theirs.Dev != ours.Dev || theirs.Inode != ours.Inode) {
		return &say.Problem{Message: say.M("{label} runs in a container", "label", in.Label()), Code: say.CodeRefused,
			Detail: say.M("its files and programs are not those of this host"),
			Hint:   say.M("run pgfettle in the container, or change the image or the arguments that it starts with")}
	}
	return nil
}
