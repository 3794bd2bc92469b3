package instances

import (
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// Ansible writes a playbook that makes the instance. A second run changes nothing.
func Ansible(w io.Writer, p *creation.Plan) error {
	a := &playbook{p: p}
	list, others := sysctls(p)
	a.b.WriteString(head(p) + otherwise(others) + "- name: PostgreSQL " + strconv.Itoa(p.Version) + "/" + p.Name +
		", planned by pgfettle\n  hosts: \"{{ pgfettle_hosts | default('all') }}\"\n  become: true\n  tasks:\n")
	if at, w, ok := swapOf(p); ok { // before a commit limit that counts it
		a.b.WriteString("    - name: Swap file\n      ansible.builtin.command:\n        argv:\n          - \"sh\"\n" +
			"          - \"-c\"\n          - " + yaml(swapScript(at, w)) + "\n        creates: " + yaml(at) +
			"\n    - name: Swap file at boot\n      ansible.builtin.lineinfile:\n        path: /etc/fstab\n" +
			"        line: " + yaml(newcluster.SwapLine(at)) + "\n")
	}
	if len(list) > 0 {
		lines := ""
		for _, c := range list {
			lines += c.Address.Name() + " = " + c.To + "\n"
		}
		a.file("Kernel parameters", sysctlFile, lines, "root", "root", "0644", "kernel parameters")
		a.b.WriteString("    - name: Kernel parameters before the server starts\n      ansible.builtin.meta: " +
			"flush_handlers\n")
	}
	if p.WAL != "" {
		a.folder(p.WAL)
	}
	switch {
	case p.Standby != nil:
		for _, dir := range p.Spec.Standby.Spaces() {
			a.folder(dir)
		}
		a.folder(p.Data)
		script := "set -eu\n" + copyScript(p)
		if p.MadeBy == newcluster.Debian {
			script += createCluster(p, false) + "\n"
		} else {
			script += "install -d -o " + shell.Quote(p.Owner.Name) + " -g " + shell.Quote(p.Owner.Group) + " -m 0700 " +
				shell.Quote(p.Data+"/conf.d") + "\n"
		}
		a.cluster([]string{"sh", "-c", script}, false)
	case p.MadeBy == newcluster.Debian:
		a.cluster([]string{"sh", "-c", createCluster(p, false)}, false)
	default:
		a.folder(p.Data)
		argv := []string{p.Programs + "/initdb", "-D", p.Data}
		if p.WAL != "" {
			argv = append(argv, "--waldir="+p.WAL)
		}
		a.cluster(append(argv, p.Spec.InitDB...), true)
		a.b.WriteString("    - name: Include conf.d\n      ansible.builtin.lineinfile:\n        path: " +
			yaml(p.Config+"/postgresql.conf") + "\n        line: \"include_dir = 'conf.d'\"\n")
		a.file("Client authentication", p.Config+"/pg_hba.conf", p.Spec.HBA, p.Owner.Name, p.Owner.Group, "0600", "")
		a.folder(path.Join(p.Config, "conf.d"))
	}
	at, text := conf(p)
	a.file("Settings", at, text, p.Owner.Name, p.Owner.Group, "0640", "")
	if at, text, ok := file(p); ok {
		a.b.WriteString("    - name: Directory of the unit\n      ansible.builtin.file:\n        path: " +
			yaml(path.Dir(at)) + "\n        state: directory\n        mode: \"0755\"\n")
		a.file("Unit", at, text, "root", "root", "0644", "systemd reads its units")
	}
	a.start()
	a.handlers()
	_, err := io.WriteString(w, a.b.String())
	return err
}

type playbook struct {
	b       strings.Builder
	p       *creation.Plan
	notices []string
}

func (a *playbook) folder(dir string) {
	a.b.WriteString("    - name: " + yaml("Directory "+dir) + "\n      ansible.builtin.file:\n        path: " +
		yaml(dir) +
		"\n        state: directory\n        owner: " + yaml(a.p.Owner.Name) + "\n        group: " +
		yaml(a.p.Owner.Group) +
		"\n        mode: \"0700\"\n")
}

// file writes a file whole; notify is a handler, "" for none.
func (a *playbook) file(name, at, text, owner, group, mode, notify string) {
	a.b.WriteString("    - name: " + yaml(name) + "\n      ansible.builtin.copy:\n        dest: " + yaml(at) +
		"\n        content: " + yaml(text) + "\n        owner: " + yaml(owner) + "\n        group: " + yaml(group) +
		"\n        mode: " + yaml(mode) + "\n")
	if notify != "" {
		a.b.WriteString("      notify: " + notify + "\n")
		a.notices = append(a.notices, notify)
	}
}

func (a *playbook) cluster(argv []string, asOwner bool) {
	a.b.WriteString("    - name: Cluster\n      ansible.builtin.command:\n        argv:\n")
	if asOwner {
		argv = append([]string{"runuser", "-u", a.p.Owner.Name, "--"}, argv...)
	}
	for _, v := range argv {
		a.b.WriteString("          - " + yaml(v) + "\n")
	}
	a.b.WriteString("        creates: " + yaml(a.p.Data+"/PG_VERSION") + "\n")
}

func (a *playbook) start() {
	p := a.p
	if p.Start == creation.Disabled {
		return
	}
	if p.Service != "" {
		a.b.WriteString("    - name: Units are read\n      ansible.builtin.meta: flush_handlers\n" +
			"    - name: Service\n      ansible.builtin.systemd_service:\n        name: " + yaml(p.Service) +
			"\n        state: started\n        enabled: " + strconv.FormatBool(p.Start == creation.Auto) + "\n")
		return
	}
	argv := []string{"runuser", "-u", p.Owner.Name, "--", p.Programs + "/pg_ctl", "-D", p.Data, "-w", "-l",
		p.Data + "/startup.log", "start"}
	if p.MadeBy == newcluster.Debian {
		argv = []string{"pg_ctlcluster", strconv.Itoa(p.Version), p.Name, "start"}
	}
	a.b.WriteString("    - name: Server\n      ansible.builtin.command:\n        argv:\n")
	for _, v := range argv {
		a.b.WriteString("          - " + yaml(v) + "\n")
	}
	a.b.WriteString("        creates: " + yaml(p.Data+"/postmaster.pid") + "\n")
}

func (a *playbook) handlers() {
	if len(a.notices) == 0 {
		return
	}
	a.b.WriteString("  handlers:\n")
	for _, n := range a.notices {
		switch n {
		case "kernel parameters":
			a.b.WriteString("    - name: kernel parameters\n      ansible.builtin.command: sysctl -q -p " +
				sysctlFile + "\n")
		default:
			a.b.WriteString("    - name: systemd reads its units\n      ansible.builtin.systemd_service:\n" +
				"        daemon_reload: true\n")
		}
	}
}
