package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// df, of coreutils and busybox, in the languages of coreutils.
var (
	reDfHead = regex.New(
		`^(?:Filesystem|File system|Dateisystem|Sys\. de fichiers|Sys\. fich\.|S\.ficheros|Sist\. Arq\.|File sys` +
			`tem|Файл\.система|Файловая система|Файлова система|文件系统|文件系統|ファイルシス|System plików|Bestandssysteem)` +
			`\s+\S.*(?:/|\bon\b|auf|sur|en|em|su|挂载点|マウント位置|в|na|op)\S*$`)
	reDfRow = regex.New(
		`^(\S+)\s+(?:([a-z][\w.-]{1,20})\s+)?([\d.,]+[KMGTPkmgtiB]{0,3}|-)\s+([\d.,]+[KMGTPkmgtiB]{0,3}|-)\s+(-?` +
			`[\d.,]+[KMGTPkmgtiB]{0,3}|-)\s+(\d{1,3}%|-)\s+(?:(\d[\d.]*[kMGT]?)\s+(\d[\d.]*[kMGT]?)\s+` +
			`(?:\d{1,3}%|-)\s+)?(/\S*)`) // on macOS and with -i on FreeBSD, the inodes stand in the same row
	reDfAIX   = regex.New(`^Filesystem\s+(512|1024|MB|GB)[- ]blocks\s+Free\s+%Used\s+Iused\s+%Iused\s+Mounted on$`)
	reDfLong  = regex.New(`^/\S+$|^\S+:/\S*$`)
	reDfWords = regex.New(`^\p{L}[^=|{}\[\]();"]{12,160}$`)
	reInodes  = regex.New(
		`(?i)\bI-?nod|\bNod[eo]s-i|\bInœuds|\bInós|\bInoduri|i-?uzl|iwęzły|Iノード|Iнодов|I-възли|І-вузлів|` +
			`И-чворови|I-solmu|I-kirjeid|\bInóid|\bIUse%`)
	reBlocks = regex.New(`(?:^|\s|\pL)(1K|1024|512|1M|1G|1B|1kB|1MB|1GB|1000)(?:[ -]|的)?\p{L}|\s\p{L}+ (?:de|d’)` +
		` ?(1K|1024|512|1M|1G)\b`)
)

// dfColumns are the names that df --output has for columns.
var dfColumns = map[string]string{"Filesystem": "source", "Type": "type", "Size": "space.total",
	"1K-blocks": "space.total",
	"Used":      "space.used", "Avail": "space.free", "Available": "space.free", "Use%": "", "Capacity": "",
	"Inodes": "space.files", "IUsed": "", "IFree": "space.files_free", "IUse%": "", "File": "", "Mounted_on": "at",
	"1M-blocks": "space.total", "1G-blocks": "space.total", "1B-blocks": "space.total"}

// readDfOutput reads df --output, whose columns stand in any order.
func readDfOutput(w *window) (f found) {
	head := strings.Fields(strings.Replace(w.t(0), "Mounted on", "Mounted_on", 1))
	base, at := int64(kb), index(head, "Mounted_on")
	if len(head) < 2 || at < 0 {
		return
	}
	for _, h := range head {
		if _, ok := dfColumns[h]; !ok {
			return
		}
		switch h {
		case "1M-blocks":
			base = mb
		case "1G-blocks":
			base = gb
		case "1B-blocks":
			base = 1
		}
	}
	for f.n = 1; f.n < len(w.lines); f.n++ {
		c := strings.Fields(w.t(f.n))
		if len(c) != len(head) || !strings.HasPrefix(c[at], "/") {
			break
		}
		for k, h := range head {
			switch name := dfColumns[h]; name {
			case "", "at":
			case "source", "type":
				f.add(word("space."+name, c[at], c[k]))
			case "space.files", "space.files_free":
				if n, ok := whole(c[k]); ok {
					f.add(count(name, c[at], n))
				}
			default:
				if a, ok := amountOf(c[k], base); ok {
					f.add(a.fact(name, c[at]))
				}
			}
		}
	}
	if f.n < 2 {
		return found{}
	}
	return f
}

// readDfAIX reads df of AIX, which tells what is free before what is used.
func readDfAIX(w *window) (f found) {
	m := reDfAIX.FindStringSubmatch(w.t(0))
	base := map[string]int64{"512": 512, "1024": kb, "MB": mb, "GB": gb}[m[1]]
	for f.n = 1; f.n < len(w.lines); f.n++ {
		c := strings.Fields(w.t(f.n))
		if len(c) != 7 || !strings.HasPrefix(c[6], "/") {
			break
		}
		total, ok1 := amountOf(c[1], base)
		free, ok2 := amountOf(c[2], base)
		if ok1 && ok2 {
			f.add(total.fact("space.total", c[6]), free.fact("space.free", c[6]))
		}
		f.add(word("space.source", c[6], c[0]))
	}
	if len(f.facts) == 0 {
		return found{}
	}
	return f
}

func readDf(w *window) (f found) {
	if reDfAIX.MatchString(w.t(0)) {
		return readDfAIX(w)
	}
	if strings.Contains(w.t(0), "Mounted on") && !strings.HasSuffix(w.t(0), "% Mounted on") &&
		!strings.HasSuffix(w.t(0), "Capacity Mounted on") && !reDfRow.MatchString(w.t(1)) {
		if f = readDfOutput(w); f.n > 0 {
			return f
		}
	}
	head := w.t(0)
	base := int64(kb)
	if dfHead(w) {
		if !strings.Contains(head, "%iused") && (reInodes.MatchString(head) || reDfI.MatchString(w.command)) {
			return readDfInodes(w)
		}
		if m := reBlocks.FindStringSubmatch(head); m != nil {
			base = map[string]int64{"512": 512, "1M": mb, "1G": gb, "1B": 1, "1kB": 1000, "1000": 1000, "1MB": 1e6,
				"1GB": 1e9}[m[1]+m[2]]
			if base == 0 {
				base = kb
			}
		}
		f.n = 1
	} else if m := reDfRow.FindStringSubmatch(head); m == nil || !strings.Contains(m[6], "%") {
		return
	} else {
		f.sure = Likely
	}
	rows := 0
	for f.n < len(w.lines) {
		t := bare(w.t(f.n))
		more := 1
		if reDfLong.MatchString(t) && reDfRow.MatchString(t+" "+w.t(f.n+1)) { // a long name has a line of its own
			t += " " + w.t(f.n+1)
			more = 2
		}
		m := reDfRow.FindStringSubmatch(t)
		if m == nil {
			if w.lines[f.n].is == elided || strings.HasPrefix(t, "map ") { // what macOS mounts on demand
				f.n++
				continue
			}
			break
		}
		at := m[9]
		for k, name := range []string{"space.total", "space.used", "space.free"} {
			if a, ok := amountOf(m[3+k], base); ok {
				f.add(a.fact(name, at))
			}
		}
		used, ok1 := whole(m[7])
		free, ok2 := whole(m[8])
		if ok1 && ok2 && used <= maxAmount-min(free, maxAmount) {
			f.add(count("space.files", at, used+free), count("space.files_free", at, free))
		}
		f.add(word("space.source", at, m[1]))
		if m[2] != "" {
			f.add(word("space.type", at, m[2]))
		}
		f.n += more
		rows++
	}
	if rows == 0 {
		return found{}
	}
	return f
}

var reDfI = regex.New(`\bdf\b[^|;]*\s(?:-[a-zA-Z]*i\b|--inodes)`)

// dfHead says whether the head of df stands here, in any language: words above a row of it.
func dfHead(w *window) bool {
	t := w.t(0)
	if reDfHead.MatchString(t) {
		return true
	}
	if !reDfWords.MatchString(t) || len(strings.Fields(t)) < 5 || reDfRow.MatchString(t) {
		return false
	}
	row := bare(w.t(1))
	if reDfLong.MatchString(row) {
		row += " " + w.t(2)
	}
	m := reDfRow.FindStringSubmatch(row)
	return m != nil && strings.Contains(m[6], "%") &&
		(strings.Contains(t, "%") || strings.HasPrefix(w.command, "df") || reBlocks.MatchString(t))
}

// readDfInodes reads df -i.
func readDfInodes(w *window) (f found) {
	f.n = 1
	for f.n < len(w.lines) {
		c := strings.Fields(w.t(f.n))
		if len(c) < 6 || !strings.HasPrefix(c[len(c)-1], "/") {
			break
		}
		at := c[len(c)-1]
		total, ok1 := whole(c[1])
		free, ok2 := whole(c[3])
		if ok1 && ok2 {
			f.add(count("space.files", at, total), count("space.files_free", at, free))
		}
		f.n++
	}
	if f.n == 1 {
		return found{}
	}
	return f
}

// lsblk.
var (
	reLsblkHead = regex.New(`^NAME\s+(?:[A-Z]\S*\s*)*(?:SIZE|FSTYPE|MOUNTPOINTS?|ROTA|MAJ:MIN)\b`)
	reLsblkRow  = regex.New(`^(?:[\s│├└─|\x60-]*)[a-zA-Z][\w.!+-]{0,127}\s+\d{1,4}:\d{1,7}\s+[01]\s+` +
		`[\d.,]{1,8}[BKMGTP]?\s+[01]\s+(?:disk|part|lvm|crypt|mpath|loop|rom|dm|raid\w{1,6})(?:\s|$)`)
	reDiskName = regex.New(`^[a-zA-Z/][\w.!:/+-]{0,127}$`)
	reTree     = regex.New("^[\\s│├└─|`-]*(?:\\\\_ )?")
)

func readLsblk(w *window) (f found) {
	var head columns
	switch {
	case reLsblkHead.MatchString(w.t(0)):
		head = columnsOf(w.lines[0].text)
		f.n = 1
	case strings.Contains(w.t(0), ":") && reLsblkRow.MatchString(w.t(0)):
		head = columnsOf("NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT")
		f.sure = Likely
	default:
		return
	}
	first := f.n
	for f.n < len(w.lines) && w.lines[f.n].is == content {
		l := w.lines[f.n].text
		c := head.cut(l)
		name := reTree.ReplaceAllString(c["NAME"], "")
		fields := strings.Fields(reTree.ReplaceAllString(l, ""))
		if len(fields) == 1 && name == fields[0] && reDiskName.MatchString(name) && head.at("MAJ:MIN") < 0 {
			f.n++ // nothing is said of it
			continue
		}
		if len(fields) < 2 || name == "" && len(fields) == 1 {
			if len(fields) == 1 && strings.HasPrefix(fields[0], "/") { // a further mount point
				f.n++
				continue
			}
			break
		}
		name = fields[0]
		if !reDiskName.MatchString(name) {
			break
		}
		if head.at("MAJ:MIN") >= 0 && !strings.Contains(fields[1], ":") {
			break
		}
		if head.at("MAJ:MIN") == 1 && head.at("TYPE") == 5 && len(fields) >= 6 { // without empty columns
			c = map[string]string{"SIZE": fields[3], "TYPE": fields[5]}
			if len(fields) > 6 {
				c["MOUNTPOINT"] = fields[6]
			}
		}
		if a, ok := amountOf(c["SIZE"], 1); ok {
			a.step = max(a.step, stepOf(c["SIZE"]))
			f.add(a.fact("disk.size", name))
		}
		for _, x := range [][2]string{{"TYPE", "disk.kind"}, {"FSTYPE", "disk.filesystem"},
			{"MOUNTPOINT", "disk.mount"},
			{"MOUNTPOINTS", "disk.mount"}, {"MODEL", "disk.model"}, {"SCHED", "disk.scheduler"}} {
			if v := strings.TrimSpace(c[x[0]]); v != "" {
				f.add(word(x[1], name, v))
			}
		}
		if a, ok := amountOf(c["FSAVAIL"], 1); ok {
			f.add(a.fact("disk.filesystem_free", name))
		}
		if v := c["ROTA"]; v == "0" || v == "1" {
			f.add(word("disk.rotational", name, map[string]string{"0": "no", "1": "yes"}[v]))
		}
		f.n++
	}
	if f.n == first {
		return found{}
	}
	return f
}

// stepOf is the step of a size that lsblk prints with a letter.
func stepOf(s string) float64 {
	a, ok := amountOf(s, 1)
	if !ok {
		return 0
	}
	return a.step
}

// columns are the names of a head with the places where they begin.
type columns struct {
	names []string
	from  []int
}

func columnsOf(head string) columns {
	var c columns
	runes := []rune(head)
	for i := 0; i < len(runes); {
		if runes[i] == ' ' || runes[i] == '\t' {
			i++
			continue
		}
		j := i
		for j < len(runes) && runes[j] != ' ' && runes[j] != '\t' {
			j++
		}
		c.names, c.from = append(c.names, string(runes[i:j])), append(c.from, i)
		i = j
	}
	return c
}

func (c columns) at(name string) int {
	for i, n := range c.names {
		if n == name {
			return i
		}
	}
	return -1
}

// cut parts a row at the places of the head. A value that stands to the right begins
// before its name: the blanks around it tell where.
func (c columns) cut(row string) map[string]string {
	out := map[string]string{}
	runes := []rune(row)
	start := 0
	for i, n := range c.names {
		end := len(runes)
		if i+1 < len(c.names) {
			end = min(c.from[i+1], len(runes))
			for end > start && end < len(runes) && runes[end-1] != ' ' {
				end--
			}
		}
		if start < end {
			out[n] = strings.TrimSpace(string(runes[start:end]))
		}
		start = max(start, end)
	}
	return out
}

// mount, findmnt, /proc/mounts, mountinfo and fstab.
var (
	reMounted   = regex.New(`^(\S+) on (/\S*) type (\S+) \(([^)]*)\)`)
	reFindHead  = regex.New(`^TARGET\s+SOURCE\s+FSTYPE`)
	reMountinfo = regex.New(`^\d+ \d+ \d+:\d+ /\S* /\S* \S+ (?:\S+ )*- \S+ \S+ \S+$`)
	reFstab     = regex.New(
		`^((?:UUID|LABEL|PARTUUID|PARTLABEL|ID)=\S+|/dev/\S+|//\S+|tmpfs|proc|sysfs|devpts|none|[\w.-]+:/\S*|[\w` +
			`-]+(?:/[\w-]+)+)\s+(/\S*|swap|none)\s+(\S+)\s+(\S+)(?:\s+(\d)(?:\s+(\d))?)?(?:\s+#.*)?$`)
	reMounts    = regex.New(`^(\S+) (/\S*) ([\w.]{1,32}) ((?:rw|ro)(?:,\S*)?) 0 0$`) // /proc/mounts, of any source
	reFstabHead = regex.New(`^# /etc/fstab`)
	fsTypes     = map[string]bool{}
)

func init() {
	for _, t := range strings.Fields(
		`ext2 ext3 ext4 xfs btrfs zfs nfs nfs4 tmpfs swap proc sysfs devpts devtmpfs cgroup cgroup2 auto vfat ` +
			`iso9660 overlay cifs ceph glusterfs jfs reiserfs f2fs hugetlbfs udf,iso9660 ntfs none`) {
		fsTypes[t] = true
	}
}

func readMount(w *window) (f found) {
	for f.n < len(w.lines) {
		m := reMounted.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		f.add(word("mount.type", m[2], m[3]), word("mount.source", m[2], m[1]), word("mount.options", m[2], m[4]))
		f.n++
	}
	return f
}

func readFindmnt(w *window) (f found) {
	if !reFindHead.MatchString(w.t(0)) {
		return
	}
	f.n = 1
	for f.n < len(w.lines) && w.lines[f.n].is == content {
		c := strings.Fields(reTree.ReplaceAllString(w.lines[f.n].text, ""))
		if len(c) < 3 || !strings.HasPrefix(c[0], "/") {
			break
		}
		f.add(word("mount.source", c[0], c[1]), word("mount.type", c[0], c[2]))
		if len(c) > 3 {
			f.add(word("mount.options", c[0], c[3]))
		}
		f.n++
	}
	return f
}

func readMountinfo(w *window) (f found) {
	if !reMountinfo.MatchString(w.t(0)) {
		return
	}
	for f.n < len(w.lines) && reMountinfo.MatchString(w.t(f.n)) {
		if m, err := host.ParseMounts([]byte(w.t(f.n))); err == nil && len(m) == 1 {
			f.add(word("mount.type", m[0].Point, m[0].FSType), word("mount.source", m[0].Point, m[0].Source),
				word("mount.options", m[0].Point, strings.Join(m[0].Options, ",")))
		}
		f.body = append(f.body, w.t(f.n))
		f.n++
	}
	return f
}

// readFstab reads /etc/fstab and /proc/mounts, which have one form.
func readFstab(w *window) (f found) {
	rows, all := 0, 0
	headed := false
	for i := 0; i < len(w.lines); i++ {
		t := w.t(i)
		switch {
		case w.lines[i].is == blank:
			continue
		case strings.HasPrefix(t, "#"):
			if i == 0 && !reFstabHead.MatchString(t) && !fstabFollows(w) {
				return found{}
			}
			headed = headed || reFstabHead.MatchString(t)
			f.n = i + 1
			f.body = append(f.body, t)
			continue
		}
		m := reFstab.FindStringSubmatch(t)
		if m == nil || !fsTypes[m[3]] && !fsTypes[strings.Split(m[3], ",")[0]] {
			if m = reMounts.FindStringSubmatch(t); m == nil {
				break
			}
		}
		rows++
		if strings.HasPrefix(m[4], "rw,") || strings.HasPrefix(m[4], "ro,") {
			all++
		}
		f.n = i + 1
		f.body = append(f.body, t)
		at := m[2]
		f.add(word("mount.source", at, m[1]), word("mount.type", at, m[3]), word("mount.options", at, m[4]))
	}
	if rows == 0 && !headed {
		return found{}
	}
	if !headed && (strings.Contains(w.command, "/mounts") || all == rows && rows > 3) {
		f.kind = Mounts
	}
	if !headed && !strings.Contains(w.command, "fstab") {
		f.sure = Likely
	}
	return f
}

// fstabFollows says whether lines of fstab follow the remarks at its head.
func fstabFollows(w *window) bool {
	if strings.Contains(w.command, "fstab") || strings.Contains(w.name, "fstab") && w.whole {
		return true
	}
	for i := 0; i < len(w.lines) && i < 20; i++ {
		t := w.t(i)
		if reFstabHead.MatchString(t) {
			return true
		}
		if m := reFstab.FindStringSubmatch(t); m != nil && fsTypes[m[3]] {
			return true
		}
		if t != "" && !strings.HasPrefix(t, "#") {
			return false
		}
	}
	return false
}
