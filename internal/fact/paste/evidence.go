package paste

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// Tool is what evidence.json names as what took the evidence.
const Tool = "paste"

// Log is the entry of an evidence that holds what a server logged, where it was pasted.
const Log = "paste/server.log"

// Evidence returns the evidence that the used parts make, for one host and at most one
// server. An error is one of the archive's bounds.
func (r *Read) Evidence() (*evidence.Archive, error) {
	m := &maker{r: r, Writer: evidence.NewWriter()}
	m.JSON("evidence.json", map[string]any{"tool": Tool, "taken_at": 0, "host_seen": true, "root": false})
	m.memory()
	m.processors()
	m.nodes()
	m.kernel()
	m.disks()
	m.logs()
	m.server()
	m.rest()
	return m.Archive, m.Err
}

type maker struct {
	evidence.Writer
	r *Read
}

// used returns the parts of the kinds that are used, in their order.
func (m *maker) used(kinds ...part.Kind) []*Part {
	var out []*Part
	for i := range m.r.Parts {
		if p := &m.r.Parts[i]; p.Used && slices.Contains(kinds, p.Kind) {
			out = append(out, p)
		}
	}
	return out
}

// first returns the first fact of a name among the used parts.
func (m *maker) first(name string) (part.Fact, bool) {
	for i := range m.r.Parts {
		if p := &m.r.Parts[i]; p.Used {
			if f, ok := p.Fact(name, ""); ok {
				return f, true
			}
		}
	}
	return part.Fact{}, false
}

// memLines are the facts of free and top as lines of /proc/meminfo. Of what is shown as
// one sum, such as buff/cache, no line is made.
var memLines = [][2]string{{"memory.total", "MemTotal"}, {"memory.free", "MemFree"},
	{"memory.available", "MemAvailable"},
	{"memory.buffers", "Buffers"}, {"memory.cached", "Cached"}, {"memory.shared", "Shmem"}, {"swap.total", "SwapTotal"},
	{"swap.free", "SwapFree"}}

func (m *maker) memory() {
	for _, p := range m.used(part.Meminfo, part.Free, part.VmstatSums, part.Top) {
		if p.Kind == part.Meminfo {
			m.Add("proc/meminfo", strings.Join(p.body, "\n"))
			continue
		}
		var b strings.Builder
		for _, x := range memLines {
			f, ok := p.Fact(x[0], "")
			if !ok && x[0] == "swap.free" {
				total, ok1 := p.Fact("swap.total", "")
				in, ok2 := p.Fact("swap.used", "")
				if t, u := total.Value, in.Value; ok1 && ok2 {
					f, ok = part.Fact{Value: t.(int64) - u.(int64)}, t.(int64) >= u.(int64)
				}
			}
			if n, is := f.Value.(int64); ok && is {
				fmt.Fprintf(&b, "%s: %d kB\n", x[1], n/amount.KB)
			}
		}
		m.Add("proc/meminfo", b.String())
	}
	// 0 of free -g may be any swap below half a gigabyte, 0 of free -m is none: nobody has 16 MB.
	const none = 16 << 20
	if f, ok := m.first("swap.total"); ok && f.Value == int64(0) && (!f.Rounded || f.Step <= none) {
		m.Add("proc/swaps", "Filename Type Size Used Priority")
	}
	for _, p := range m.used(part.Swaps) {
		text := "Filename Type Size Used Priority\n"
		for _, f := range p.Facts {
			if f.Name != "swap.size" {
				continue
			}
			in, _ := p.Fact("swap.used", f.Of)
			kind, _ := p.Fact("swap.kind", f.Of)
			n, _ := in.Value.(int64)
			text += fmt.Sprintf("%s %s %d %d -2\n", f.Of, kind.Value, f.Value.(int64)/amount.KB, n/amount.KB)
		}
		m.Add("proc/swaps", text)
	}
}

func (m *maker) processors() {
	for _, p := range m.used(part.CPUInfo, part.Lscpu) {
		if p.Kind == part.CPUInfo && len(p.body) > 0 {
			m.Add("proc/cpuinfo", strings.Join(p.body, "\n"))
			return
		}
		m.cpuinfo(p)
		return
	}
	if f, ok := m.first("cpu.logical"); ok {
		m.cpuinfo(&Part{Facts: []part.Fact{f}})
	}
}

// cpuinfo makes /proc/cpuinfo of what lscpu says.
func (m *maker) cpuinfo(p *Part) {
	num := func(name string) int64 { f, _ := p.Fact(name, ""); n, _ := f.Value.(int64); return n }
	logical := num("cpu.logical")
	if logical < 1 || logical > 8192 {
		return
	}
	sockets, cores, threads := num("cpu.sockets"), num("cpu.cores_per_socket"), num("cpu.threads_per_core")
	whole := sockets*cores*threads == logical
	var b strings.Builder
	for i := range logical {
		fmt.Fprintf(&b, "processor\t: %d\n", i)
		if f, ok := p.Fact("cpu.model", ""); ok {
			fmt.Fprintf(&b, "model name\t: %v\n", f.Value)
		}
		if whole {
			core := i % (sockets * cores)
			fmt.Fprintf(&b, "physical id\t: %d\ncore id\t: %d\n", core/cores, core%cores)
		}
		if _, ok := p.Fact("cpu.hypervisor", ""); ok {
			b.WriteString("flags\t: hypervisor\n")
		}
		b.WriteByte('\n')
	}
	m.Add("proc/cpuinfo", b.String())
}

func (m *maker) nodes() {
	for _, p := range m.used(part.Numactl) {
		for _, f := range p.Facts {
			if f.Name != "numa.node.total" {
				continue
			}
			dir := "sys/devices/system/node/node" + f.Of + "/"
			free, ok := p.Fact("numa.node.free", f.Of)
			if !ok {
				free = part.Fact{Value: int64(0)}
			}
			m.Add(dir+"meminfo", fmt.Sprintf("Node %s MemTotal: %d kB\nNode %s MemFree: %d kB", f.Of,
				f.Value.(int64)/amount.KB, f.Of,
				free.Value.(int64)/amount.KB))
			if c, ok := p.Fact("numa.node.cpus", f.Of); ok {
				m.Add(dir+"cpulist", c.Value.(string))
			}
		}
	}
}

func (m *maker) kernel() {
	if f, ok := m.first("kernel.release"); ok {
		m.Add("proc/sys/kernel/osrelease", f.Value.(string))
	}
	if short, _, _ := strings.Cut(strings.ToLower(m.r.Host), "."); short != "" && short != "localhost" {
		m.Add("proc/sys/kernel/hostname", m.r.Host)
	}
	if f, ok := m.first("os.name"); ok {
		m.Add("etc/os-release", `PRETTY_NAME="`+strings.ReplaceAll(f.Value.(string), `"`, "")+`"`)
	}
	for _, p := range m.used(part.OSRelease) {
		if len(p.body) > 0 && strings.Contains(p.body[0], "=") {
			m.Add("etc/os-release", strings.Join(p.body, "\n"))
		}
	}
	for _, p := range m.used(part.Sysctl) {
		for _, f := range p.Facts {
			if name := host.SysctlPath(f.Of); f.Name == "sysctl" && fs.ValidPath(name) && !strings.Contains(name, "*") {
				m.Add(name, f.Value.(string))
			}
		}
	}
	for i, p := range m.used(part.SysctlConf) {
		name := strings.TrimPrefix(p.of, "/")
		if !fs.ValidPath(name) || !strings.Contains(name, "sysctl") {
			name = fmt.Sprintf("etc/sysctl.d/%d-pasted.conf", 99+i)
		}
		m.Add(name, strings.Join(p.body, "\n"))
	}
	for _, p := range m.used(part.THP) {
		file := map[string]string{"thp.enabled": "enabled", "thp.defrag": "defrag",
			"thp.shmem_enabled": "shmem_enabled"}[p.of]
		if file != "" && len(p.body) > 0 {
			m.Add("sys/kernel/mm/transparent_hugepage/"+file, p.body[0])
		}
	}
	for _, p := range m.used(part.Cmdline) {
		if len(p.body) > 0 {
			m.Add("proc/cmdline", strings.TrimSpace(p.body[0]))
		}
	}
	if f, ok := m.first("tuned.profile"); ok {
		m.Add("etc/tuned/active_profile", f.Value.(string))
	}
	for _, p := range m.used(part.Tuned) {
		name := strings.TrimPrefix(p.of, "/")
		if fs.ValidPath(name) && strings.Contains(name, "tuned/") && strings.HasSuffix(name, "/tuned.conf") {
			m.Add(name, strings.Join(p.body, "\n"))
		}
	}
}

// disks makes the list of mounts and the space on them. The numbers of devices are in
// neither, and stand-ins tell them apart.
func (m *maker) disks() {
	var lines []string
	devices := map[string]int{}
	for _, p := range m.used(part.Mountinfo) {
		lines = append(lines, p.body...)
	}
	if len(lines) == 0 {
		for _, p := range m.used(part.Mount, part.Findmnt, part.Mounts) {
			for _, f := range p.Facts {
				if f.Name != "mount.type" {
					continue
				}
				source, ok1 := p.Fact("mount.source", f.Of)
				opts, ok2 := p.Fact("mount.options", f.Of)
				if !ok1 || !ok2 || !strings.HasPrefix(f.Of, "/") {
					continue
				}
				s := strings.ReplaceAll(source.Value.(string), " ", `\040`)
				if devices[s] == 0 {
					devices[s] = len(devices) + 1
				}
				o := strings.ReplaceAll(opts.Value.(string), " ", "")
				lines = append(lines, fmt.Sprintf("%d 1 0:%d / %s %s - %s %s %s", 20+len(lines), devices[s],
					strings.ReplaceAll(f.Of, " ", `\040`), o, f.Value, s, o))
			}
		}
	}
	if len(lines) > 0 {
		m.Add("proc/self/mountinfo", strings.Join(lines, "\n"))
	}
	spaces := map[string]host.Space{}
	for _, p := range m.used(part.Df) {
		for _, f := range p.Facts {
			free, ok := p.Fact("space.free", f.Of)
			if f.Name != "space.total" || !ok || part.Pseudo(f.Of) {
				continue
			}
			s := host.Space{Path: f.Of, Total: unit.Bytes(f.Value.(int64)), Free: unit.Bytes(free.Value.(int64))}
			if s.Free = min(s.Free, s.Total); s.Total > 0 {
				spaces[f.Of] = s
			}
		}
	}
	if len(spaces) > 0 {
		var list []host.Space
		for _, at := range slices.Sorted(maps.Keys(spaces)) {
			list = append(list, spaces[at])
		}
		m.JSON("statfs.json", list)
	}
	for _, p := range m.used(part.Fstab) {
		m.Add("etc/fstab", string(host.LocalFstab([]byte(strings.Join(p.body, "\n")+"\n"))))
	}
}

func (m *maker) logs() {
	m.log(kernlog.Entry, func(p *Part) bool { return p.Kind == part.KernelLog })
	// Lines of a server stand among those of the kernel in a journal.
	m.log(Log, func(p *Part) bool {
		_, entries := p.Fact("log.entries", "")
		return p.Kind == part.ServerLog || p.Kind == part.KernelLog && entries
	})
}

func (m *maker) log(name string, of func(*Part) bool) {
	var b strings.Builder
	for _, p := range m.used(part.KernelLog, part.ServerLog) {
		if of(p) {
			b.WriteString(strings.Join(p.body, "\n") + "\n")
		}
	}
	if b.Len() > 0 {
		m.Add(name, b.String())
	}
}

// server makes the instance that the paste speaks of, where it speaks of one.
func (m *maker) server() {
	settings := m.settings()
	_, running := m.first("processes.postgres")
	asked := slices.ContainsFunc(m.used(part.ShowAll, part.PgSettings, part.Show), func(p *Part) bool {
		return sourceOf(p) == 3
	})
	state, status := m.first("unit.state")
	dir, hasDir := m.first("unit.data_directory")
	if !hasDir {
		dir, hasDir = m.first("data_directory")
	}
	if len(settings.Rows) == 0 && !running && !hasDir {
		m.JSON("instances.json", []any{})
		return
	}
	in := map[string]any{"key": "1"}
	switch {
	case asked || running:
		in["running"] = true
	case status:
		in["running"] = strings.HasPrefix(state.Value.(string), "active")
	}
	values := settings.Values()
	if d := values["data_directory"]; d != "" {
		in["data_directory"] = d
	} else if hasDir {
		in["data_directory"] = dir.Value
	}
	if n, err := strconv.Atoi(values["port"]); err == nil && n > 0 && n < 65536 {
		in["port"] = n
	}
	if len(settings.Rows) > 0 {
		m.JSON(pg.Path("1", "settings"), settings)
	}
	if limit, ok := m.first("cgroup.memory_limit"); ok && limit.Unit == "bytes" {
		in["pid"] = pastedPID
		m.Add(fmt.Sprintf("proc/%d/cgroup", pastedPID), "0::/pasted")
		m.Add("sys/fs/cgroup/pasted/memory.max", fmt.Sprint(limit.Value))
		for _, f := range append(host.ProcessFiles(pastedPID), fmt.Sprintf("proc/%d/limits", pastedPID)) {
			m.missing(f, "")
		}
	}
	m.JSON("instances.json", []any{in})
	for _, f := range []string{"data_directory", "port", "running", "bin_dir", "manager", "stats_directory", "unit",
		"processes", "limits",
		"cgroup", "segment", "places.json", "shmem_answers.json"} {
		m.missing("pg/1/"+f, "")
	}
	if p := m.used(part.PgControldata); len(p) > 0 {
		m.control(p[len(p)-1])
	}
}

// pastedPID stands for the postmaster whose control group was pasted.
const pastedPID = 2

// settings makes the answer of pg_settings of the parts that have settings, the nearest to
// the server last, so that it wins.
func (m *maker) settings() pg.Rows {
	out := pg.Rows{Columns: []string{"name", "setting", "unit", "vartype", "context", "source", "min_val", "max_val",
		"enumvals",
		"boot_val", "pending_restart"}}
	type given struct {
		fact   part.Fact
		source string
	}
	at := map[string]given{}
	for rank := 1; rank <= 3; rank++ {
		for _, p := range m.used(part.ShowAll, part.PgSettings, part.Show, part.PostgresConf, part.PgControldata,
			part.Tuner) {
			if sourceOf(p) != rank {
				continue
			}
			if ofPrimary(p) {
				continue
			}
			for _, f := range p.Facts {
				if f.Name == "setting" && setting.Known(f.Of) {
					at[f.Of] = given{f, map[bool]string{true: "configuration file", false: "client"}[rank == 1]}
				}
			}
		}
	}
	if v, ok := m.first("server.version"); ok {
		at["server_version"] = given{setting.Of("server_version", v.Value.(string), ""), "default"}
	} else if v, ok := m.first("server.major"); ok {
		if _, told := at["server_version"]; !told {
			at["server_version"] = given{setting.Of("server_version", v.Value.(string), ""), "default"}
		}
	}
	if v, ok := at["server_version"]; ok {
		if n, ok := setting.VersionNumber(fmt.Sprint(v.fact.Value)); ok {
			at["server_version_num"] = given{part.Fact{Of: "server_version_num", Value: int64(n)}, "default"}
		}
	}
	major := 0
	if v, ok := at["server_version_num"]; ok {
		if n, ok := v.fact.Value.(int64); ok {
			major = int(n) / 10000
		}
	}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		p, ok := params.Lookup(major, name)
		if !ok {
			if p, ok = setting.Params()[strings.ToLower(name)]; !ok {
				continue
			}
		}
		if v, ok := baseValue(at[name].fact, p); ok {
			out.Rows = append(out.Rows, settingRow(p, v, at[name].source))
		}
	}
	return out
}

// baseValue is a value as pg_settings has it.
func baseValue(f part.Fact, p params.Param) (string, bool) {
	n, isNum := f.Number()
	switch {
	case !isNum:
		return fmt.Sprint(f.Value), true
	case f.Unit == "bytes":
		mult, ok := unit.MemoryUnit(p.Unit)
		if !ok {
			return "", false
		}
		return strconv.FormatInt(int64(n)/int64(mult), 10), true
	case f.Unit == "s":
		d, ok := unit.TimeUnit(p.Unit)
		if !ok {
			return "", false
		}
		return strconv.FormatFloat(amount.Shifted(n, 6)/float64(d.Microseconds()), 'f', -1, 64), true
	}
	return strconv.FormatFloat(n, 'f', -1, 64), true
}

func settingRow(p params.Param, value, source string) []*string {
	opt := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	enum, no := "", "f"
	if len(p.Enum) > 0 {
		enum = "{" + strings.Join(p.Enum, ",") + "}"
	}
	switch {
	case p.Context == "internal":
		source = "override"
	case source == "client" && value == p.Boot:
		source = "default"
	case source == "client":
		source = "configuration file"
	}
	return []*string{&p.Name, &value, opt(p.Unit), &p.Type, &p.Context, &source, opt(p.Min), opt(p.Max), opt(enum),
		opt(p.Boot), &no}
}

// control makes the answer of the control file's functions of pg_controldata, as far as
// its lines tell, and the settings that it keeps.
func (m *maker) control(p *Part) {
	kept := ""
	for _, f := range p.Facts {
		if n, ok := f.Value.(int64); ok && f.Name == "setting" {
			kept += pg.ControlLine(f.Of, n)
		}
	}
	if kept != "" {
		m.Add(pg.ControlDataFile("1"), kept)
	}
	sys, ok1 := p.Fact("control.system_identifier", "")
	segment, ok2 := p.Fact("control.segment_size", "")
	sums, ok3 := p.Fact("control.checksums", "")
	block, ok4 := p.Fact("control.block_size", "")
	state, ok5 := p.Fact("control.state", "")
	if !(ok1 && ok2 && ok3 && ok4 && ok5) {
		return
	}
	row := []any{sys.Value, nil, map[bool]string{true: "t", false: "f"}[fmt.Sprint(sums.Value) != "0"],
		fmt.Sprint(segment.Value),
		fmt.Sprint(block.Value), map[bool]string{true: "t", false: "f"}[strings.Contains(fmt.Sprint(state.Value),
			"recovery")]}
	m.JSON(pg.Path("1", "control"), map[string]any{"columns": []string{"system_identifier", "checkpoint_at",
		"checksums", "wal_segment",
		"block_size", "in_recovery"}, "rows": []any{row}})
}

func (m *maker) missing(name, reveal string) {
	m.Archive.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: Untold, Reveal: reveal,
		Cause: string(pg.NotHeld)})
}

// Untold is why a fact is not known that no part has.
const Untold = "it is not in what was pasted"

// reveals say what to paste for a file of the evidence.
var reveals = map[string]string{"proc/meminfo": "/proc/meminfo", "proc/cpuinfo": "lscpu", "proc/swaps": "/proc/swaps",
	"proc/self/mountinfo": "findmnt", "statfs.json": "df -T", "etc/fstab": "/etc/fstab",
	"proc/cmdline":              "/proc/cmdline",
	"proc/sys/kernel/osrelease": "uname -a", "etc/os-release": "/etc/os-release",
	"sys/devices/system/node":                    "numactl -H",
	"sys/kernel/mm/transparent_hugepage/enabled": "/sys/kernel/mm/transparent_hugepage/enabled",
	"pg/1/settings.json":                         "SELECT * FROM pg_settings", "etc/sysctl.conf": "/etc/sysctl.conf",
	"pg/1/pg_controldata":      "pg_controldata",
	"etc/tuned/active_profile": "tuned-adm active"}

// folders are those that readers list: one that is not in a paste is no sign that the host
// has none.
var folders = []string{"sys/kernel/mm/hugepages", "sys/devices/system/node", "etc/sysctl.d", "etc/cron.d",
	"etc/systemd/logind.conf.d",
	"sys/fs/cgroup", "proc/sysvipc"}

// rest notes what is not in the paste, and what to paste for it.
func (m *maker) rest() {
	for _, n := range append(append([]string{"host.json", "programs.json", "residents.json", "blocks.json",
		"statfs.json", "killable.json",
		"measured/probe.json"}, host.Files...), folders...) {
		m.unless(n)
	}
	for _, n := range host.SysctlNames {
		reveal := "paste the output of sysctl -a"
		if _, err := m.Archive.ReadFile(host.SysctlPath(n)); err != nil {
			m.missing(host.SysctlPath(n), reveal)
		}
	}
	const newest = 1 << 20 // above every major version
	for _, q := range pg.Queries(newest, true) {
		m.unless(pg.Path("1", q.Name))
	}
	m.unless(pg.ControlDataFile("1"))
}

func (m *maker) unless(name string) {
	if _, err := m.Archive.ReadFile(name); err == nil {
		return
	}
	if list, err := m.Archive.ReadDir(name); err == nil && len(list) > 0 {
		return
	}
	reveal := ""
	if w := reveals[name]; w != "" {
		reveal = "paste " + w + " too"
	}
	m.missing(name, reveal)
}
