package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
	"github.com/pgfettle/pgfettle/internal/fact/paste/usage"
)

// reAssignment is a line of a script that lists what it found: page_size=4096.
var reAssignment = regex.New(`^([a-z][a-z_]{2,40})=(\d{1,19}|unlimited)$`)

// assigned are the names that such scripts have, with the facts that they name; of a limit, whether it is the soft one.
var assigned = map[string][2]string{
	"page_size": {"page.size"}, "pagesize": {"page.size"},
	"open_files": {"limit", "open_files"}, "open_files_soft": {"limit", "open_files"},
	"nofile": {"limit", "open_files"}, "nofile_soft": {"limit", "open_files"}, "ulimit_n": {"limit", "open_files"},
	"open_files_hard": {"limit.hard", "open_files"}, "nofile_hard": {"limit.hard", "open_files"},
	"max_user_processes": {"limit", "max_user_processes"}, "nproc_soft": {"limit", "max_user_processes"},
	"nproc_hard": {"limit.hard", "max_user_processes"},
	"cpu_count":  {"cpu.logical"}, "logical_cpus": {"cpu.logical"}, "online_cpus": {"cpu.logical"},
	"mem_total_bytes": {"memory.total"}, "memory_total_bytes": {"memory.total"},
	"mem_total_kb": {"memory.total", "kB"}, "memtotal_kb": {"memory.total", "kB"},
	"swap_total_kb": {"swap.total", "kB"}, "swap_total_bytes": {"swap.total"},
	"nr_hugepages": {"sysctl", "vm.nr_hugepages"}, "swappiness": {"sysctl", "vm.swappiness"},
	"overcommit_memory": {"sysctl", "vm.overcommit_memory"}, "overcommit_ratio": {"sysctl", "vm.overcommit_ratio"},
	"shmmax": {"sysctl", "kernel.shmmax"}, "shmall": {"sysctl", "kernel.shmall"},
}

// ReadAssigned reads two or more of such lines.
func ReadAssigned(w *part.Window) (f part.Found) {
	for f.N < len(w.Lines) {
		m := reAssignment.FindStringSubmatch(w.Text(f.N))
		if m == nil || assigned[m[1]][0] == "" {
			break
		}
		name, of := assigned[m[1]][0], assigned[m[1]][1]
		n, ok := amount.Whole(m[2])
		switch {
		case name == "sysctl":
			f.Add(part.Word(name, of, m[2]))
		case !ok && strings.HasPrefix(name, "limit"):
			f.Add(part.Word(name, of, m[2]))
		case !ok:
		case of == "kB" && n < amount.Max/amount.KB:
			f.Add(part.Bytes(name, "", n*amount.KB))
		case strings.Contains(name, ".size") || strings.HasSuffix(name, ".total"):
			f.Add(part.Bytes(name, "", n))
		default:
			f.Add(part.Count(name, of, n))
		}
		f.N++
	}
	if f.N < 2 || len(f.Facts) == 0 {
		return part.Found{}
	}
	f.Sure = part.Likely
	return f
}

// rePgCtlCommand is the command that started a server.
var rePgCtlCommand = regex.New(`^"?(?:/\S*/|[A-Z]:[\\/].{0,200}[\\/])(?:edb-)?(?:postgres|postmaster)(?:\.exe)?"?(?:` +
	`\s|$)`)

// ReadPgCtl reads pg_ctl status: the process, and the command that started the server below it.
func ReadPgCtl(w *part.Window) (f part.Found) {
	m := prompt.PgCtlStatus.FindStringSubmatch(w.Text(0))
	command := ""
	if rePgCtlCommand.MatchString(w.Text(1)) {
		command = w.Text(1)
	}
	if m == nil || command == "" && !strings.Contains(w.Command, "status") {
		return
	}
	n, _ := amount.Whole(m[1])
	f.N = 1
	f.Add(part.Count("process.postmaster", "", n))
	if command == "" {
		return f
	}
	f.N = 2
	command = strings.ReplaceAll(command, `"`, "")
	f.Add(part.Word("process.command", m[1], command))
	if dir := usage.DataDirectory(command); dir != "" {
		f.Add(part.Word("data_directory", m[1], dir))
	}
	if v, ok := usage.ProgramVersion(command); ok {
		f.Add(v)
	}
	return f
}
