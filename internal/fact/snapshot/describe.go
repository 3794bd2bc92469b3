package snapshot

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/pg/releases"
)

// Description is a host that is not here, as a person described it.
type Description struct {
	RAM       unit.Bytes // required
	Swap      unit.Bytes
	CPUs      int               // 0 if not reported
	NoCPUs    bool              // the description does not give them: CPUs is assumed
	NoMajor   bool              // the description does not give it: Major is the newest
	Sockets   int               // 1 if not given; each is a NUMA node
	Storage   string            // nvme, ssd, hdd, san; "": not given
	Major     int               // PostgreSQL major version
	Disk      unit.Bytes        // size of the filesystem of the data directory; 0 if not given
	CGroup    unit.Bytes        // memory limit of the container; 0: none
	Container string            // docker, podman, kubernetes, …; "": none
	Kernel    string            // release; "6.1.0" if not given
	THP       string            // always, madvise, never; always if not given, as Debian and RHEL ship it
	Settings  map[string]string // set.NAME=VALUE, as a person spells it
	// under the data, the one that holds its filesystem first; if none, the one described by Storage
	Devices []Device
	Mount   string             // flags of the data's filesystem; "rw,noatime" if not given
	Fstab   string             // /etc/fstab; "": none
	Answers map[string]pg.Rows // what the server answers to queries, by name; empty if not given
}

// Device is a block device of a described host. No word of a description gives it.
type Device struct {
	Name, Kind, Driver string
	Below              []string
	Attributes         map[string]string // files below its directory in /sys/block
}

// The bounds of a description. They are those of PostgreSQL and Linux, not of
// any machine that was sold: 64 TB is what x86-64 addresses with four levels.
const (
	minRAM  = 128 * unit.MB
	maxRAM  = 64 * unit.TB
	maxCPUs = 8192 // NR_CPUS of the largest kernel configuration
)

// ParseDescription reads "ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17";
// pairs are separated by commas or spaces. The error is one clause that names
// the pair and what would be right.
func ParseDescription(spec string) (Description, error) {
	d := Description{Sockets: 1, Major: params.Newest(), Kernel: "6.1.0", THP: "always",
		Settings: map[string]string{}}
	fields := strings.FieldsFunc(spec, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
	if len(fields) == 0 {
		return d, say.Err("nothing is described; write for example ram=64GB,cpus=16,storage=nvme,pg=17")
	}
	seen := map[string]bool{}
	for _, f := range fields {
		key, val, ok := strings.Cut(f, "=")
		if !ok || val == "" {
			return d, say.Err("{text} is not KEY=VALUE", "text", say.Quoted(f))
		}
		if seen[key] {
			return d, say.Err("{key} appears twice", "key", key)
		}
		seen[key] = true
		if err := d.set(key, val); err != nil {
			return d, fmt.Errorf("%s=%s: %w", key, val, err)
		}
	}
	if !seen["ram"] {
		return d, say.Err("ram is missing; write for example ram=64GB")
	}
	d.NoMajor = !seen["pg"]
	if d.CPUs == 0 {
		d.CPUs, d.NoCPUs = max(assumedCPUs, d.Sockets), true
	}
	if d.Sockets > d.CPUs {
		return d, say.Err("sockets={sockets} with cpus={cpus}: a socket has at least one CPU",
			"sockets", strconv.Itoa(d.Sockets), "cpus", strconv.Itoa(d.CPUs))
	}
	if d.CGroup > d.RAM {
		return d, say.Err("cgroup={limit} is more than ram={ram}: such a limit limits nothing",
			"limit", d.CGroup.String(), "ram", d.RAM.String())
	}
	return d, nil
}

// assumedCPUs is used if the number of CPUs is not given. Without it, neither sessions nor parallel workers can be
// planned, and a server with fewer than 4 is as rare today as a plan for 4 is harmless on a larger one.
const assumedCPUs = 4

func (d *Description) set(key, val string) (err error) {
	amount := func(p *unit.Bytes, lo, hi unit.Bytes) error {
		*p, err = unit.ParseBytes(val)
		if err == nil && (*p < lo || *p > hi) {
			err = say.Err("write an amount from {least} to {most}", "least", lo, "most", hi)
		}
		return err
	}
	count := func(p *int, lo, hi int) error {
		*p, err = strconv.Atoi(val)
		if err != nil || *p < lo || *p > hi {
			err = say.Err("write a whole number from {least} to {most}",
				"least", strconv.Itoa(lo), "most", strconv.Itoa(hi))
		}
		return err
	}
	word := func(p *string, allowed ...string) error {
		*p = strings.ToLower(val)
		for _, a := range allowed {
			if *p == a {
				return nil
			}
		}
		return say.Err("write one of {names}", "names", say.Names(allowed, 0))
	}
	switch key {
	case "ram":
		return amount(&d.RAM, minRAM, maxRAM)
	case "swap":
		return amount(&d.Swap, 0, maxRAM)
	case "disk":
		return amount(&d.Disk, unit.GB, 1<<20*unit.GB)
	case "cgroup":
		return amount(&d.CGroup, minRAM, maxRAM)
	case "cpus":
		return count(&d.CPUs, 1, maxCPUs)
	case "sockets":
		return count(&d.Sockets, 1, 64)
	case "pg":
		majors := params.Majors()
		return count(&d.Major, majors[0], majors[len(majors)-1])
	case "storage":
		return word(&d.Storage, "nvme", "ssd", "hdd", "san")
	case "container":
		return word(&d.Container, "docker", "podman", "kubernetes", "lxc", "systemd-nspawn")
	case "thp":
		return word(&d.THP, "always", "madvise", "never")
	case "kernel":
		_, err = unit.ParseKernel(val)
		d.Kernel = val
		return err
	}
	if name, ok := strings.CutPrefix(key, "set."); ok {
		p, ok := params.Lookup(d.Major, name)
		if !ok {
			return say.Err("PostgreSQL {major} has no such parameter (write pg=… before set.…)",
				"major", strconv.Itoa(d.Major))
		}
		if p.Type == "integer" || p.Type == "real" {
			if _, err := unit.ParseGUC(val, p.Unit); err != nil {
				return err
			}
		}
		d.Settings[name] = val
		return nil
	}
	return say.Err("no such key; there are ram, swap, cpus, sockets, storage, disk, pg, cgroup, container, kernel, " +
		"thp and set.PARAMETER")
}

// osAnon is what the daemons of a freshly installed server system hold: between
// 100 and 300 MB on Debian and RHEL.
const osAnon = 256 * unit.MB

// FreshlyInstalled is the anonymous memory of a host with the given RAM on which only the system runs.
func FreshlyInstalled(total unit.Bytes) unit.Bytes { return min(osAnon, total/8) }

// AsCandidate is the word of the assumption that a version is as its release candidate, whose version is the value.
const AsCandidate = "candidate"

// described is the tool that evidence.json names for a host that was described.
const described = "description"

// Evidence returns the evidence that the described host would yield with an instance as initdb leaves it. What the
// description does not give is absent, with the word that would give it. Only the number of CPUs is assumed, and that
// a version is as its release candidate; both are reported.
func (d Description) Evidence() (*evidence.Archive, error) {
	b := builder{evidence.NewWriter()}
	head := map[string]any{"tool": described, "taken_at": 0, "host_seen": true, "root": true}
	var assumed []Assumption
	if d.NoCPUs {
		assumed = append(assumed, Assumption{Word: "cpus", Value: strconv.Itoa(d.CPUs)})
	}
	if version := params.Candidate(d.Major); version != "" {
		assumed = append(assumed, Assumption{Word: AsCandidate, Value: version})
	}
	if len(assumed) > 0 {
		head["assumed"] = assumed
	}
	b.JSON("evidence.json", head)
	b.JSON("host.json", map[string]any{"page_size": 4096, "systemd": d.Container == "", "machine": "x86_64"})
	d.memory(&b)
	d.processors(&b)
	d.kernel(&b)
	d.storage(&b)
	d.instance(&b)
	b.rest()
	return b.Archive, b.Err
}

type builder struct{ evidence.Writer }

func (b *builder) untold(name, word string) {
	b.Archive.AddMissing(evidence.NotTold(name, word))
}

func (b *builder) none(names ...string) {
	for _, n := range names {
		b.Archive.AddMissing(evidence.Missing{Name: n, State: known.Absent, Reason: "a described host has none"})
	}
}

// rest notes what a described host has none of, of all that a collector reads.
func (b *builder) rest() {
	noted := map[string]bool{}
	for _, m := range b.Archive.MissingFiles() {
		noted[m.Name] = true
	}
	names := append([]string(nil), host.Files...)
	for _, n := range host.SysctlNames {
		names = append(names, host.SysctlPath(n))
	}
	for answer := range promisedAnswers() {
		names = append(names, "pg/1/"+answer)
	}
	for _, n := range names {
		if _, err := b.Archive.ReadFile(n); err != nil && !noted[n] {
			b.none(n)
		}
	}
}

func (d Description) memory(b *builder) {
	anon := FreshlyInstalled(d.RAM)
	kb := func(v unit.Bytes) string { return strconv.FormatInt(int64(v/unit.KB), 10) + " kB\n" }
	commit := d.RAM/2 + d.Swap // overcommit_ratio 50, no huge pages
	b.Add("proc/meminfo", "MemTotal: "+kb(d.RAM)+"MemFree: "+kb(d.RAM-anon)+"MemAvailable: "+kb(d.RAM-anon)+
		"Buffers: 0 kB\nCached: 0 kB\nSwapTotal: "+kb(d.Swap)+"SwapFree: "+kb(d.Swap)+
		"Dirty: 0 kB\nWriteback: 0 kB\nAnonPages: "+kb(anon)+
		"Shmem: 0 kB\nSReclaimable: 0 kB\nSUnreclaim: 0 kB\nKernelStack: 0 kB\nPageTables: 0 kB\nCommitLimit: "+
		kb(commit)+"Committed_AS: "+kb(anon)+
		"HugePages_Total: 0\nHugePages_Free: 0\nHugePages_Rsvd: 0\nHugePages_Surp: 0\nHugepagesize: 2048 "+
		"kB\nHugetlb: 0 kB")
	swaps := "Filename Type Size Used Priority\n"
	if d.Swap > 0 {
		swaps += "/dev/sdz1 partition " + strconv.FormatInt(int64(d.Swap/unit.KB), 10) + " 0 -2\n"
	}
	b.Add("proc/swaps", swaps)
	for _, size := range []string{"2048kB", "1048576kB"} {
		for _, f := range []string{"nr_hugepages", "free_hugepages", "resv_hugepages", "surplus_hugepages",
			"nr_overcommit_hugepages"} {
			b.Add("sys/kernel/mm/hugepages/hugepages-"+size+"/"+f, "0")
		}
	}
	modes := strings.Replace("always madvise never", d.THP, "["+d.THP+"]", 1)
	b.Add("sys/kernel/mm/transparent_hugepage/enabled", modes)
	b.Add("sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never")
	b.Add("sys/kernel/mm/transparent_hugepage/shmem_enabled", "always within_size advise [never] deny force")
	if d.CGroup > 0 {
		b.Add("proc/100/cgroup", "0::/pg")
		b.Add("sys/fs/cgroup/pg/memory.max", strconv.FormatInt(int64(d.CGroup), 10))
	}
}

func (d Description) processors(b *builder) {
	if d.CPUs == 0 {
		b.untold("proc/cpuinfo", "cpus=N")
	} else {
		var t strings.Builder
		for i := range d.CPUs {
			fmt.Fprintf(&t, "processor\t: %d\nphysical id\t: %d\ncore id\t: %d\nflags\t: fpu\n\n",
				i, i*d.Sockets/d.CPUs, i)
		}
		b.Add("proc/cpuinfo", t.String())
	}
	for n := range d.Sockets {
		node := "sys/devices/system/node/node" + strconv.Itoa(n) + "/"
		share := strconv.FormatInt(int64(d.RAM/unit.Bytes(d.Sockets)/unit.KB), 10)
		b.Add(node+"meminfo", fmt.Sprintf("Node %d MemTotal: %s kB\nNode %d MemFree: %s kB", n, share, n, share))
		if d.CPUs > 0 {
			first, last := (n*d.CPUs+d.Sockets-1)/d.Sockets, ((n+1)*d.CPUs+d.Sockets-1)/d.Sockets-1
			b.Add(node+"cpulist", fmt.Sprintf("%d-%d", first, last))
		}
	}
	b.Add("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc")
	b.Add("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm")
}

// sysctlDefaults are the kernel's own defaults (facts.md section 3), the same
// from 4.18 to 6.18.
var sysctlDefaults = map[string]string{
	"vm.swappiness": "60", "vm.overcommit_memory": "0", "vm.overcommit_ratio": "50", "vm.overcommit_kbytes": "0",
	"vm.admin_reserve_kbytes": "8192", "vm.user_reserve_kbytes": "131072",
	"vm.dirty_background_bytes": "0", "vm.dirty_bytes": "0", "vm.dirty_background_ratio": "10", "vm.dirty_ratio": "20",
	"vm.nr_hugepages": "0", "vm.nr_overcommit_hugepages": "0", "vm.zone_reclaim_mode": "0",
	"vm.dirty_expire_centisecs": "3000", "vm.dirty_writeback_centisecs": "500", "vm.panic_on_oom": "0",
	"vm.oom_kill_allocating_task": "0", "vm.oom_dump_tasks": "1",
}

func (d Description) kernel(b *builder) {
	b.Add("proc/sys/kernel/osrelease", d.Kernel)
	b.Add("proc/cmdline", "")
	b.Add("proc/self/cgroup", "0::/")
	b.Add("proc/1/comm", "systemd")
	for name, v := range sysctlDefaults {
		b.Add("proc/sys/"+strings.ReplaceAll(name, ".", "/"), v)
	}
	if d.Sockets > 1 {
		b.Add("proc/sys/kernel/numa_balancing", "1")
	}
	if d.Container != "" {
		b.Add("run/systemd/container", d.Container)
	}
	b.Add("sys/class/dmi/id/sys_vendor", "none")
	b.Add("sys/class/dmi/id/product_name", "none")
}

const (
	describedData   = "/var/lib/postgresql/data"
	describedDevice = "8:1"
	describedPoint  = "/var/lib/postgresql"
)

func (d Description) storage(b *builder) {
	flags := d.Mount
	if flags == "" {
		flags = "rw,noatime"
	}
	b.Add("proc/self/mountinfo", "20 1 8:0 / / rw,relatime - ext4 /dev/root rw\n"+
		"21 20 "+describedDevice+" / "+describedPoint+" "+flags+" - ext4 /dev/data rw\n"+
		"22 20 0:22 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - cgroup2 cgroup2 rw\n"+
		"23 20 0:23 / /dev/shm rw,nosuid,nodev - tmpfs tmpfs rw")
	if d.Fstab != "" {
		b.Add("etc/fstab", d.Fstab)
	}
	d.devices(b)
	if d.Disk > 0 {
		b.JSON("statfs.json", []host.Space{{Path: describedData, Total: d.Disk, Free: d.Disk}})
	} else {
		b.untold("statfs.json", "disk=SIZE")
	}
}

func (d Description) devices(b *builder) {
	list := d.Devices
	if len(list) == 0 {
		one := Device{Kind: "disk", Attributes: map[string]string{"queue/rotational": "0"}}
		switch d.Storage {
		case "nvme":
			one.Name = "nvme0n1"
		case "ssd":
			one.Name = "sda"
		case "hdd":
			one.Name, one.Attributes["queue/rotational"] = "sda", "1"
		case "san":
			one.Name, one.Attributes["dm/uuid"] = "dm-0", "mpath-described"
		default:
			b.untold("blocks.json", "storage=nvme, ssd, hdd or san")
			return
		}
		list = []Device{one}
	}
	var out []map[string]any
	for i, v := range list {
		device, dir := describedDevice, "sys/block/"+v.Name
		if i > 0 {
			device = "259:" + strconv.Itoa(i)
		}
		out = append(out, map[string]any{"device": device, "name": v.Name, "path": dir, "kind": v.Kind,
			"below": append([]string{}, v.Below...), "driver": v.Driver})
		for _, name := range slices.Sorted(maps.Keys(v.Attributes)) {
			b.Add(dir+"/"+name, v.Attributes[name])
		}
	}
	b.JSON("blocks.json", out)
}

func (d Description) instance(b *builder) {
	inst := map[string]any{"key": "1", "data_directory": describedData, "port": 5432, "running": true}
	if d.CGroup > 0 {
		inst["pid"], inst["processes"] = 100, []int{100}
		b.none("proc/100/status", "proc/100/limits")
	}
	b.JSON("instances.json", []any{inst})
	b.JSON("pg/1/places.json", []Place{
		{Role: DataPlace, Path: describedData, Device: describedDevice, Mode: "0700", UID: 26},
		{Role: WALPlace, Path: describedData + "/pg_wal", Device: describedDevice, Mode: "0700", UID: 26}})
	rows := pg.Rows{Columns: []string{"name", "setting", "unit", "vartype", "context", "source", "min_val", "max_val",
		"enumvals", "boot_val", "pending_restart"}}
	for _, p := range params.All(d.Major) {
		// a described server has not started, and the table's values are those of another configuration
		if !params.ComputedAtStart(p.Name) {
			rows.Rows = append(rows.Rows, d.row(p))
		}
	}
	b.JSON(pg.Path("1", "settings"), rows)
	for _, name := range slices.Sorted(maps.Keys(d.Answers)) {
		b.JSON(pg.Path("1", name), d.Answers[name])
	}
}

func (d Description) row(p params.Param) []*string {
	val, source := p.Boot, "default"
	if p.Reset != "" {
		val, source = p.Reset, "configuration file"
		if p.Context == "internal" || p.Boot == "-1" || p.Boot == "0" {
			source = "override" // computed by the server at startup, not configured
		}
	}
	if r, ok := releases.Of(d.Major); ok {
		// The description does not give the minor release: the latest one is assumed.
		switch p.Name {
		case "server_version_num":
			val = strconv.Itoa(int(r.Latest))
		case "server_version":
			val = r.Latest.String()
		}
	}
	if s, ok := d.Settings[p.Name]; ok {
		val, source = s, "configuration file"
		if f, err := unit.ParseGUC(s, p.Unit); err == nil && (p.Type == "integer" || p.Type == "real") {
			val = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	opt := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	enum := ""
	if len(p.Enum) > 0 {
		enum = "{" + strings.Join(p.Enum, ",") + "}"
	}
	no := "f"
	return []*string{&p.Name, &val, opt(p.Unit), &p.Type, &p.Context, &source, opt(p.Min), opt(p.Max), opt(enum),
		opt(p.Boot), &no}
}

// Describe reads a description and returns its evidence.
func Describe(spec string) (*evidence.Archive, error) {
	d, err := ParseDescription(spec)
	if err != nil {
		return nil, err
	}
	return d.Evidence()
}
