package export

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var ansibleForm = Form{
	Name: "ansible", What: "a playbook",
	Label: "Ansible playbook", Suffix: ".yml", Write: whole(Ansible),
}

// Ansible writes the whole plan as a playbook for its host, in the plan's
// order. Nothing restarts unless the variable pgfettle_restart says so.
func Ansible(w io.Writer, p document.Plan, s *snapshot.Snapshot) error {
	if err := utf8Only("ansible", p.Changes); err != nil {
		return err
	}
	d := carry(p, s, inOrder)
	var b strings.Builder
	comment(&b, "#", fmt.Sprintf("pgfettle: %s, profile %s, snapshot %s",
		typeset.Count(len(d.Changes), "change", "changes"), d.Profile, typeset.Clean(shortHash(d.Snapshot))),
		commentWidth)
	d.leftOut(&b, "#", anyChange)
	assumedNotes(&b, "#", d)
	for _, c := range d.spacesBeside() {
		comment(&b, "#", "By hand, with psql: "+spaceLine(c), 200)
	}
	if len(d.Changes) == 0 {
		_, err := io.WriteString(w, b.String())
		return err
	}
	comment(&b, "#",
		"Needs the collections community.postgresql, community.general and ansible.posix. A server is restarted "+
			"only with -e pgfettle_restart=true.", commentWidth)
	hosts := yamlString(d.Subject.Host)
	if !hostname.MatchString(d.Subject.Host) {
		hosts = `"{{ pgfettle_hosts }}"`
		comment(&b, "#", "The plan does not know the name of its host: give it with -e pgfettle_hosts=NAME.",
			commentWidth)
	}
	for _, key := range Keys(d.Plan) {
		d.hugeFirst(&b, "#", s, key, "the host")
	}
	b.WriteString("- name: Settings planned by pgfettle\n  hosts: " + hosts +
		"\n  become: true\n  vars:\n    pgfettle_restart: false\n    pgfettle_owner: postgres # the user that the " +
		"server runs as\n  tasks:\n")
	a := &playbook{b: &b, d: d, s: s}
	for _, c := range d.Changes {
		a.task(c)
	}
	for _, c := range d.spaces {
		if slices.Contains(Keys(d.Plan), c.Key) {
			a.space(c)
		}
	}
	a.b.WriteByte('\n')
	a.handlers()
	_, err := io.WriteString(w, b.String())
	return err
}

// hostname is a name that an inventory can hold and no pattern of Ansible.
var hostname = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`)

// playbook writes tasks, and remembers which handlers they call.
type playbook struct {
	b       *strings.Builder
	d       carried
	s       *snapshot.Snapshot
	restart []string // keys of the instances that have to be
	daemon  bool     // a unit was changed
	flushed bool     // what follows is for after the restart
}

func (a *playbook) task(c plan.Change) {
	if c.Layer != knob.Instance && len(a.restart) > 0 && !a.flushed {
		a.flushed = true
		a.b.WriteString(
			"\n    - name: Reload, and restart where that was asked for\n      ansible.builtin.meta: flush_handlers\n")
	}
	a.b.WriteByte('\n')
	comment(a.b, "    #", changeComment(c), commentWidth)
	switch c.Address.Prefix() {
	case "pg":
		a.setting(c)
	case "sysctl":
		a.named(c, "ansible.posix.sysctl")
		a.args("name", c.Address.Name(), "value", c.ToBase, "sysctl_file", sysctlPlace)
		a.b.WriteString("        sysctl_set: true\n        reload: false\n        state: present\n")
		if a.flushed {
			comment(a.b, "      #", "safe only when the restarted server keeps its shared memory in huge pages",
				commentWidth)
			a.b.WriteString("      when: pgfettle_restart | bool\n")
		}
		if c.Address == hugePool {
			a.readBack(c)
		}
	case "thp":
		a.named(c, "ansible.builtin.lineinfile")
		a.args("path", tmpfilesPlace, "regexp", "^w "+regexp.QuoteMeta(thpFolder+c.Address.Name())+" ", "line",
			tmpfilesLine(c))
		a.b.WriteString("        create: true\n        mode: \"0644\"\n")
		a.b.WriteString("\n    - name: " + title("thp "+c.Address.Name()+", now") +
			"\n      ansible.builtin.command:\n")
		a.args("cmd", "systemd-tmpfiles --create "+tmpfilesPlace)
		a.b.WriteString("      changed_when: false\n")
	case "unit":
		a.daemon = true
		dir := "/etc/systemd/system/" + unitName(a.s) + ".d"
		a.b.WriteString("    - name: " + title("directory of the drop-in") + "\n      ansible.builtin.file:\n")
		a.args("path", dir)
		a.b.WriteString("        state: directory\n        mode: \"0755\"\n\n")
		for i, set := range host.Assignments(c.Address.Name(), c.ToBase) {
			if i > 0 {
				a.b.WriteByte('\n')
			}
			a.named(c, "community.general.ini_file")
			a.args("path", dir+"/60-pgfettle.conf", "section", "Service", "option", set[0], "value", set[1])
			a.b.WriteString(
				"        mode: \"0644\"\n        no_extra_spaces: true\n      notify: systemd reads its units\n")
		}
	case "block":
		a.queue(c)
	case "mount":
		a.mount(c)
	default:
		a.byHand(c)
	}
}

// readBack ends the play where the kernel gave fewer huge pages than it was asked for,
// which it does without an error: a server with huge_pages = on would not start.
func (a *playbook) readBack(c plan.Change) {
	if grown, _ := a.d.poolPlanned(); grown == 0 {
		return
	}
	a.b.WriteString("\n    - name: " + title(string(c.Address)+", read back") + "\n      ansible.builtin.command:\n")
	a.args("cmd", "cat /proc/sys/vm/nr_hugepages")
	a.b.WriteString("      register: pgfettle_pool\n      changed_when: false\n      check_mode: false\n")
	a.b.WriteString("      failed_when: not ansible_check_mode and pgfettle_pool.stdout | int < " + c.ToBase + "\n")
}

func (a *playbook) byHand(c plan.Change) { a.b.WriteString("    # manually: " + how(c) + "\n") }

// queue writes a rule of udev, which is for the next boot, and the value itself:
// a container or a small machine may have no udev at work.
func (a *playbook) queue(c plan.Change) {
	q, ok := queueOf(c)
	if !ok {
		a.byHand(c)
		return
	}
	a.named(c, "ansible.builtin.lineinfile")
	a.args("path", udevPlace, "regexp", "^"+regexp.QuoteMeta(q.rule()), "line", q.line())
	a.b.WriteString("        create: true\n        mode: \"0644\"\n")
	a.b.WriteString("\n    - name: " + title(string(c.Address)+", now") + "\n      ansible.builtin.shell:\n")
	a.args("cmd", q.now())
	a.b.WriteString("      changed_when: false\n")
}

// mount replaces the field of options in fstab, and nothing else of the line, and remounts.
func (a *playbook) mount(c plan.Change) {
	m, ok := mountOf(c)
	if !ok {
		a.byHand(c)
		return
	}
	a.named(c, "ansible.builtin.replace")
	a.args("path", fstabPlace, "regexp", `^([ \t]*[^#\s]\S*[ \t]+`+regexp.QuoteMeta(m.point)+`/*[ \t]+\S+[ \t]+)\S+`,
		"replace", `\g<1>`+m.options)
	a.b.WriteString("\n    - name: " + title(string(c.Address)+", now") + "\n      ansible.builtin.command:\n")
	a.args("cmd", m.remount())
	a.b.WriteString("      changed_when: false\n")
}

// setting sets a parameter of a server. postgresql_set puts the value between
// quotes as it is and takes it apart at commas, so whatever is more than a
// plain word goes as a statement of ours.
func (a *playbook) setting(c plan.Change) {
	name := c.Address.Name()
	plain := bareSetting.MatchString(c.To) && quoteIdent(name) == name && !conf.IsList(name)
	if plain {
		a.named(c, "community.postgresql.postgresql_set")
		a.args("name", name, "value", c.To)
	} else {
		// a statement always counts as a change, so it is run only where it is one
		a.b.WriteString("    - name: " + title(string(c.Address)+", whether it is so") +
			"\n      community.postgresql.postgresql_query:\n")
		a.args("query", asAltered(name, c.To))
		a.login(c.Key)
		a.b.WriteString("      register: pgfettle_is_so\n\n")
		a.named(c, "community.postgresql.postgresql_query")
		a.args("query", alterSystem(name, c.To))
		a.b.WriteString("        autocommit: true\n")
	}
	a.login(c.Key)
	if !plain {
		a.b.WriteString("      when: pgfettle_is_so.rowcount == 0\n")
	}
	a.b.WriteString("      notify: " + title("reload "+a.handler(c.Key)) + "\n")
	if c.Effect >= knob.Restart {
		for _, k := range a.restart {
			if k == c.Key {
				return
			}
		}
		a.restart = append(a.restart, c.Key)
	}
}

// asAltered asks for a row where postgresql.auto.conf has a value already, or has none if it is an empty list, which is
// reset.
func asAltered(name, value string) string {
	const lines = "pg_file_settings WHERE sourcefile ~ '/postgresql[.]auto[.]conf$' AND name = "
	if conf.IsList(name) && len(conf.SplitList(value)) == 0 {
		return "SELECT 1 WHERE NOT EXISTS (SELECT FROM " + lines + conf.SQLString(name) + ")"
	}
	return "SELECT 1 FROM " + lines + conf.SQLString(name) + " AND setting = " +
		conf.SQLString(conf.Spelled(name, value))
}

// bareSetting is a value that postgresql_set takes as it is: with no quote, no
// backslash and no comma in it.
var bareSetting = regexp.MustCompile(`^[A-Za-z0-9_. -]+$`)

func (a *playbook) handler(key string) string {
	if in := a.s.Instance(key); in != nil {
		return in.Label()
	}
	return "the server"
}

// handlers run at the end of the play, in their order here.
func (a *playbook) handlers() {
	keys := Keys(a.d.Plan)
	if len(keys) == 0 && !a.daemon {
		return
	}
	a.b.WriteString("  handlers:\n")
	if a.daemon {
		a.b.WriteString(
			"    - name: systemd reads its units\n      ansible.builtin.systemd_service:\n        daemon_reload: " +
				"true\n")
	}
	for _, key := range keys {
		a.b.WriteString("    - name: " + title("reload "+a.handler(key)) +
			"\n      community.postgresql.postgresql_query:\n")
		a.args("query", "SELECT pg_reload_conf()")
		a.login(key)
		restart := false
		for _, k := range a.restart {
			restart = restart || k == key
		}
		if !restart {
			continue
		}
		a.b.WriteString("    - name: " + title("restart "+a.handler(key)) +
			"\n      ansible.builtin.systemd_service:\n")
		a.args("name", unitOf(a.s, key))
		a.b.WriteString("        state: restarted\n      listen: " + title("reload "+a.handler(key)) +
			"\n      when: pgfettle_restart | bool\n")
	}
}

func (a *playbook) named(c plan.Change, module string) {
	a.b.WriteString("    - name: " + title(string(c.Address)) + "\n      " + module + ":\n")
}

// args writes arguments of a module, name and value in turn.
func (a *playbook) args(pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		a.b.WriteString("        " + pairs[i] + ": " + variable(pairs[i+1]) + "\n")
	}
}

// variable spells a value for Ansible, which would run what is in braces as a template, lookups and commands among it.
func variable(v string) string {
	if strings.Contains(v, "{{") || strings.Contains(v, "{%") || strings.Contains(v, "{#") {
		return "!unsafe " + yamlString(v)
	}
	return yamlString(v)
}

// title spells the name of a task or handler, where a template would run too
// and no tag can forbid it.
func title(s string) string {
	return yamlString(strings.NewReplacer("{", "(", "}", ")").Replace(typeset.Clean(s)))
}

// login writes how a module reaches an instance: through its socket, as the
// user that runs it.
func (a *playbook) login(key string) {
	socket, port := connection(a.s, key)
	a.args("login_db", "postgres")
	if socket != "" {
		a.args("login_unix_socket", socket)
	}
	if port != "" {
		a.args("login_port", port)
	}
	a.b.WriteString("      become_user: \"{{ pgfettle_owner }}\"\n")
}

// connection returns how the owner of an instance connects to it: the directory of the socket and the port; "" if
// unknown.
func connection(s *snapshot.Snapshot, key string) (socket, port string) {
	in := s.Instance(key)
	if in == nil {
		return "", ""
	}
	if n, ok := in.Port.Get(); ok {
		port = strconv.Itoa(n)
	}
	if settings, ok := in.Server.Settings.Get(); ok {
		if dirs, ok := settings.Text("unix_socket_directories"); ok {
			first, _, _ := strings.Cut(dirs, ",")
			socket = strings.TrimSpace(first)
		}
		if v, ok := settings.Text("port"); ok && port == "" {
			port = v
		}
	}
	return socket, port
}

// unitOf is the systemd unit that runs an instance, as far as it is known.
func unitOf(s *snapshot.Snapshot, key string) string {
	if in := s.Instance(key); in != nil {
		if u, ok := in.Unit.Get(); ok && u.Name != "" {
			return u.Name
		}
	}
	return "postgresql.service"
}
