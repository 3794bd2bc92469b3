package conftext

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/cloud"
)

// The marks of a version, the surest first: what says that it is the server's, then
// where its files lie, then what a sentence says.
var versionMarks = []*regex.Regex{
	regex.New(
		`(?i)^[\s|*]*(?:PostgreSQL|Postgres|Server) version[\s*]*\|[\s*\x60]*(\d[\d.]*)` +
			`|\bDB Version:\s*(\d[\d.]*)|^[\s|"']*server_version["']?\s*[|,=:]\s*["']?(\d[\d.]*)` +
			`|\bfor PostgreSQL (\d[\d.]*)\s*$` +
			`|\bfamily\b.*postgres(?:ql)?(\d[\d.]*)|POSTGRES_(\d+(?:_\d+)?)\b` +
			`|\bpostgres[_-]?(?:ql[_-]?)?version["']?\s*[:=]\s*["']?(\d[\d.]*)|\bpkgs\.postgresql_(\d+)` +
			`|\bpg_?(?:major_?)?version["']?\s*[:=]\s*["']?(\d[\d.]*)` +
			`|\bengine_?version["']?\s*[:=]\s*["']?(\d[\d.]*)` +
			`|\bPostgres\w*Version\.[A-Z]+_(\d+(?:_\d+)?)\b|\bpostgresVersion["']?\s*[:=]\s*["']?(\d[\d.]*)` +
			`|\bPostgreSQL (\d[\d.]*)[^ ]* on ` +
			`|^\s*\|[\s*]*(?:PostgreSQL|Postgres)[\s*]*\|[\s*\x60]*v?(\d+\.\d+)\b`),
	regex.New(
		`(?i)(?:^|[\s/"'])(?:postgres|postgresql|postgis|pgvector|postgresql-container)` +
			`(?:/[\w.-]+)?:(?:pg)?(\d+(?:\.\d+)?)` +
			`|:[\w.\-]*\bpg(\d\d)\b|spilo-(\d\d)\b|postgres-(\d\d):`),
	regex.New(
		`/postgresql/(\d[\d.]*)/|/pgsql[-/](\d[\d.]*)/|/postgresql-(\d[\d.]*)/|/postgresql@(\d+)/` +
			`|/pgpro/\w{1,16}-(\d[\d.]*)/|/pgsql(\d\d)/|/edb/as(\d+)/|\bpostgresql-(\d\d)\b` +
			`|\\PostgreSQL\\(\d[\d.]*)\\`),
	regex.New(`(?i)\b(?:PostgreSQL|Postgres)[ -]?(?:version |v)?(\d[\d.]*)\b`),
}

// versionRow is the version among the rows of a table of settings.
var versionRow = regex.New(`(?i)^\s*\|[\s*]*version[\s*]*\|[\s*\x60]*(\d[\d.]*)`)

// managedMarks are keys and types of resources that only a service has which runs servers for others.
var managedMarks = []struct {
	service string
	mark    *regex.Regex
}{
	{"Amazon RDS", regex.New(`\bDB(?:Instance|Cluster)?(?:Class|ParameterGroup)\w*\b|\bAWS::RDS::|` +
		`\baws_(?:db_instance|db_parameter_group|rds_cluster\w*)\b|--db-(?:cluster-)?parameter-group-name\b`)},
	{"Cloud SQL", regex.New(`\bgoogle_sql_database_instance\b|\bdatabase_flags\b|\bdatabaseFlags\b|` +
		`--database-flags\b|\bSQLInstance\b`)},
	{"Azure Database for PostgreSQL", regex.New(`\bazurerm_postgresql\w*|\bMicrosoft\.DBforPostgreSQL\b|` +
		`\baz postgres flexible-server\b`)},
}

// managedBy is the service that a line is for; "" for none.
func managedBy(s string) string {
	for _, m := range managedMarks {
		if m.mark.MatchString(s) {
			return m.service
		}
	}
	return ""
}

// memoryWords are what the memory of a machine is called.
const memoryWords = `(?:RAM|memory|memoria|memória|mémoire|m[ée]moire vive|Speicher|Arbeitsspeicher|Hauptspeicher|` +
	`pamięci)\b|内存|メモリ|메모리`

var (
	ramMarks = []*regex.Regex{
		regex.New(`(?i)Total Memory(?: \(RAM\))?:\s*(\d+(?:\.\d+)?)\s*([KMGT])i?B`),
		regex.New(`(?i)based on (\d+(?:\.\d+)?)\s*([KMGT])B of available memory`),
	}
	ramProse = regex.New(
		`(?i)\b(\d+(?:\.\d+)?)\s*([GT])(?:i?B|o)? ?(?:(?:of|de|di|von|d') ?)?(?:` + memoryWords + `)` +
			`|\b(?:RAM|memory)\s*[:=]\s*(\d+(?:\.\d+)?)\s*([GT])i?B\b` +
			`|\b(?:server|box|machine|host|vm) (?:has|with) (\d+)\s*([GT])i?B\b` +
			`|\bmem(?:ory)?=(\d+(?:\.\d+)?)([GT])B`)
	ramRussian = regex.New(`(\d+(?:\.\d+)?)\s*([ГТ])[Бб]\s+(?:ОЗУ|RAM|(?:оперативной )?памяти)|` +
		`(?i:оперативн\p{L}* памят\p{L}*|озу)[ :–—-]{1,3}(\d+(?:\.\d+)?)\s*([ГТ])[Бб]`)
	// a machine by its two figures: 2 vCPU / 16 GB
	machine = regex.New(`(?i)\b(\d{1,4})\s*(?:v?CPUs?|v?cores?)\s*(?:[/,+|;·]|and|et|e|y|und|и)\s*` +
		`(\d+(?:\.\d+)?)\s*([GT])(?:i?B|o)\b`)
	diskWord = regex.New(`(?i)^\W{0,3}(?:SSD|HDD|NVMe|disk|storage|EBS|gp[23]|volume)`)
	// classKey is what the type of an instance is called where it is set
	classKey = regex.New(`(?i)(?:instance_?-?(?:class|type)|\btier|machine_?-?type|\bsku(?:_?name)?|node_?-?type|` +
		`vm_?-?size|compute_?class|\bclass)\b["']?\s*(?:[:=|]|\s)`)
	ssdWord  = regex.New(`\b(SSD|NVMe)\b`)
	cpuMark  = regex.New(`(?i)\bCPUs? num(?:ber)?:\s*(\d+)|\band (\d+) CPUs\b|\bNumber of CPUs:\s*(\d+)`)
	diskMark = regex.New(`(?i)\b(?:Data Storage|Hard drive type|HD Type):\s*(ssd|hdd|san)\b`)
	quantity = regex.New(`^(\d+(?:\.\d+)?)\s*(Ki|Mi|Gi|Ti|k|K|m|M|g|G|T|KB|kb|MB|mb|GB|gb)?[bB]?$`)
	// the class of Puppet that has the version, in a line of its own
	puppetClass   = regex.New(`\bpostgresql::globals['"]?\s*:`)
	puppetVersion = regex.New(`^\s*version\s*=>\s*['"](\d[\d.]*)['"]`)
	// CPUs beside the memory of a machine: 8 vCPU, 64 GB RAM
	cpuProse = regex.New(`(?i)(?:^|[\s,;:(/+])(\d{1,4})[ -]?(?:(?:v?CPUs?|v?cores?|c[œo]e?urs?|núcleos?|Kerne)\b|核|コア)`)
	// Windows by where its files lie, and by what only its servers have
	windowsMark = regex.New(`(?i)\b[A-Z]:[\\/](?:[^"'\r\n]{0,80}[\\/])?PostgreSQL[\\/]\d|^#?\s*OS Type:\s*windows\b` +
		`|^\s*(?:dynamic_)?shared_memory_type\s*[=:]?\s*'?windows\b|^\s*lc_\w+\s*=\s*'[\w ]+\.125\d'`)
	url = regex.New(`https?://\S+`)
	// a list of what a machine has, a line each: «vCPU: 4», «- Cores: 16», «Storage: 1 TB SSD (gp3)»
	cpuLine = regex.New(`(?i)^[\s\W]{0,12}(?:v?CPUs?(?: cores?| count)?|(?:physical )?cores?|processors?|ЦП|CPU核数|核数)` +
		`[\s*\x60"']{0,4}[:=|：][\s*\x60"']{0,8}(\d{1,4})(?:\s*(?:v?CPUs?|v?cores?|ядер|ядра|核))?[\s*\x60"',|]*$`)
	diskLine = regex.New(`(?i)^[\s\W]{0,12}(?:storage|disks?|drives?|диски?|накопители?|磁盘|硬盘|存储)` +
		`[\w ()/]{0,24}[\s*\x60"']{0,4}[:=|：].*\b(SSD|NVMe|HDD)s?\b`)
	// a setting of which the remark tells the disks that it is for
	forDisks = regex.New(`(?i)^[^#]{0,8}(?:random_page_cost|` +
		`effective_io_concurrency)\b["']?\s*[:=][^#(–—-]{1,24}(?:#|--|[(–—])` +
		`[^#]*\b(?:SSD|NVMe)s?\b`)
	otherDisks = regex.New(`(?i)\b(?:HDD|spinning|rotational|magnetic|if|when|otherwise|si|wenn|falls|else)\b|` +
		`если|для HDD|如果`)
)

// first returns the first group that matched.
func first(m []string) string {
	for _, g := range m[1:] {
		if g != "" {
			return g
		}
	}
	return ""
}

// named looks for what a text says of the server and the machine.
func (r *reader) named(t Text) Named {
	var n Named
	rank := len(versionMarks)
	prose := map[string]int{}
	besides := map[int]Named{}                 // what stands beside the memory, by line
	types, class := map[string]bool{}, Named{} // of instances, and what the first one's name tells
	ofReplica := r.replicaLines()
	puppet := 0 // lines in which its version may still come
	beside := r.machineLines()
	for _, l := range r.lines {
		s := l.text
		if strings.Contains(s, "://") {
			s = url.ReplaceAllString(s, " ")
		}
		if m := diskMark.FindStringSubmatch(s); m != nil {
			n.Storage = strings.ToLower(m[1])
		}
		if strings.Contains(s, "PD_SSD") {
			n.Storage = "ssd"
		} else if strings.Contains(s, "PD_HDD") {
			n.Storage = "hdd"
		}
		if puppet--; puppetClass.MatchString(s) {
			puppet = 12 // the class has a dozen parameters
		}
		if n.Managed == "" && t.Form != Plain {
			n.Managed = managedBy(s)
		}
		if n.WindowsLine == 0 && windowsMark.MatchString(s) {
			n.Windows, n.WindowsLine = true, l.n
		}
		if !strings.ContainsAny(s, "0123456789") {
			continue
		}
		if m := puppetVersion.FindStringSubmatch(s); m != nil && puppet > 0 && plausible(m[1]) {
			n.Version, n.VersionLine, rank, puppet = m[1], l.n, 0, 0
		}
		if t.Form != Plain && n.RAM == 0 && !ofReplica[l.n] && classKey.MatchString(s) {
			for _, x := range cloud.Instances(s) {
				if types[x.Name] = true; x.Memory > 0 && class.RAM == 0 {
					class.RAM, class.RAMLine = uint64(x.Memory*(1<<30)), l.n
					class.CPUs = int(x.CPUs)
				}
			}
		}
		if m := ramRussian.FindStringSubmatch(s); m != nil && t.Form != Plain {
			prose[m[1]+m[3]+map[string]string{"Г": "G", "Т": "T"}[m[2]+m[4]]] = l.n
			if n.Storage == "" && strings.Contains(s, "(HDD)") && !ssdWord.MatchString(s) {
				n.Storage = "hdd"
			}
			if n.Storage == "" && ssdWord.MatchString(s) && !strings.Contains(s, "HDD") {
				n.Storage = "ssd"
			}
		}
		for i := 0; i < rank; i++ {
			if t.Form == Plain && i == len(versionMarks)-1 {
				continue // the comments of a postgresql.conf speak of other versions
			}
			m := versionMarks[i].FindStringSubmatch(s)
			if i == len(versionMarks)-1 {
				m = saidVersion(s)
			}
			if m == nil {
				continue
			}
			if v := strings.TrimRight(strings.ReplaceAll(first(m), "_", "."), "."); plausible(v) {
				n.Version, n.VersionLine, rank = v, l.n, i
			}
		}
		if m := versionRow.FindStringSubmatch(s); m != nil && t.Form == PgSettings && plausible(m[1]) && rank > 0 {
			n.Version, n.VersionLine, rank = m[1], l.n, 0
		}
		for _, mark := range ramMarks {
			if m := mark.FindStringSubmatch(s); m != nil && n.RAM == 0 {
				n.RAM, n.RAMLine = bytesOf(m[1], m[2]), l.n
			}
		}
		for _, m := range ramProse.FindAllStringSubmatch(s, 10) {
			if t.Form == Plain {
				break
			}
			for i := 1; i < len(m); i += 2 {
				if m[i] != "" {
					prose[m[i]+strings.ToUpper(m[i+1])] = l.n
					besides[l.n] = machineIn(s)
				}
			}
		}
		if m := machine.FindStringSubmatchIndex(s); m != nil && t.Form != Plain && besides[l.n].CPUs == 0 &&
			!diskWord.MatchString(s[m[1]:]) {
			prose[s[m[4]:m[5]]+strings.ToUpper(s[m[6]:m[7]])] = l.n
			besides[l.n] = machineIn(s)
		}
		if m := cpuMark.FindStringSubmatch(s); m != nil && n.CPUs == 0 {
			if c, err := strconv.Atoi(first(m)); err == nil && c > 0 && c <= 8192 {
				n.CPUs = c
			}
		}
	}
	if n.RAM == 0 && len(types) == 1 { // several are of several servers
		n.RAM, n.RAMLine, n.CPUs = class.RAM, class.RAMLine, class.CPUs
	}
	if n.RAM == 0 {
		r.limit(&n)
	}
	if n.RAM == 0 {
		r.dockerRun(&n)
	}
	if n.RAM == 0 && len(prose) == 1 { // two of them are a comparison
		for k, at := range prose {
			n.RAM, n.RAMLine = bytesOf(k[:len(k)-1], k[len(k)-1:]), at
			if n.CPUs == 0 {
				n.CPUs = besides[at].CPUs
			}
			if n.Storage == "" {
				n.Storage = besides[at].Storage
			}
			beside.about(at, &n)
		}
	}
	if n.Storage == "" {
		n.Storage = beside.remark
	}
	if rank > 0 {
		r.versionKey(t, &n)
	}
	return n
}

// machineLines is what lines of their own tell of a machine.
type machineLines struct {
	cpus   map[int]int    // by line
	disks  map[int]string // by line
	remark string         // of settings that are for some disks
}

func (r *reader) machineLines() machineLines {
	m := machineLines{cpus: map[int]int{}, disks: map[int]string{}}
	for _, l := range r.lines {
		if c := cpuLine.FindStringSubmatch(l.text); c != nil {
			if n, err := strconv.Atoi(c[1]); err == nil && n > 0 && n <= 8192 { // NR_CPUS at most
				m.cpus[l.n] = n
			}
		}
		if d := diskLine.FindStringSubmatch(l.text); d != nil {
			m.disks[l.n] = "ssd"
			if strings.EqualFold(d[1], "HDD") {
				m.disks[l.n] = "hdd"
			}
		}
		if forDisks.MatchString(l.text) && !otherDisks.MatchString(l.text) {
			m.remark = "ssd"
		}
	}
	return m
}

// about takes what stands in the lines around the one with the memory, where it is one value alone.
func (m machineLines) about(at int, n *Named) {
	const near = 4
	cpus, disks := map[int]bool{}, map[string]bool{}
	for i := at - near; i <= at+near; i++ {
		if c := m.cpus[i]; c > 0 {
			cpus[c] = true
		}
		if d := m.disks[i]; d != "" {
			disks[d] = true
		}
	}
	if n.CPUs == 0 && len(cpus) == 1 {
		for n.CPUs = range cpus {
		}
	}
	if n.Storage == "" && len(disks) == 1 {
		for n.Storage = range disks {
		}
	}
}

// replicaLines are those below a key of replicas: their instances are not the primary's.
func (r *reader) replicaLines() map[int]bool {
	out := map[int]bool{}
	for _, p := range r.pairs() {
		if strings.Contains(strings.ToLower(p.path), "replica") {
			out[p.n] = true
		}
	}
	return out
}

// saidVersion finds the version of the server in a sentence. What is so since a version, up to one, or if it is one
// says nothing of which one it is.
func saidVersion(s string) []string {
	re := versionMarks[len(versionMarks)-1]
	for _, m := range re.FindAllStringSubmatchIndex(s, 8) {
		if !onlySince.MatchString(s[:m[0]]) && !andLater.MatchString(s[m[1]:]) {
			return []string{s[m[0]:m[1]], s[m[2]:m[3]]}
		}
	}
	return nil
}

var (
	onlySince = regex.New(`(?i)(?:\b(?:since|as of|starting (?:with|from|in)|until|till|up to|prior to|before|after|` +
		`older than|newer than|later than|earlier than|than|introduced in|added in|new in|removed in|` +
		`if (?:you|it|the server) (?:are|is|use|uses|run|runs)(?: on)?|` +
		`depuis|avant|à partir de|jusqu['’]à|seit|bis|vor|ab|desde|hasta|antes de|a partir d[eo]|até|antes do|` +
		`dal|dalla|fino a|prima di|przed)|начиная с|с версии|до|после|если|[<>≤≥]=?|自|从|自从)\s*(?:the\s+)?$`)
	andLater = regex.New(`(?i)^[.\d]*(?:\+|\s*(?:\(?(?:and|or) (?:later|newer|above|up|higher|greater|earlier|older|` +
		`below|lower|before)|以降|以后|以上|以前|以下|之后|之前|及以上|及更高|이상|이하|이후|이전|` +
		`(?:и|или) (?:выше|новее|старше|позже|ниже|более)|` +
		`(?:et|ou) (?:plus|supérieur|ultérieur|suivant|antérieur)|(?:y|o|e|ou|u) (?:posterior|superior|siguiente|` +
		`anterior|mais|più|successiv|precedent)|(?:und|oder) (?:neuer|höher|später|älter|früher)|` +
		`(?:i|lub) (?:nowsz|późniejsz|wyżej|wyższ|starsz)))`)
)

// machineIn reads what a line has of a machine besides its memory.
func machineIn(s string) Named {
	var n Named
	if list := cpuProse.FindAllStringSubmatch(s, 3); len(list) == 1 {
		if c, err := strconv.Atoi(list[0][1]); err == nil && c > 0 && c <= 8192 { // NR_CPUS at most
			n.CPUs = c
		}
	}
	if ssdWord.MatchString(s) && !strings.Contains(s, "HDD") {
		n.Storage = "ssd"
	}
	return n
}

// plausible says whether a number could be a version of the server's: 7.4 to 9.6, 10 to 30.
func plausible(v string) bool {
	head, minor, _ := strings.Cut(v, ".")
	major, err := strconv.Atoi(head)
	if err != nil {
		return false
	}
	if major < 10 {
		m, _, _ := strings.Cut(minor, ".")
		k, err := strconv.Atoi(m)
		return err == nil && (major == 9 && k <= 6 || major == 8 && k <= 4)
	}
	return major <= 30
}

// versionKey takes the version out of the keys of a manifest.
func (r *reader) versionKey(t Text, n *Named) {
	for _, p := range r.pairs() {
		if v, _, _ := strings.Cut(p.value, "-"); p.key == "tag" && p.path == "image" && t.Form == Helm &&
			strings.Contains(r.text, "\nprimary:") && plausible(v) {
			n.Version, n.VersionLine = v, p.n
			return
		}
		if p.key != "version" && p.key != "postgresVersion" && p.key != "pgVersion" && p.key != "postgres_version" {
			continue
		}
		if p.key == "version" && p.parent != "postgresql" && p.parent != "postgres" {
			continue // of a chart, of a compose file
		}
		if plausible(p.value) {
			n.Version, n.VersionLine = p.value, p.n
			return
		}
	}
}

// limit takes the memory limit of a container out of a manifest or a compose file: the
// nearest to the root, as those below are of side containers.
func (r *reader) limit(n *Named) {
	best := math.MaxInt
	for _, p := range r.pairs() {
		depth := strings.Count(p.path, "/")
		ok := p.key == "memory" && (strings.HasSuffix(p.path, "resources/limits") || p.path == "limits") ||
			p.key == "mem_limit"
		if !ok || depth >= best {
			continue
		}
		for _, side := range []string{"pgbouncer", "pgBouncer", "pooler", "sidecar", "metrics", "exporter", "backup",
			"pgbackrest", "pgBackRest", "init"} {
			if strings.Contains(p.path, side) {
				ok = false
			}
		}
		m := quantity.FindStringSubmatch(p.value)
		if !ok || m == nil {
			continue
		}
		if r.sign.compose && !r.sign.kube {
			m[2] = strings.ToLower(m[2]) // docker counts by 1024
		}
		if b := quantityOf(m[1], m[2]); b > 0 {
			n.RAM, n.RAMLine, n.Limit, best = b, p.n, true, depth
			if c := r.cpuLimit(p.path); c > 0 {
				n.CPUs = c
			}
			n.HugePage, n.Huge = r.hugeLimit(p.path)
		}
	}
}

// hugeLimit is how much of huge pages of one size the limits of a container allow: «hugepages-1Gi: 4Gi».
func (r *reader) hugeLimit(path string) (page, all uint64) {
	for _, p := range r.pairs() {
		size, ok := strings.CutPrefix(p.key, "hugepages-")
		if p.path != path || !ok {
			continue
		}
		one, sum := quantity.FindStringSubmatch(size), quantity.FindStringSubmatch(p.value)
		if one == nil || sum == nil {
			continue
		}
		if b := quantityOf(sum[1], sum[2]); b > all {
			page, all = quantityOf(one[1], one[2]), b
		}
	}
	return page, all
}

// cpuLimit is how many CPUs the limits of a container allow, rounded down; 0 where they do not say, or allow less than
// one.
func (r *reader) cpuLimit(path string) int {
	for _, p := range r.pairs() {
		if p.path != path || p.key != "cpu" && p.key != "cpus" {
			continue
		}
		number, milli := strings.CutSuffix(p.value, "m")
		f, err := strconv.ParseFloat(number, 64)
		if milli {
			f /= 1000
		}
		if err == nil && f >= 1 && f <= 8192 { // NR_CPUS at most
			return int(f)
		}
	}
	return 0
}

func bytesOf(number, unit string) uint64 {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f <= 0 {
		return 0
	}
	f *= math.Exp2(float64(10 * (1 + strings.Index("KMGT", strings.ToUpper(unit)))))
	if f > 1<<50 {
		return 0
	}
	return uint64(f)
}

// quantityOf reads a quantity of Kubernetes or docker: Gi and g are powers of 1024, and so
// is G of docker; of Kubernetes it is a power of 1000, which is close enough for a limit
// that is rounded down.
func quantityOf(number, unit string) uint64 {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f <= 0 {
		return 0
	}
	switch {
	case unit == "":
	case len(unit) == 2 && unit[1] == 'i':
		f *= math.Exp2(float64(10 * (1 + strings.Index("KMGT", unit[:1]))))
	case unit == "G" || unit == "M" || unit == "K" || unit == "T":
		f *= math.Pow(1000, float64(1+strings.Index("KMGT", unit)))
	default:
		f *= math.Exp2(float64(10 * (1 + strings.Index("KMGT", strings.ToUpper(unit[:1])))))
	}
	if f > 1<<50 {
		return 0
	}
	return uint64(f)
}
