// Package hardware recognizes what a host has: CPUs, NUMA nodes, disks, file systems and their space.
package hardware

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/labels"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// lscpu, in the languages of util-linux.

var reKeyValue = regex.New(`^([^:：]{1,60}?)\s*[:：]\s*(.*)$`)

// lscpuKeys are its labels in lower case, with the facts that they name.
var lscpuKeys = map[string]string{}

func init() {
	for name, keys := range map[string]string{
		"cpu.architecture": "architecture|architektur|arquitectura|arquitetura|architettura|архитектура|架构|アーキテク" +
			"チャ|architectuur|mimari|architektura|arkitektur",
		"cpu.logical": "cpu(s)|cpu|processeur(s)|procesador(es)|cpu:s|cpu 数",
		"cpu.model": "model name|modellname|nom de modèle|nom du modèle|nombre del modelo|nome do " +
			"modelo|nome del modello|имя модели|型号名称|型号|モデル名|nazwa modelu|modelnaam|modellnamn",
		"cpu.threads_per_core": "thread(s) per core|thread(s) pro kern|thread(s) par cœur|thread(s) par " +
			"coeur|hilo(s) de procesamiento por núcleo|hilo(s) por núcleo|thread(s) por núcleo|thread(s) per " +
			"core|потоков на ядро|每个核的线程数|コアあたりのスレッド数|wątków na rdzeń|tråd(ar) per kärna",
		"cpu.cores_per_socket": "core(s) per socket|kern(e) pro sockel|kern(e) pro socket|cœur(s) par " +
			"socket|coeur(s) par socket|núcleo(s) por «socket»|núcleo(s) por zócalo|núcleo(s) por soquete|core per " +
			"socket|ядер на сокет|每个座的核数|ソケットあたりのコア数|rdzeni na gniazdo|kärna(or) per sockel|core(s) per cluster",
		"cpu.sockets": "socket(s)|sockel|socket|«socket(s)»|zócalo(s)|soquete(s)|cpu socket(s)|сокетов|座|" +
			"ソケット数|gniazd|sockel/socklar",
		"numa.nodes": "numa node(s)|numa cell(s)|numa-knoten|nœud(s) numa|noeud(s) numa|modo(s) numa|nó(s) de " +
			"numa|nodo(i) numa|numa node|узлов numa|numa 节点|numa ノード数|węzłów numa|numa-nod(er)",
		"cpu.cache_l3": "l3 cache|l3-cache|cache l3|caché l3|cache de l3|кэш l3|l3 缓存|l3 キャッシュ|l3",
		"cpu.hypervisor": "hypervisor vendor|hypervisor-anbieter|constructeur d'hyperviseur|fabricante del " +
			"hipervisor|fabricante do hipervisor|производитель гипервизора|超管理器厂商|虚拟机监控程序厂商|ハイパーバイザのベンダー",
	} {
		for k := range strings.SplitSeq(keys, "|") {
			lscpuKeys[k] = name
		}
	}
}

// lscpuKey is the fact that a label of lscpu names.
func lscpuKey(label string) string {
	label = strings.ToLower(strings.TrimSpace(label))
	if name := lscpuKeys[label]; name != "" {
		return name
	}
	return labels.All().Lscpu[label]
}

// ReadLscpu reads lscpu.
func ReadLscpu(w *part.Window) (f part.Found) {
	if list := flatLscpu(w.Text(0)); list != nil {
		seen := map[string]bool{}
		for _, l := range list {
			lscpu(&f, l[0], l[1], seen)
		}
		if f.N = 1; len(f.Facts) == 0 {
			f.N = 0
		}
		return f
	}
	first := reKeyValue.FindStringSubmatch(w.Text(0))
	if first == nil {
		return
	}
	start := lscpuKey(first[1])
	if start != "cpu.architecture" && !(start != "" && lscpuNear(w)) {
		return
	}
	if start == "cpu.architecture" && !lscpuNear(w) {
		return
	}
	seen := map[string]bool{}
	for f.N < len(w.Lines) && w.Lines[f.N].Is != part.Blank {
		l := w.Lines[f.N]
		m := reKeyValue.FindStringSubmatch(l.Text)
		if m == nil {
			if l.Is == part.Elided {
				f.N++
				continue
			}
			if f.N == 0 || l.Indented == l.Text { // wrapped flags are set in
				break
			}
			f.N++
			continue
		}
		f.N++
		if kb, ok := strings.CutSuffix(m[2], " KiB"); ok && m[1] == "Memory size" { // of virsh nodeinfo
			if n, ok := amount.Whole(strings.TrimSpace(kb)); ok {
				f.Add(part.Bytes("memory.total", "", n*amount.KB))
			}
		}
		lscpu(&f, m[1], strings.TrimSpace(m[2]), seen)
	}
	return f
}

// flatLabel is a label of lscpu within a line into which a page has put all of them.
var flatLabel = regex.New(`(?:^|\s)(Architecture|CPU op-mode\(s\)|Address sizes|Byte Order|CPU\(s\)|` +
	`On-line CPU\(s\) list|Vendor ID|Model name|CPU family|Model|Thread\(s\) per core|Core\(s\) per socket|` +
	`Socket\(s\)|Stepping|CPU MHz|CPU max MHz|CPU min MHz|BogoMIPS|Flags|Hypervisor vendor|Virtualization(?: type)?|` +
	`NUMA node\(s\)|NUMA node\d+ CPU\(s\)|L1d cache|L1i cache|L2 cache|L3 cache|Frequency boost): +`)

// flatLscpu takes such a line apart; nil where it is none.
func flatLscpu(t string) (list [][2]string) {
	const least, long, most = 6, 160, 16 << 10
	if len(t) < long || len(t) > most || !strings.Contains(t, " per core: ") {
		return nil
	}
	at := flatLabel.FindAllStringSubmatchIndex(t, 64)
	if len(at) < least {
		return nil
	}
	for i, m := range at {
		end := len(t)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		list = append(list, [2]string{t[m[2]:m[3]], strings.TrimSpace(t[m[1]:end])})
	}
	return list
}

// lscpuNear says whether at least three labels of lscpu follow.
func lscpuNear(w *part.Window) bool {
	n := 0
	for i := 0; i < len(w.Lines) && i < 20; i++ {
		if m := reKeyValue.FindStringSubmatch(w.Text(i)); m != nil && lscpuKey(m[1]) != "" {
			n++
		}
	}
	return n >= 3
}

var (
	reProcessor = regex.New(`^processor\s*:\s*\d+$`)
	reCPULine   = regex.New(
		`^(?:processor|vendor_id|cpu family|model|model name|stepping|microcode|cpu MHz|cache size|physical id|s` +
			`iblings|core id|cpu cores|apicid|initial apicid|fpu|fpu_exception|cpuid level|wp|flags|bugs|bogomip` +
			`s|clflush size|cache_alignment|address sizes|power management|TLB size|cpu|clock|revision|timebase|` +
			`platform|machine|MMU|firmware|BogoMIPS|Features|CPU \w+|Hardware|Serial|vmx flags|Processor|process` +
			`or \d+|bogomips per cpu|features|facilities)\s*:(?:\s|$)`)
	reModelName = regex.New(`^model name\s*:\s*(\S.*)$`)
)

// ReadCPUInfo reads /proc/cpuinfo, whole or the line of one label for each processor.
func ReadCPUInfo(w *part.Window) (f part.Found) {
	if m := reModelName.FindStringSubmatch(w.Text(0)); m != nil && strings.Contains(w.Command, "cpuinfo") {
		for f.N < len(w.Lines) && reModelName.MatchString(w.Text(f.N)) {
			f.N++
		}
		f.Add(part.Count("cpu.logical", "", int64(f.N)), part.Word("cpu.model", "", strings.TrimSpace(m[1])))
		if strings.Contains(w.Command, "uniq") || strings.Contains(w.Command, "head") ||
			strings.Contains(w.Command, "-m") {
			f.Facts = f.Facts[1:] // not one line a processor
		}
		f.Body = []string{}
		return f
	}
	if !reProcessor.MatchString(w.Text(0)) && !(strings.HasPrefix(w.Text(0), "vendor_id") &&
		strings.Contains(w.Command, "cpuinfo")) {
		return
	}
	model := ""
	for i := range w.Lines {
		switch {
		case w.Lines[i].Is == part.Blank || w.Lines[i].Is == part.Elided:
			continue
		case !reCPULine.MatchString(w.Text(i)):
			goto end
		}
		if m := reKeyValue.FindStringSubmatch(w.Text(i)); m[1] == "cpu" && model == "" {
			model = m[2]
		}
		f.N = i + 1
	}
end:
	for _, l := range w.Lines[:f.N] {
		f.Body = append(f.Body, l.Text)
	}
	c, err := host.ParseCPUInfo([]byte(strings.Join(f.Body, "\n") + "\n"))
	if err != nil {
		return part.Found{}
	}
	if cutInfo(f.Body) {
		f.Body = []string{}
		f.Notes = append(f.Notes, "lines are missing in the input: there may be more CPUs")
	} else {
		f.Add(part.Count("cpu.logical", "", int64(c.Logical)), part.Count("cpu.cores", "", int64(c.Cores)),
			part.Count("cpu.sockets", "", int64(c.Sockets)))
	}
	if c.Model != "" {
		model = c.Model
	}
	if model != "" {
		f.Add(part.Word("cpu.model", "", model))
	}
	if slices.ContainsFunc(w.Lines[:f.N], func(l part.Line) bool { return l.Is == part.Elided }) {
		f.Notes = append(f.Notes, "lines are missing in the input: there may be more CPUs")
	}
	return f
}

// cutInfo says whether /proc/cpuinfo was cut: its last processor has fewer lines than its first,
// or the only one that is there has siblings.
func cutInfo(body []string) bool {
	var blocks []int // lines of each processor
	siblings := int64(1)
	for _, t := range body {
		m := reKeyValue.FindStringSubmatch(t)
		if m == nil {
			continue
		}
		if m[1] == "processor" {
			blocks = append(blocks, 0)
		} else if len(blocks) == 0 {
			return false // chosen lines
		}
		blocks[len(blocks)-1]++
		if n, ok := amount.Whole(m[2]); ok && m[1] == "siblings" {
			siblings = n
		}
	}
	last := len(blocks) - 1
	return last > 0 && blocks[last] < blocks[0] && blocks[0] > 3 && blocks[last-1] == blocks[0] ||
		last == 0 && siblings > 1
}

var (
	reNumaHead = regex.New(`^available: (\d+) nodes?(?: \([\d,-]+\))?$`)
	reNumaLine = regex.New(`^node (\d+) (cpus|size|free):(.*)$`)
	reNumaRest = regex.New(
		`^(?:node distances:|node(?:\s+\d+)+|\d+:(?:\s+\d+)+|No distance information available\.)$`)
)

// ReadNumactl reads numactl --hardware.
func ReadNumactl(w *part.Window) (f part.Found) {
	m := reNumaHead.FindStringSubmatch(w.Text(0))
	if m == nil {
		return
	}
	n, _ := amount.Whole(m[1])
	f.Add(part.Count("numa.nodes", "", n))
	f.N = 1
	sum, sized, cpus := int64(0), int64(0), 0
	for ; f.N < len(w.Lines); f.N++ {
		l := reNumaLine.FindStringSubmatch(w.Text(f.N))
		if l == nil {
			if !reNumaRest.MatchString(w.Text(f.N)) {
				break
			}
			continue
		}
		switch l[2] {
		case "cpus":
			list, k := cpuList(l[3])
			cpus += k
			f.Add(part.Word("numa.node.cpus", l[1], list))
		default:
			v, ok := amount.Whole(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(l[3]), "MB")))
			if !ok || v > amount.Max/amount.MB {
				continue
			}
			a := amount.Amount{Bytes: v * amount.MB}
			if v > 0 {
				a.Step = amount.MB
			}
			if l[2] == "size" {
				sum, sized = sum+a.Bytes, sized+1
				f.Add(a.Fact("numa.node.total", l[1]))
			} else {
				f.Add(a.Fact("numa.node.free", l[1]))
			}
		}
	}
	if sized == n && sum > 0 {
		f.Add(amount.Amount{Bytes: sum, Step: float64(n) * amount.MB}.Fact("memory.total", ""))
	}
	if cpus > 0 {
		f.Add(part.Count("cpu.logical", "", int64(cpus)))
	}
	return f
}

var (
	reNodeMem  = regex.New(`^Node (\d{1,4}) ([A-Z]\w*(?:\(\w+\))?):\s+(\d{1,15}) kB$`)
	reNodeHead = regex.New(`^Node \d+(?:\s+Node \d+)*(?:\s+Total)?$`)
	reNodeRow  = regex.New(`^([A-Z]\w*(?:\(\w+\))?)((?:\s+\d+\.\d\d){1,65})$`)
	// what an old numastat says of lines of a newer kernel
	reNoToken = regex.New(`^Token \w+(?:\(\w+\))? not in hash table\.$`)
	nodeNames = map[string]string{"MemTotal": "numa.node.total", "MemFree": "numa.node.free"}
	nodeSums  = map[string]string{"MemTotal": "memory.total", "MemFree": "memory.free",
		"AnonPages": "memory.anonymous", "Shmem": "memory.shared", "PageTables": "memory.page_tables",
		"AnonHugePages": "memory.transparent_huge_pages", "Dirty": "memory.dirty", "Slab": "memory.slab"}
)

// ReadNodeMeminfo reads /sys/devices/system/node/node*/meminfo, and numastat -m.
func ReadNodeMeminfo(w *part.Window) (f part.Found) {
	for f.N < len(w.Lines) {
		m := reNodeMem.FindStringSubmatch(w.Text(f.N))
		if m == nil && w.Lines[f.N].Is != part.Elided {
			if n := reNodeCount.FindStringSubmatch(w.Text(f.N)); n == nil || f.N == 0 {
				break
			}
		}
		if m != nil && nodeNames[m[2]] != "" {
			if n, ok := amount.Kilobytes(m[3]); ok {
				f.Add(part.Bytes(nodeNames[m[2]], m[1], n))
			}
		}
		f.N++
	}
	if f.N > 0 {
		return f
	}
	if !strings.HasPrefix(w.Text(0), "Per-node ") && !reNodeHead.MatchString(w.Text(0)) {
		return
	}
	var nodes []string
	rows, total := 0, false
	for i := range w.Lines {
		t := w.Text(i)
		switch {
		case w.Lines[i].Is == part.Blank && rows == 0, w.Lines[i].Is == part.Elided, w.Lines[i].Is == part.Rule,
			strings.HasPrefix(t, "Per-node ") && i == 0, part.TableRule.MatchString(t),
			nodes == nil && reNoToken.MatchString(t):
			f.N = i + 1
			continue
		case reNodeHead.MatchString(t) && nodes == nil:
			for _, c := range strings.Fields(t) {
				if amount.Digits(c) {
					nodes = append(nodes, c)
				}
			}
			total = strings.HasSuffix(t, " Total")
			f.N = i + 1
			continue
		}
		m := reNodeRow.FindStringSubmatch(t)
		if m == nil || nodes == nil {
			break
		}
		rows++
		f.N = i + 1
		for k, c := range strings.Fields(m[2]) {
			v, ok := amount.Decimal(c)
			a := amount.Amount{Bytes: int64(math.Round(v * amount.MB)), Step: amount.MB / 100}
			if name := nodeNames[m[1]]; ok && name != "" && k < len(nodes) {
				f.Add(a.Fact(name, nodes[k]))
			} else if name = nodeSums[m[1]]; ok && name != "" && total && k == len(nodes) {
				f.Add(a.Fact(name, ""))
			}
		}
	}
	if rows == 0 {
		return part.Found{}
	}
	return f
}

var reNodeCount = regex.New(`^Node \d{1,4} HugePages_\w+:\s+\d+$`)

// cpuList makes "0-2,8" of "0 1 2 8".
func cpuList(s string) (string, int) {
	var b strings.Builder
	first, last, n := -1, -1, 0
	flush := func() {
		if first < 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(first))
		if last > first {
			b.WriteString("-" + strconv.Itoa(last))
		}
	}
	for _, w := range strings.Fields(s) {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 || v <= last {
			break
		}
		n++
		if v != last+1 || first < 0 {
			flush()
			first = v
		}
		last = v
	}
	flush()
	return b.String(), n
}
