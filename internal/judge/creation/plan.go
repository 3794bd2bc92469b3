package creation

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// Schema names the version of the JSON form.
const Schema = "pgfettle.create/1"

// Plan is an instance that is to be made, and all that is done for it, in the order in which it is done.
type Plan struct {
	Schema    string             `json:"schema"`
	Version   int                `json:"version"` // major
	Name      string             `json:"name"`
	MadeBy    newcluster.Hand    `json:"made_by"`  // debian: pg_createcluster; rpm; initdb
	Programs  string             `json:"programs"` // their directory
	Program   string             `json:"program"`  // version of them
	Owner     newcluster.Account `json:"owner"`
	Data      string             `json:"data_directory"`
	WAL       string             `json:"wal_directory,omitempty"` // absent: in the data directory
	Config    string             `json:"config_directory"`
	Socket    string             `json:"socket_directory"`
	Port      int                `json:"port"`
	Service   string             `json:"service,omitempty"` // absent: systemd does not start it
	Start     Start              `json:"start"`
	Provider  string             `json:"locale_provider"`
	Locale    string             `json:"locale"`
	Encoding  string             `json:"encoding"`
	Checksums bool               `json:"data_checksums"`
	Segment   unit.Bytes         `json:"wal_segment_bytes"`
	Profile   rule.Profile       `json:"profile"`
	Memory    unit.Bytes         `json:"memory_bytes,omitempty"` // what it may count on; absent: unknown
	Settings  []Setting          `json:"settings"`               // of its configuration file, by name
	HBA       []string           `json:"pg_hba"`                 // lines of pg_hba.conf, those of its tool excepted
	Steps     []Step             `json:"steps"`
	Host      []plan.Change      `json:"host"`   // what changes on the host; empty without --kernel
	Budget    plan.Budget        `json:"budget"` // with the other instances as they are
	Proposals []Proposal         `json:"proposals"`
	Firewall  []string           `json:"firewall,omitempty"` // commands that open the port, where they are printed only
	Trial     Trial              `json:"trial"`
	Warnings  []say.Message      `json:"warnings"`
	// what check will report of it, warnings and worse
	Left []plan.Left `json:"not_in_this_plan"`
	Like string      `json:"like,omitempty"` // the instance whose settings it takes over
	// what of that one is not carried over
	NotCarried []upgrade.Parameter `json:"not_carried,omitempty"`
	// what it is a standby of; absent: it is none
	Standby    *Standby `json:"standby_of,omitempty"`
	Connection string   `json:"connection"` // how a person connects afterwards

	Spec newcluster.Spec `json:"-"`
}

// Setting is a line of the new configuration.
type Setting struct {
	Name   string      `json:"name"`
	Value  string      `json:"value"` // as SHOW prints it
	Reason say.Message `json:"reason"`
}

// Step is one thing that is made, as the journal has it.
type Step struct {
	Address knob.Address `json:"address"`
	To      string       `json:"to"`
	Text    say.Message  `json:"text"` // what it is, for people
	Content string       `json:"content,omitempty"`
}

// Proposal is a value that an existing instance would have beside the new one. It is proposed, and nothing of it is
// done.
type Proposal struct {
	Instance string       `json:"instance"`
	Address  knob.Address `json:"address"`
	From     string       `json:"from"`
	To       string       `json:"to"`
	Effect   knob.Effect  `json:"effect"`
}

// Trial is what the installed program made of the configuration.
type Trial struct {
	By         string      `json:"by,omitempty"` // program and version; absent: it was not tried
	Reason     say.Message `json:"reason,omitzero"`
	Complaints []string    `json:"complaints,omitempty"` // why it would not start
}

// Conf is the name of the configuration file that is written for a new instance, in conf.d beside postgresql.conf. It
// is
// read before the file that 'pgfettle apply' writes later.
const Conf = "conf.d/50-pgfettle.conf"

// Make puts a plan together. p is the plan of the rules for the snapshot that Beside returned; all is that of Among,
// nil
// if there are no other instances; wal is nil if the WAL stays in the data directory.
func Make(l Layout, token string, data, socket Folder, wal *Folder, p *plan.Plan, all *plan.Plan,
	memory unit.Bytes) (*Plan, error) {
	out := &Plan{Schema: Schema, Version: l.Major, Name: l.Name, MadeBy: l.Hand, Programs: l.Programs.Bin,
		Program: l.Programs.Version.String(), Owner: l.Owner, Data: l.Data, WAL: l.WAL, Config: l.Config,
		Socket: l.Socket,
		Port:   l.Port, Service: l.Unit, Start: l.Start, Provider: l.Locale.Provider, Locale: l.Locale.Name,
		Encoding: l.Locale.Encoding, Checksums: !l.Order.NoChecksums, Profile: p.Profile, Memory: memory,
		Budget: p.Budget, Host: []plan.Change{}, Proposals: []Proposal{}, HBA: []string{}, Steps: []Step{},
		Warnings: slices.Clone(p.Warnings), Left: []plan.Left{}}
	out.Segment = SegmentOf(l.Order, MaxWAL(p))
	out.Settings = l.settings(p)
	for _, c := range p.Changes {
		if c.Instance == "" && l.Order.takes(c.Address) {
			out.Host = append(out.Host, c)
		}
	}
	out.Proposals = append(out.Proposals, proposals(all)...)
	hba := l.hba()
	if l.Hand == newcluster.Debian && l.Order.Primary == nil { // whose tool writes the others for a new cluster
		hba = l.allowed()
	}
	for line := range strings.Lines(hba) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out.HBA = append(out.HBA, line)
		}
	}
	lines, err := text(out)
	if err != nil {
		return nil, err
	}
	out.Spec = l.spec(token, out, lines, hba)
	out.Standby, out.Spec.Standby = l.standby()
	out.Steps = append(l.swapSteps(out), l.steps(out, data, socket, wal)...)
	if l.Firewall == Print {
		out.Firewall = l.openings()
	}
	out.Warnings = append(append(out.Warnings, l.warnings()...), l.cautions()...)
	out.Connection = l.connection()
	if l.Twin != nil {
		out.Like, out.NotCarried = l.Twin.Of, l.Twin.Dropped
	}
	for _, x := range p.Left {
		if x.Instance == l.Data {
			out.Left = append(out.Left, x)
		}
	}
	return out, nil
}

// mostIdle is how many directories a warning names: more make it unreadable.
const mostIdle = 5

// warnings are what is not done, and what that means.
func (l Layout) warnings() (out []say.Message) {
	if w := l.Order.Pgpass; w != nil && w.Covered {
		out = append(out, say.M("An earlier line of {file} is for {entry} too, and libpq takes the first one.", "file",
			w.File, "entry", w.Entry.String()))
	}
	if len(l.Idle) > 0 {
		out = append(out, say.M("No memory is kept for {list}: the instance there neither runs nor is started at boot.",
			"list", say.Names(l.Idle, mostIdle)))
	}
	if l.Order.Profile == rule.OneC && l.Major > lastOneC {
		out = append(out, say.M("1C sets standard_conforming_strings = off, which PostgreSQL {major} refuses: it "+
			"supports {last} and earlier.", "major", l.Major, "last", lastOneC))
	}
	if l.SELinux {
		dirs := l.Data
		if l.WAL != "" {
			dirs += " " + l.WAL
		}
		for _, f := range l.Spaces {
			dirs += " " + f.Path
		}
		out = append(out, say.M("SELinux is enforcing, and its contexts are not set: run this command for each of "+
			"{dirs} before the first start (--start disabled): semanage fcontext -a -t postgresql_db_t 'DIR(/.*)?' && "+
			"restorecon -R DIR", "dirs", dirs))
	}
	if !l.Note.IsZero() {
		out = append(out, l.Note)
	}
	if l.Swap != nil && l.Enforcing {
		out = append(out, say.M("SELinux is enforcing, and the context of the swap file is not set. Before the next "+
			"boot, run: semanage fcontext -a -t swapfile_t {path} && restorecon {path}", "path", l.Swap.Place.Path))
	}
	if l.Firewall == NFT {
		out = append(out, say.M("The table of nftables can only narrow who reaches the port: another table may still "+
			"drop packets. It is gone after a boot unless {file} includes it.", "file", "/etc/nftables.conf"))
	}
	return out
}

// MaxWAL is the max_wal_size that the new instance will have.
func MaxWAL(p *plan.Plan) unit.Bytes {
	for _, c := range p.Changes {
		if c.Key == Key && c.Address == knob.PG("max_wal_size") {
			n, err := strconv.ParseInt(c.ToBase, 10, 64)
			if mult, ok := unit.MemoryUnit(c.Unit); ok && err == nil {
				return unit.Bytes(n) * mult
			}
		}
	}
	return unit.GB // of 13 to 19
}

// connection is the command that a person connects with.
func (l Layout) connection() string {
	if l.Order.AuthLocal == "peer" && l.Owner.UID != 0 {
		return "sudo -u " + l.Owner.Name + " psql -h " + l.Socket + " -p " + strconv.Itoa(l.Port) + " -d postgres"
	}
	return "psql -h " + l.Socket + " -p " + strconv.Itoa(l.Port) + " -U " + l.superuser() + " -d postgres"
}

// settings are the lines of the configuration: what the instance is told of itself, then what was planned.
func (l Layout) settings(p *plan.Plan) []Setting {
	var out []Setting
	add := func(name, value string, reason say.Message) { out = append(out, Setting{name, value, reason}) }
	if l.Hand != newcluster.Debian { // pg_createcluster writes these itself
		why := say.M("the first free port, from {first}", "first", strconv.Itoa(firstPort))
		if l.Order.Port != 0 {
			why = say.M("asked for")
		}
		add("port", strconv.Itoa(l.Port), why)
		add("unix_socket_directories", l.Socket, say.M("where programs of this host look for it"))
		add("cluster_name", strconv.Itoa(l.Major)+"/"+l.Name, say.M("shown in the titles of processes"))
	}
	add("lc_messages", "C", say.M("programs can read the log"))
	if len(l.Order.Allow) > 0 {
		add("listen_addresses", "*", say.M("networks were allowed; pg_hba.conf says which"))
	}
	if l.Unit == "" || l.Hand != newcluster.Debian {
		if l.Log != "" {
			add("logging_collector", "on", say.M("nothing else takes the server's messages"))
		}
	}
	size := SegmentOf(l.Order, MaxWAL(p))
	planned := fresh(l)
	for _, c := range p.Changes {
		if c.Key != Key || c.Address.Prefix() != "pg" {
			continue
		}
		to := c.To
		if c.Address == knob.PG("min_wal_size") || c.Address == knob.PG("max_wal_size") {
			if n, err := unit.ParseBytes(to); err == nil && n < 2*size {
				to = unit.ShowGUC(strconv.FormatInt(int64(2*size/unit.MB), 10), "MB") // the least that the server takes
			}
		}
		add(c.Address.Name(), to, c.Reason)
	}
	if l.Twin != nil { // after what was planned, which wins
		for _, name := range slices.Sorted(maps.Keys(l.Twin.Set)) {
			add(name, l.Twin.Set[name].Show(), say.M("as {instance} has it", "instance", l.Twin.Of))
		}
	}
	for name, segments := range map[string]unit.Bytes{"min_wal_size": 5, "max_wal_size": 64} { // as initdb writes them
		if size > 16*unit.MB && !slices.ContainsFunc(out, func(s Setting) bool { return s.Name == name }) {
			add(name, unit.ShowGUC(strconv.FormatInt(int64(segments*size/unit.MB), 10), "MB"), say.M("for WAL "+
				"segments of {size}", "size", size))
		}
	}
	if !l.Order.takes(pool) && !slices.ContainsFunc(out, func(s Setting) bool { return s.Name == "huge_pages" }) {
		add("huge_pages", "off", say.M("no huge pages are reserved for it, and try would fall back without a message; "+
			"with --kernel they are"))
	}
	out = l.followed(out, planned)
	slices.SortStableFunc(out, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b Setting) bool { return a.Name == b.Name })
}

// proposals are the values that the other instances would have in a plan for all of them.
func proposals(all *plan.Plan) (out []Proposal) {
	if all == nil {
		return nil
	}
	for _, c := range all.Changes {
		if c.Instance == "" || c.Key == Key || !slices.Contains(divided, c.Address.Name()) || !less(c) {
			continue
		}
		out = append(out, Proposal{c.Instance, c.Address, c.From, c.To, c.Effect})
	}
	return out
}

// less reports whether a change makes a setting smaller.
func less(c plan.Change) bool {
	from, err1 := strconv.ParseFloat(c.FromBase, 64)
	to, err2 := strconv.ParseFloat(c.ToBase, 64)
	return err1 == nil && err2 == nil && to < from && to >= 0 && from > 0
}

// divided are the settings that share out the memory of the host.
var divided = []string{"shared_buffers", "work_mem", "maintenance_work_mem", "autovacuum_work_mem", "max_connections",
	"effective_cache_size"}

// text is that of the configuration file. An error is a value that a line cannot hold.
func text(p *Plan) (string, error) {
	var b strings.Builder
	b.WriteString("# Written by 'pgfettle create' for PostgreSQL " + strconv.Itoa(p.Version) + ", profile " +
		string(p.Profile) + ".\n# What 'pgfettle apply' or ALTER SYSTEM set later wins over it.\n")
	for _, s := range p.Settings {
		line, err := conf.Entry(s.Name, s.Value)
		if err != nil {
			return "", err
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// spec is what the cluster is made of.
func (l Layout) spec(token string, p *Plan, lines, hba string) newcluster.Spec {
	s := newcluster.Spec{Token: token, Hand: l.Hand, Major: l.Major, Name: l.Name, Bin: l.Programs.Bin, Owner: l.Owner,
		Data: l.Data, Config: l.Config, WAL: l.WAL, Socket: l.Socket, Port: l.Port, Log: l.Log, HBA: hba,
		Files: []newcluster.File{{Name: Conf, Text: lines}}}
	if l.Hand == newcluster.Debian {
		s.Start = string(l.Start)
	}
	if l.Order.Primary != nil {
		return s // all of that comes with the copy
	}
	s.InitDB = append(l.Locale.initdb(l.Major), "--wal-segsize="+strconv.FormatInt(int64(p.Segment/unit.MB), 10))
	switch {
	case p.Checksums && l.Major < 18:
		s.InitDB = append(s.InitDB, "--data-checksums")
	case !p.Checksums && l.Major >= 18:
		s.InitDB = append(s.InitDB, "--no-data-checksums")
	}
	if l.Order.Group {
		s.InitDB = append(s.InitDB, "--allow-group-access")
	}
	if l.Hand != newcluster.Debian { // pg_createcluster runs it as the owner, whose name it takes
		s.InitDB = append(s.InitDB, "--username="+l.Owner.Name)
	}
	if l.Hand != newcluster.Debian || l.Order.AuthLocal != localDefault || l.Order.AuthHost != hostDefault {
		s.InitDB = append(s.InitDB, "--auth-local="+l.Order.AuthLocal, "--auth-host="+l.Order.AuthHost)
	}
	return s
}

// steps are what is done, in the order in which it is done. The changes of the host come before the cluster, as its
// server needs the huge pages.
func (l Layout) steps(p *Plan, data, socket Folder, wal *Folder) (out []Step) {
	add := func(prefix, name, to string, text say.Message) {
		out = append(out, Step{Address: knob.Step(prefix, name), To: to, Text: text})
	}
	folders := func(f Folder, mode string) {
		for i, dir := range f.Missing {
			if i == len(f.Missing)-1 {
				add(knob.DirPrefix, dir, Directory(l.Owner, mode), say.M("create the directory {path} for {owner}",
					"path", dir, "owner", l.Owner.Name))
				continue
			}
			above := newcluster.Account{}
			if f.Owners {
				above = l.Owner
			}
			add(knob.DirPrefix, dir, Directory(above, "0755"), say.M("create the directory {path}", "path", dir))
		}
	}
	if l.Hand != newcluster.Debian || l.Order.Primary != nil {
		folders(data, l.mode()) // pg_createcluster makes its own for a new cluster
	}
	if wal != nil {
		folders(*wal, l.mode())
	}
	for _, f := range l.Spaces {
		folders(f, l.mode())
	}
	folders(socket, socketMode)
	if p.Standby != nil {
		add(knob.SlotPrefix, l.Order.Slot, l.slot(), say.M("create the replication slot {name} on the primary at "+
			"{where}",
			"name", l.Order.Slot, "where", p.Standby.Primary))
	}
	add(knob.ClusterPrefix, l.Data, p.Spec.Text(), l.clusterText())
	if l.Order.Password {
		add(knob.PasswordPrefix, l.Data, "set", say.M("set the password of {role}", "role", l.Owner.Name))
	}
	if w := l.Order.Pgpass; w != nil {
		add(knob.PgpassPrefix, w.File, w.value(), say.M("append a line for {entry} to {file}", "entry",
			w.Entry.String(),
			"file", w.File))
	}
	if text := l.unit(p); text != "" {
		at := l.UnitFile
		if at == "" {
			at = path.Join("/etc/systemd/system", l.Unit+".d", "50-pgfettle.conf")
		}
		add(knob.FilePrefix, at, text, say.M("write {path}", "path", at))
		out[len(out)-1].Content = text
	}
	if l.Firewall == Firewalld || l.Firewall == NFT {
		add(knob.FirewallPrefix, strconv.Itoa(l.Port), l.firewallValue(), say.M("open port {port} for {networks} in "+
			"{name}",
			"port", strconv.Itoa(l.Port), "networks", networks(l.Order.Allow), "name", string(l.Firewall)))
	}
	switch {
	case l.Unit != "" && l.Start != Disabled:
		to, text := "started", say.M("start {service}", "service", l.Unit)
		if l.Start == Auto {
			to, text = "enabled, started", say.M("enable and start {service}", "service", l.Unit)
		}
		add(knob.ServicePrefix, l.Unit, to, text)
	case l.Start != Disabled:
		add(knob.ServerPrefix, l.Data, "started", say.M("start the server"))
	}
	return out
}

// socketMode lets every program of the host get to the socket, whose own lines in pg_hba.conf say who may log in.
const socketMode = "0755"

func (l Layout) mode() string {
	if l.Order.Group {
		return "0750"
	}
	return "0700"
}

// Directory is the value of a directory: its mode, and its owner if that is not who makes it.
func Directory(owner newcluster.Account, mode string) string {
	if owner.UID == 0 {
		return mode
	}
	return mode + " " + strconv.Itoa(owner.UID) + ":" + strconv.Itoa(owner.GID)
}

func (l Layout) clusterText() say.Message {
	if p := l.Order.Primary; p != nil {
		text := say.M("pg_basebackup of {where} as {owner}, with its settings in {file}", "where", p.Where, "owner",
			l.Owner.Name, "file", path.Join(l.Config, Conf))
		if size, ok := p.Bytes.Get(); ok {
			text = say.M("pg_basebackup of {where} ({size}) as {owner}, with its settings in {file}", "where", p.Where,
				"size", size, "owner", l.Owner.Name, "file", path.Join(l.Config, Conf))
		}
		return text
	}
	if l.Hand == newcluster.Debian {
		return say.M("pg_createcluster {version} {name}, with its settings in {file}", "version", l.Major, "name",
			l.Name,
			"file", path.Join(l.Config, Conf))
	}
	return say.M("initdb as {owner}, with its settings in {file}", "owner", l.Owner.Name, "file", path.Join(l.Config,
		Conf))
}
