package prose

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// Parameters as pairs of a name and a value: in the lists of playbooks, the answers of the
// command lines of clouds, and Terraform.
var (
	rePairInline = regex.New(`^- \{ ?["']?(?:option|name|parameter|key)["']?: ?["']?([a-zA-Z_][\w.]{1,8` +
		`0})["']?, ?["']?value["']?: ?` +
		`("[^"]{0,200}"|'[^']{0,200}'|[^}"']{1,200}?) ?\}(?:\s*#.*)?$`)
	rePairName = regex.New(`^(?:- )?["']?(?:name|option|key|ParameterName|parameter_name)["']?\s*[:=]\s*["']?` +
		`([a-zA-Z_][\w.]{1,80})["']?,?$`)
	rePairValue = regex.New(`^["']?(?:value|ParameterValue|parameter_value)["']?\s*[:=]\s*("[^"]{0,200}"|'[^']{` +
		`0,200}'|` +
		`[^\s"',][^"',]{0,200}?),?$`)
	rePairOther = regex.New(`^(?:- )?(?:["']?\w{1,40}["']?\s*[:=]\s*\S.*|[\[\]{},]+|(?:parameter|database_flags` +
		`|"\w+")\s*:?\s*[\[{])$`)
)

// pairNear is how many lines stand between a name and its value at most.
const pairNear = 4

// ReadPairs reads such a list, of parameters of the server or of the kernel.
func ReadPairs(w *part.Window) (f part.Found) {
	name, at := "", 0
	f.Body = []string{}
	kernel := false
	for i := 0; i < len(w.Lines) && w.Lines[i].Is == part.Content; i++ {
		t := w.Text(i)
		if i-f.N > 2*pairNear {
			break
		}
		if m := rePairInline.FindStringSubmatch(t); m != nil {
			if (len(f.Facts) > 0 || i > 0) && part.KernelParam.MatchString(m[1]) != kernel {
				break
			}
			kernel = part.KernelParam.MatchString(m[1])
			pair(&f, m[1], m[2], kernel)
			f.N = i + 1
			continue
		}
		if m := rePairName.FindStringSubmatch(t); m != nil && (setting.Known(m[1]) || f.N > 0) {
			name, at = m[1], i
			continue
		}
		if m := rePairValue.FindStringSubmatch(t); m != nil && name != "" && i-at <= pairNear {
			pair(&f, name, m[1], false)
			name, f.N = "", i+1
			continue
		}
		if name == "" && f.N == 0 && i >= pairNear || !rePairOther.MatchString(t) {
			break
		}
		if name == "" && f.N > 0 && i-f.N > pairNear {
			break
		}
	}
	if f.N == 0 || len(f.Facts) == 0 {
		return part.Found{}
	}
	for f.N < len(w.Lines) && strings.Trim(w.Text(f.N), "[]{}, ") == "" && w.Lines[f.N].Is == part.Content {
		f.N++
	}
	f.Sure, f.Kind = part.Likely, part.PostgresConf
	f.Notes = append(f.Notes, "these are the parameters in the configuration of a cluster manager or operator")
	if kernel {
		f.Kind, f.Notes = part.SysctlConf, nil
	}
	return f
}

// pair adds a parameter; a value that is computed elsewhere is none.
func pair(f *part.Found, name, value string, kernel bool) {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	switch {
	case strings.ContainsAny(value, "{}$"):
	case kernel:
		f.Add(part.Word("sysctl", name, value))
		f.Body = append(f.Body, name+" = "+value)
	case setting.Known(name) && setting.Plausible(name, value):
		f.Add(setting.Row(name, value, "", false))
		f.Body = append(f.Body, name+" = '"+strings.ReplaceAll(value, "'", "''")+"'")
	}
}

// What people write of a host in the fields of a form.
var (
	reFieldVersion = regex.New(
		`(?i)^[*_]{0,2}(?:postgres(?:ql)?|pg|database|db|server)(?: server| database)?(?: version)?[*_]{0,` +
			`2}\s?:[*_]{0,2}\s?` +
			`(?:postgres(?:ql)? )?v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?:[\s,;(].*)?$`)
	reFieldKernel = regex.New(
		`(?i)^[*_]{0,2}(?:linux )?kernel(?: version| release)?[*_]{0,2}(?:\s?:[*_]{0,2}\s?(?:linux )?` +
			`(\d+\.\d+\.\d+[\w.+~-]*)|\s(\d+\.\d+\.\d+-\d[\w.+~-]*))$`)
	reFieldOS = regex.New(
		`(?i)^[*_]{0,2}(?:os|operating system|distro|distribution|linux distribution|ос|операционная система` +
			`|système d['’]exploitation|système|sistema operativo|betriebssystem|操作系统|系统)(?: version| \([^)]{1,4` +
			`0}\))?[*_]{0,2}\s?:` +
			`[*_]{0,2}\s?((?:ubuntu|debian|centos|red hat|rhel|rocky|alma|oracle linux|suse|sles|opensuse|fedora` +
			`|amazon linux|gentoo|linux mint|raspbian|raspberry pi os|nixos|openeuler|euleros|kylin|anolis` +
			`|scientific|` +
			`cloudlinux|proxmox|freebsd|photon|` +
			`alpine|arch|astra|alt|red os|windows)\b[\w ./()+-]{0,80}?)(?:[,;(] ?(?:linux )?kernel:? ` +
			`(\d+\.\d+\.\d+[\w.+~-]*)\)?)?[.,]?$`)
	reFieldRAM = regex.New(
		`(?i)^[*_]{0,2}(?:(?:(?:total|server|system|physical|installed) )*(?:ram|memory|оперативная память` +
			`|память|озу|mémoire(?: vive)?|memoria|arbeitsspeicher|内存)(?: (?:on|of) ` +
			`(?:the )?(?:server|host|machine|vm|db))?|(?:total )?memory \(ram\)|ram size|mem)[*_]{0,2}\s?[:=]` +
			`[*_]{0,2}\s?(?:(?:~|approx\. |about ) ?)?(\d{1,5}(?:[.,]\d{1,2})?) ?(gb|gib|g|go|гб|tb|tib|mb|mib|mo|` +
			`мб)((?:[ ,@(/]+(?:ram|l?p?ddr\d\w?|ecc|reg|rdimm|udimm|lrdimm|so-?dimm|` +
			`dimm|of ram|memory|озу|total|\d{3,5} ?(?:mhz|mt/s|мгц)|pc\d\w?-\d{4,6}|(?:dual|quad)[ -]channel))*` +
			`\)?)[.,;]?$`)
	reFieldSized = regex.New(`(?i)^[*_]{0,2}(?:ram|mem|memory)\s?\((?:gib|gb)\)[*_]{0,2}\s?[:=]\s?(\d{1,5})$`)
	reFieldModel = regex.New(`(?i)^[*_]{0,2}(?:cpus?|processors?|cpu model|model name|cpu型号为?|процессор|` +
		`processeur|prozessor)[*_]{0,2}\s?[:：]?[*_]{0,2}\s?(?:(?:dual|\d{1,2} ?[x×*]) ?)?((?:intel|amd|ampere|apple|` +
		`aws graviton|xeon|epyc|ryzen|core i\d)\b[\w ()@.+/\p{L}-]{3,80}?)(?:,\s.{1,60})?$`)
	// how many there are, behind the model
	reModelCores = regex.New(`(?i)^[,;(\s]*(?:with )?(\d{1,4}) ?(v?cpus?|v?cores?|threads)\b`)
	// a number of bytes is one that a program counted
	reFieldBytes = regex.New(`(?i)^(?:(?:total|physical|installed|server|system) )*(?:memory|ram|mem)(?: total| ` +
		`size)?` +
		`(?: (?:in )?\(?bytes\)?\s?[:=]\s?(\d{7,16})|\s?[:=]\s?(\d{7,16}) bytes)$`)
	reFieldHost = regex.New(`(?i)^(?:host ?name|nom d[’']hôte|имя хоста|ホスト名|主机名)\s?[:：]\s?([a-z0-9][\w.-]{0,254})$`)
	// the line above a block: "PostgreSQL (version 12) settings:"
	reSettingsOf = regex.New(`(?i)^(?:#{1,6} +)?[*_]{0,2}(?:(?:my|our|the|current|here are the|these are the) )*` +
		`(?:(?:settings|configuration|config|parameters|postgresql\.conf) (?:of|for|on|in) )?` +
		`(?:postgres(?:ql)?|pg)[ -]?(?:server )?\(?(?:version |v\.? ?)?(\d{1,2}(?:\.\d{1,2}){0,2})\)?` +
		`(?:'s)?(?: server| database| db)?(?: (?:settings?|config(?:uration)?|conf|parameters|postgresql\.conf|` +
		`options))` +
		`(?: (?:file|values|in use|used|we use|i use|is|are|as follows|below|\([^()]{1,40}\)))*` +
		`(?:[*_]{0,2}[:：][*_]{0,2}|[*_]{2})$`)
	reFieldCPU = regex.New(
		`(?i)^[*_]{0,2}(?:(?:online|logical|total|number of) )?(?:cpus?|vcpus?|cores?|processors?|ядра(?: cpu)?` +
			`|ядер|количество ядер|` +
			`cœurs(?: physiques)?|núcleos|kerne|cpu核数|核数)(?: num| ` +
			`count)?[*_]{0,2}\s?[:=][*_]{0,2}\s?(\d{1,4})` +
			`(?: ?(v?cpus?|v?cores?|threads?))?\.?$`)
	// an item of a list
	reBareRAM   = regex.New(`(?i)^(\d{1,5}) ?(gb|gib|go|гб)(?: of)? (?:ram|memory|ddr\d|de ram|озу)\.?$`)
	reBareModel = regex.New(`^(Intel\(R\) (?:Xeon|Core|Atom|Pentium|Celeron)\(\w+\) [\w ()@.+-]{2,60}|` +
		`AMD (?:EPYC|Ryzen)(?:\(TM\))? \w[\w ()@.+-]{2,60})$`)
	reBareCPU = regex.New(`(?i)^(\d{1,4}) ?(v?cpus?|vcores?|cores?|threads|ядер)\.?$`)
	// of a program that draws the sign of the distribution
	reFetchMemory = regex.New(`^Memory: (\d+(?:\.\d+)? ?[MG]iB) / (\d+(?:\.\d+)? ?[MG]iB)(?: \(\d+%\))?$`)
	reFetchCPU    = regex.New(`^CPU: (\S.{2,60}?) \((\d{1,4})\)(?: @ \S+)?$`)
	// inxi -S
	reInxiHost   = regex.New(`^Host: (\S{1,64}) Kernel: (\S+) (?:arch: (\S+) )?(?:bits: \d+|\S+ \(\d+ bit\))`)
	reInxiDistro = regex.New(`\bDistro: (\S.{2,60}?)(?:<\*|\s{2,}|$)`)
	reWelcome    = regex.New(`^Welcome to (\S.{2,80}?) \(GNU/Linux (\S+) \S+\)$`)
)

// ReadFields reads what people write of a host in the fields of a form.
func ReadFields(w *part.Window) (f part.Found) {
	if f = fieldOf(w); f.N > 0 && wished(w) {
		return part.Found{}
	}
	return f
}

func fieldOf(w *part.Window) (f part.Found) {
	t, _ := Item(w.Text(0))
	if s := tableField(w); s != "" {
		t = s
	}
	marked := t != w.Text(0) || plainWords.Replace(t) != t
	t = plainWords.Replace(t)
	if m := reWelcome.FindStringSubmatch(t); m != nil {
		f.N, f.Kind = 1, part.OSRelease
		f.Add(part.Word("os.name", "", m[1]), part.Word("kernel.release", "", m[2]))
		f.Body = []string{m[1]}
		return f
	}
	if m := reInxiHost.FindStringSubmatch(t); m != nil {
		f = part.Found{N: 1, Kind: part.Uname, Sure: part.Likely, Host: m[1]}
		f.Add(part.Word("host.name", "", m[1]), part.Word("kernel.release", "", m[2]))
		if m[3] != "" {
			f.Add(part.Word("cpu.architecture", "", m[3]))
		}
		return f
	}
	if m := reInxiDistro.FindStringSubmatch(t); m != nil {
		return part.Found{N: 1, Kind: part.OSRelease, Sure: part.Likely, Body: []string{m[1]},
			Facts: []part.Fact{part.Word("os.name", "", m[1])}}
	}
	if x := Stated(t); len(x) > 0 {
		return part.Found{N: 1, Kind: part.Stated, Sure: part.Likely, Facts: x}
	}
	if m := reFieldHost.FindStringSubmatch(t); m != nil && (marked || w.Item) && !strings.EqualFold(m[1], "localhost") {
		return part.Found{N: 1, Kind: part.Answer, Sure: part.Likely, Host: m[1],
			Facts: []part.Fact{part.Word("host.name", "", m[1])}}
	}
	if m := reSettingsOf.FindStringSubmatch(t); m != nil {
		if v, ok := setting.Version(m[1]); ok {
			return part.Found{N: 1, Kind: part.Version, Sure: part.Likely, Facts: []part.Fact{v}}
		}
	}
	switch m := reFieldVersion.FindStringSubmatch(t); {
	case m != nil:
		f.N, f.Kind = 1, part.Version
		f.Add(part.Word("server.version", "", m[1]))
	case reFieldKernel.MatchString(t):
		f.N, f.Kind = 1, part.Uname
		m = reFieldKernel.FindStringSubmatch(t)
		f.Add(part.Word("kernel.release", "", m[1]+m[2]))
	case reSaid.MatchString(t):
		m = reSaid.FindStringSubmatch(t)
		p := setting.Params()[m[1]]
		if _, sized := unit.MemoryUnit(p.Unit); !sized {
			return
		}
		f.N, f.Kind = 1, part.PostgresConf
		f.Add(setting.Of(m[1], m[2]+saidUnits[m[3][0]|0x20], ""))
		f.Body = []string{m[1] + " = " + m[2] + saidUnits[m[3][0]|0x20]}
	default:
		name, n := osField(w, t)
		if n == 0 {
			return
		}
		f.N, f.Kind = n, part.OSRelease
		f.Add(part.Word("os.name", "", name))
		if m := reFieldOS.FindStringSubmatch(t); m != nil && m[2] != "" {
			f.Add(part.Word("kernel.release", "", m[2]))
		}
		f.Body = []string{name}
	}
	f.Sure = part.Likely
	return f
}

// plainWords takes off how words within a line are set apart.
var plainWords = strings.NewReplacer("**", "", "__", "", "`", "", "®", "", "™", "")

// reSaid is the size of a parameter as people say it: a letter is enough.
var (
	reSaid    = regex.New(`^([a-z]+(?:_[a-z]+)+)\s?:\s?(\d{1,6}) ?([kKmMgGtT])i?[bB]?[.,;]?$`)
	saidUnits = map[byte]string{'k': "kB", 'm': "MB", 'g': "GB", 't': "TB"}
)

// Stated reads what a person says of memory and CPUs, in round numbers: it is no measure, and has names of its own.
// What a program counted is as good as what free says.
func Stated(t string) []part.Fact {
	if m := reFetchMemory.FindStringSubmatch(t); m != nil {
		used, ok1 := amount.Sized(m[1])
		total, ok2 := amount.Sized(m[2])
		if ok1 && ok2 {
			return []part.Fact{used.Fact("memory.used", ""), total.Fact("memory.total", "")}
		}
	}
	if m := reFetchCPU.FindStringSubmatch(t); m != nil {
		n, _ := amount.Whole(m[2])
		return []part.Fact{part.Count("cpu.logical", "", n), part.Word("cpu.model", "", m[1])}
	}
	for _, re := range []*regex.Regex{reFieldModel, reBareModel} {
		if m := re.FindStringSubmatch(t); m != nil {
			out := []part.Fact{part.Word("cpu.model", "", strings.TrimRight(m[1], " .,;"))}
			if n := reModelCores.FindStringSubmatch(t[strings.Index(t, m[1])+len(m[1]):]); n != nil {
				if c, ok := amount.Whole(n[1]); ok && c > 0 {
					name := "stated.cpus"
					if strings.HasPrefix(strings.ToLower(n[2]), "core") {
						name = "stated.cores"
					}
					out = append(out, part.Count(name, "", c))
				}
			}
			return out
		}
	}
	if x := machine(t); x != nil {
		return x
	}
	if m := reFieldBytes.FindStringSubmatch(t); m != nil {
		if n, ok := amount.Whole(m[1] + m[2]); ok && n < amount.Max {
			return []part.Fact{part.Bytes("stated.memory", "", n)}
		}
	}
	m := reFieldRAM.FindStringSubmatch(t)
	for _, re := range []*regex.Regex{reBareRAM, reFieldSized} {
		if m == nil {
			m = re.FindStringSubmatch(t)
		}
	}
	if m != nil {
		name := "gb"
		if len(m) > 2 {
			name = strings.ToLower(m[2])
		}
		if a, ok := sized(m[1], name); ok {
			return []part.Fact{a.Fact("stated.memory", "")}
		}
	}
	if m = reFieldCPU.FindStringSubmatch(t); m == nil {
		m = reBareCPU.FindStringSubmatch(t)
	}
	if m != nil {
		if n, ok := amount.Whole(m[1]); ok && n > 0 {
			return []part.Fact{part.Count(map[bool]string{true: "stated.cores", false: "stated.cpus"}[strings.HasPrefix(
				strings.ToLower(m[2]), "core")], "", n)}
		}
	}
	return nil
}

// sized is an amount as people say it. Of a letter alone with a point, a program prints what is in use.
func sized(number, name string) (amount.Amount, bool) {
	v, ok := amount.Decimal(number)
	places := len(number) - 1 - strings.IndexAny(number, ".,")
	if !strings.ContainsAny(number, ".,") {
		places = 0
	}
	if !ok || v <= 0 || places > 0 && len(name) < 2 {
		return amount.Amount{}, false
	}
	mult := float64(amount.GB)
	switch {
	case strings.HasPrefix(name, "t"):
		mult = amount.GB << 10
	case strings.HasPrefix(name, "m"), strings.HasPrefix(name, "м"):
		mult = amount.MB
	}
	return amount.Amount{Bytes: int64(math.Round(v * mult)), Step: mult * math.Pow(10, -float64(places))}, true
}
