package outline

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Create is an instance before it is made: where it lies, how it is configured and why, what is done, in which order.
func Create(d *creation.Plan, host string, c *say.Catalogue) Outline {
	p := WordsIn(c)
	d = d.In(c)
	var o Outline
	o.title("pgfettle create", host)
	name := strconv.Itoa(d.Version) + "/" + d.Name
	o.Heading(2, p.Say("New instance {name}", "name", name))
	rows := []Row{
		RowOf(p.Say("programs"), d.Programs+" ("+d.Program+")"),
		RowOf(p.Say("made by"), p.hand(d)),
		RowOf(p.Say("owner"), d.Owner.Name),
		RowOf(p.Say("data directory"), typeset.Clean(d.Data)),
	}
	if d.WAL != "" {
		rows = append(rows, RowOf(p.Say("WAL directory"), typeset.Clean(d.WAL)))
	}
	if d.Config != d.Data {
		rows = append(rows, RowOf(p.Say("configuration"), typeset.Clean(d.Config)))
	}
	if s := d.Standby; s != nil {
		rows = append(rows, RowOf(p.Say("standby of"), p.Say("{primary} (PostgreSQL {version}), as {role}, with the "+
			"slot "+
			"{slot}", "primary", typeset.Clean(s.Primary), "version", s.Version, "role", typeset.Clean(s.Role),
			"slot", s.Slot)))
		if s.Passfile != "" {
			rows = append(rows, RowOf(p.Say("password file"), typeset.Clean(s.Passfile)))
		}
		for _, m := range s.Tablespaces {
			rows = append(rows, RowOf(p.Say("tablespace"), typeset.Clean(m.Old)+" → "+typeset.Clean(m.New)))
		}
	}
	rows = append(rows, RowOf(p.Say("port, socket"), strconv.Itoa(d.Port)+", "+typeset.Clean(d.Socket)),
		RowOf(p.Say("server start"), p.start(d)),
		RowOf(p.Say("locale"), p.Say("{provider} {locale}, encoding {encoding}", "provider", d.Provider, "locale",
			d.Locale,
			"encoding", d.Encoding)),
		RowOf(p.Say("data checksums"), p.yesNo(d.Checksums)),
		RowOf(p.Say("WAL segments"), d.Segment.String()))
	o.Add(Rows{List: rows})
	this, others := p.PlannedFor(d.Profile)
	o.Para(Bold(p.Say("Profile:")), " ", this, p.Semicolon(), others)
	p.budgetOutline(&o, d.Budget)
	o.Para(p.Say("Before is the new instance as initdb would leave it."))
	o.Heading(2, p.Say("Settings"))
	t := Table{Caption: p.Say("Settings"), Head: []string{p.Say("setting"), p.Say("value"), p.Why()}}
	for _, s := range d.Settings {
		if d.Standby != nil && strings.HasPrefix(s.Name, "primary_") {
			continue // they are in the rows above
		}
		t.Rows = append(t.Rows, Cells(s.Name, Shown(s.Value), s.Reason.String()))
	}
	o.Add(t)
	if len(d.NotCarried) > 0 {
		o.Heading(2, p.Say("Not taken over from {instance}", "instance", typeset.Clean(d.Like)))
		t := Table{Caption: p.Say("Not taken over from {instance}", "instance", typeset.Clean(d.Like)),
			Head: []string{p.Say("setting"), p.Say("value"), p.Why()}}
		for _, x := range d.NotCarried {
			t.Rows = append(t.Rows, Cells(typeset.Clean(x.Name), Shown(x.Value), x.Reason.String()))
		}
		o.Add(t)
	}
	if len(d.HBA) > 0 {
		o.Heading(2, "pg_hba.conf")
		o.Add(Listing{Lines: cleaned(d.HBA)})
	}
	for _, g := range Groups(d.Host) {
		p.changeOutline(&o, g)
	}
	o.Heading(2, p.Say("Steps"))
	var steps []string
	first, rest := d.Split()
	for _, s := range first {
		steps = append(steps, s.Text.String())
	}
	if len(d.Host) > 0 {
		steps = append(steps, p.Say("change the host: {names}", "names", names(d)))
	}
	for _, s := range rest {
		steps = append(steps, s.Text.String())
	}
	o.Kind(Numbered, Items(steps))
	if len(d.Firewall) > 0 {
		o.Heading(2, p.Say("Firewall"))
		o.Para(p.Say("Nothing is changed in the firewall. These commands open the port, of firewalld, nftables and " +
			"ufw:"))
		o.Add(Listing{Lines: cleaned(d.Firewall)})
	}
	p.proposals(&o, d)
	p.Warned(&o, say.Strings(d.Warnings))
	p.leftOutline(&o, d.Left)
	o.Summary(p.tried(d.Trial), p.Say("Afterwards: {command}", "command", d.Connection))
	return o
}

func cleaned(list []string) (out []string) {
	for _, l := range list {
		out = append(out, typeset.Clean(l))
	}
	return out
}

func names(d *creation.Plan) string {
	out := ""
	for i, c := range d.Host {
		if i > 0 {
			out += ", "
		}
		out += string(c.Address) + " = " + c.To
	}
	return out
}

func (p Words) hand(d *creation.Plan) string {
	switch {
	case d.Standby != nil && d.MadeBy == newcluster.Debian:
		return p.Say("pg_basebackup, then pg_createcluster")
	case d.Standby != nil:
		return p.Say("pg_basebackup")
	}
	switch d.MadeBy {
	case newcluster.Debian:
		return p.Say("pg_createcluster")
	case newcluster.RPM:
		return p.Say("initdb, with a systemd unit as the PGDG packages have it")
	}
	return p.Say("initdb")
}

func (p Words) start(d *creation.Plan) string {
	switch {
	case d.Start == creation.Disabled:
		return p.Say("not started, neither now nor at boot")
	case d.Service == "" && d.Start == creation.Auto:
		return p.Say("now; at boot nothing starts it, as systemd does not run here")
	case d.Start == creation.Manual:
		return p.Say("now, and not at boot")
	}
	return p.Say("now and at boot, by {service}", "service", d.Service)
}

func (p Words) yesNo(yes bool) string {
	if yes {
		return p.Say("yes")
	}
	return p.Say("no")
}

// proposals are what the other instances would have beside the new one.
func (p Words) proposals(o *Outline, d *creation.Plan) {
	if len(d.Proposals) == 0 {
		return
	}
	o.Heading(2, p.Say("Other instances"))
	o.Para(p.Say("Nothing of the other instances is changed. If the memory were divided among all, they would have " +
		"less, " +
		"and the new instance more: 'pgfettle apply' sets these values."))
	t := Table{Caption: p.Say("Other instances"), Head: []string{p.Say("instance"), p.Say("setting"), p.Say("present"),
		p.Say("proposed"), p.Say("effect")}}
	for _, x := range d.Proposals {
		t.Rows = append(t.Rows, Cells(typeset.Clean(x.Instance), ShortName(x.Address), Shown(x.From), Shown(x.To),
			p.Effect(x.Effect)))
	}
	o.Add(t)
}

// tried says what the installed program made of the configuration.
func (p Words) tried(t creation.Trial) string {
	if t.By == "" {
		return p.Say("The configuration was not tried. {reason}", "reason", t.Reason)
	}
	return p.Say("{program} accepts the configuration.", "program", t.By)
}

// Clusters are the instances of a host, as 'create --list' shows them.
func Clusters(list []creation.Cluster, c *say.Catalogue) Outline {
	p := WordsIn(c)
	var o Outline
	if len(list) == 0 {
		o.Para(p.Say("There is no instance on this host."))
		return o
	}
	t := Table{Caption: p.Say("Instances"), Head: []string{p.Say("instance"), p.Say("version"), p.Say("port"),
		p.Say("state"), p.Say("owner"), p.Say("data directory"), p.Say("service"), p.Say("created by")}}
	for _, i := range list {
		state := map[creation.State]string{creation.Runs: p.Say("running"), creation.Stopped: p.Say("stopped")}[i.State]
		if state == "" {
			state = p.Say("unknown")
		}
		name := typeset.Clean(i.Name)
		if i.Name == i.Data { // it has no other name, and the directory has a column
			name = ""
		}
		t.Rows = append(t.Rows, Cells(name, i.Version, port(i.Port), state, typeset.Clean(i.Owner),
			typeset.Clean(i.Data), typeset.Clean(i.Service), i.Journal))
	}
	o.Add(t)
	return o
}

func port(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
