package hardware

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
)

// df, of coreutils and busybox, in the languages of coreutils.
var (
	reDfHead = regex.New(
		`^(?:Filesystem|File system|Dateisystem|Sys\. de fichiers|Sys\. fich\.|S\.ficheros|Sist\. Arq\.|File sys` +
			`tem|Файл\.система|Файловая система|Файлова система|文件系统|文件系統|ファイルシス|System plików|Bestandssysteem)` +
			`\s*\S.*(?:/|Mountedon|\bon\b|auf|sur|en|em|su|挂载点|マウント位置|в|na|op)\S*$`)
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
func readDfOutput(w *part.Window) (f part.Found) {
	head := strings.Fields(strings.Replace(w.Text(0), "Mounted on", "Mounted_on", 1))
	base, at := int64(amount.KB), slices.Index(head, "Mounted_on")
	if len(head) < 2 || at < 0 {
		return
	}
	for _, h := range head {
		if _, ok := dfColumns[h]; !ok {
			return
		}
		switch h {
		case "1M-blocks":
			base = amount.MB
		case "1G-blocks":
			base = amount.GB
		case "1B-blocks":
			base = 1
		}
	}
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		c := strings.Fields(w.Text(f.N))
		if len(c) != len(head) || !strings.HasPrefix(c[at], "/") {
			break
		}
		for k, h := range head {
			switch name := dfColumns[h]; name {
			case "", "at":
			case "source", "type":
				f.Add(part.Word("space."+name, c[at], c[k]))
			case "space.files", "space.files_free":
				if n, ok := amount.Whole(c[k]); ok {
					f.Add(part.Count(name, c[at], n))
				}
			default:
				if a, ok := amount.Of(c[k], base); ok {
					f.Add(a.Fact(name, c[at]))
				}
			}
		}
	}
	if f.N < 2 {
		return part.Found{}
	}
	return f
}

// readDfAIX reads df of AIX, which tells what is free before what is used.
func readDfAIX(w *part.Window) (f part.Found) {
	m := reDfAIX.FindStringSubmatch(w.Text(0))
	base := map[string]int64{"512": 512, "1024": amount.KB, "MB": amount.MB, "GB": amount.GB}[m[1]]
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		c := strings.Fields(w.Text(f.N))
		if len(c) != 7 || !strings.HasPrefix(c[6], "/") {
			break
		}
		total, ok1 := amount.Of(c[1], base)
		free, ok2 := amount.Of(c[2], base)
		if ok1 && ok2 {
			f.Add(total.Fact("space.total", c[6]), free.Fact("space.free", c[6]))
		}
		f.Add(part.Word("space.source", c[6], c[0]))
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}

// ReadDf reads df, of any system.
func ReadDf(w *part.Window) (f part.Found) {
	if reDfAIX.MatchString(w.Text(0)) {
		return readDfAIX(w)
	}
	if strings.Contains(w.Text(0), "Mounted on") && !strings.HasSuffix(w.Text(0), "% Mounted on") &&
		!strings.HasSuffix(w.Text(0), "Capacity Mounted on") && !reDfRow.MatchString(w.Text(1)) {
		if f = readDfOutput(w); f.N > 0 {
			return f
		}
	}
	head := w.Text(0)
	base := dfUnit(w.Command)
	if dfHead(w) {
		if !strings.Contains(head, "%iused") && (reInodes.MatchString(head) || reDfI.MatchString(w.Command)) {
			return readDfInodes(w)
		}
		if m := reBlocks.FindStringSubmatch(head); m != nil {
			base = map[string]int64{"512": 512, "1M": amount.MB, "1G": amount.GB, "1B": 1, "1kB": 1000, "1000": 1000,
				"1MB": 1e6, "1GB": 1e9}[m[1]+m[2]]
			if base == 0 {
				base = amount.KB
			}
		}
		f.N = 1
	} else if m := reDfRow.FindStringSubmatch(head); m == nil || !strings.Contains(m[6], "%") {
		return
	} else {
		f.Sure = part.Likely
	}
	rows := 0
	for f.N < len(w.Lines) {
		t := part.Bare(w.Text(f.N))
		more := 1
		if reDfLong.MatchString(t) && reDfRow.MatchString(t+" "+w.Text(f.N+1)) { // a long name has a line of its own
			t += " " + w.Text(f.N+1)
			more = 2
		}
		m := reDfRow.FindStringSubmatch(t)
		if m == nil {
			if w.Lines[f.N].Is == part.Elided || strings.HasPrefix(t, "map ") { // what macOS mounts on demand
				f.N++
				continue
			}
			break
		}
		at := m[9]
		for k, name := range []string{"space.total", "space.used", "space.free"} {
			if a, ok := amount.Of(m[3+k], base); ok {
				f.Add(a.Fact(name, at))
			}
		}
		used, ok1 := amount.Whole(m[7])
		free, ok2 := amount.Whole(m[8])
		if ok1 && ok2 && used <= amount.Max-min(free, amount.Max) {
			f.Add(part.Count("space.files", at, used+free), part.Count("space.files_free", at, free))
		}
		f.Add(part.Word("space.source", at, m[1]))
		if m[2] != "" {
			f.Add(part.Word("space.type", at, m[2]))
		}
		f.N += more
		rows++
	}
	if rows == 0 {
		return part.Found{}
	}
	return f
}

// dfUnit is the unit of the numbers that df prints, by what it was asked for.
func dfUnit(command string) int64 {
	m := reDfUnit.FindStringSubmatch(command)
	if m == nil {
		return amount.KB
	}
	return map[string]int64{"k": amount.KB, "m": amount.MB, "g": amount.GB, "1K": amount.KB, "K": amount.KB,
		"1M": amount.MB, "M": amount.MB,
		"1G": amount.GB, "G": amount.GB, "1": 1, "kB": 1000, "MB": 1e6, "GB": 1e9}[m[1]+m[2]]
}

var reDfUnit = regex.New(`\bdf\b[^|;]*\s(?:-[a-zA-Z]*([kmg])\b|(?:-[a-zA-Z]*B ?|--block-size[= ])` +
	`(1[KMG]?|[KMG]|kB|MB|GB)\b)`)

var reDfI = regex.New(`\bdf\b[^|;]*\s(?:-[a-zA-Z]*i\b|--inodes)`)

// dfHead says whether the head of df stands here, in any language: words above a row of it.
func dfHead(w *part.Window) bool {
	t := w.Text(0)
	if reDfHead.MatchString(t) {
		return true
	}
	if !reDfWords.MatchString(t) || len(strings.Fields(t)) < 5 || reDfRow.MatchString(t) {
		return false
	}
	row := part.Bare(w.Text(1))
	if reDfLong.MatchString(row) {
		row += " " + w.Text(2)
	}
	m := reDfRow.FindStringSubmatch(row)
	return m != nil && strings.Contains(m[6], "%") &&
		(strings.Contains(t, "%") || strings.HasPrefix(w.Command, "df") || reBlocks.MatchString(t))
}

// readDfInodes reads df -i.
func readDfInodes(w *part.Window) (f part.Found) {
	f.N = 1
	for f.N < len(w.Lines) {
		c := strings.Fields(w.Text(f.N))
		if len(c) < 6 || !strings.HasPrefix(c[len(c)-1], "/") {
			break
		}
		at := c[len(c)-1]
		total, ok1 := amount.Whole(c[1])
		free, ok2 := amount.Whole(c[3])
		if ok1 && ok2 {
			f.Add(part.Count("space.files", at, total), part.Count("space.files_free", at, free))
		}
		f.N++
	}
	if f.N == 1 {
		return part.Found{}
	}
	return f
}

// lsblk.
var (
	reLsblkHead = regex.New(`^NAME\s+(?:[A-Z]\S*\s*)*(?:SIZE|FSTYPE|MOUNTPOINTS?|ROTA|MAJ:MIN)\b`)
	reLsblkRow  = regex.New(`^(?:[\s│├└─|\x60-]*)[a-zA-Z][\w.!+-]{0,127}\s+\d{1,4}:\d{1,7}\s+[01]\s+` +
		`[\d.,]{1,8}[BKMGTP]?\s+[01]\s+(?:disk|part|lvm|crypt|mpath|loop|rom|dm|raid\w{1,6})(?:\s|$)`)
	reDiskName = regex.New(`^[a-zA-Z/][\w.!:/+-]{0,127}$`)
)

// ReadLsblk reads lsblk.
func ReadLsblk(w *part.Window) (f part.Found) {
	var head table.Columns
	switch {
	case reLsblkHead.MatchString(w.Text(0)):
		head = table.ColumnsOf(w.Lines[0].Indented)
		f.N = 1
	case strings.Contains(w.Text(0), ":") && reLsblkRow.MatchString(w.Text(0)):
		head = table.ColumnsOf("NAME MAJ:MIN RM SIZE RO TYPE MOUNTPOINT")
		f.Sure = part.Likely
	default:
		return
	}
	first, last := f.N, ""
	for f.N < len(w.Lines) && w.Lines[f.N].Is == part.Content {
		l := w.Lines[f.N].Indented
		c := head.Cut(l)
		name := table.Tree.ReplaceAllString(c["NAME"], "")
		fields := strings.Fields(table.Tree.ReplaceAllString(l, ""))
		if len(fields) == 1 && name == fields[0] && reDiskName.MatchString(name) && head.At("MAJ:MIN") < 0 {
			f.N++ // nothing is said of it
			continue
		}
		if len(fields) < 2 || name == "" && len(fields) == 1 {
			if len(fields) == 1 && strings.HasPrefix(fields[0], "/") { // a further mount point
				if last != "" && head.At("MOUNTPOINTS") >= 0 {
					f.Add(part.Word("disk.mount", last, fields[0]))
				}
				f.N++
				continue
			}
			break
		}
		name = fields[0]
		if !reDiskName.MatchString(name) {
			break
		}
		if head.At("MAJ:MIN") >= 0 && !strings.Contains(fields[1], ":") {
			break
		}
		if head.At("MAJ:MIN") == 1 && head.At("TYPE") == 5 && len(fields) >= 6 { // without empty columns
			c = map[string]string{"SIZE": fields[3], "TYPE": fields[5]}
			if len(fields) > 6 {
				c["MOUNTPOINT"] = fields[6]
			}
		}
		last = name
		if a, ok := amount.Of(c["SIZE"], 1); ok {
			a.Step = max(a.Step, stepOf(c["SIZE"]))
			f.Add(a.Fact("disk.size", name))
		}
		for _, x := range [][2]string{{"TYPE", "disk.kind"}, {"FSTYPE", "disk.filesystem"},
			{"MOUNTPOINT", "disk.mount"},
			{"MOUNTPOINTS", "disk.mount"}, {"MODEL", "disk.model"}, {"SCHED", "disk.scheduler"}} {
			// A note that a person put behind a row is no place.
			if v := strings.TrimSpace(c[x[0]]); v != "" && (x[1] != "disk.mount" || v[0] == '/' || v[0] == '[') {
				f.Add(part.Word(x[1], name, v))
			}
		}
		if a, ok := amount.Of(c["FSAVAIL"], 1); ok {
			f.Add(a.Fact("disk.filesystem_free", name))
		}
		if v := c["ROTA"]; v == "0" || v == "1" {
			f.Add(part.Word("disk.rotational", name, map[string]string{"0": "no", "1": "yes"}[v]))
		}
		f.N++
	}
	if f.N == first {
		return part.Found{}
	}
	return f
}

// stepOf is the step of a size that lsblk prints with a letter.
func stepOf(s string) float64 {
	a, ok := amount.Of(s, 1)
	if !ok {
		return 0
	}
	return a.Step
}

// mount, findmnt, /proc/mounts, mountinfo and fstab.
var (
	reMounted   = regex.New(`^(\S+) on (/\S*) type (\S+) \(([^)]*)\)`)
	reFindHead  = regex.New(`^TARGET\s+SOURCE\s+FSTYPE`)
	reMountinfo = regex.New(`^\d+ \d+ \d+:\d+ /\S* /\S* \S+ (?:\S+ )*- \S+ \S+ \S+$`)
	reFstab     = regex.New(
		`^((?:UUID|LABEL|PARTUUID|PARTLABEL|ID)=\S+|/dev/\S+|//\S+|tmpfs|proc|sysfs|devpts|hugetlbfs|nodev|none|` +
			`[\w.-]+:/\S*|[\w-]+(?:/[\w-]+)+)\s+(/\S*|swap|none)\s+(\S+)\s+(\S+)(?:\s+(\d)(?:\s+(\d))?)?(?:\s+#.*)?$`)
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

// ReadMount reads mount.
func ReadMount(w *part.Window) (f part.Found) {
	for f.N < len(w.Lines) {
		m := reMounted.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		f.Add(part.Word("mount.type", m[2], m[3]), part.Word("mount.source", m[2], m[1]),
			part.Word("mount.options", m[2], m[4]))
		f.N++
	}
	return f
}

// ReadFindmnt reads findmnt.
func ReadFindmnt(w *part.Window) (f part.Found) {
	if !reFindHead.MatchString(w.Text(0)) {
		return
	}
	f.N = 1
	for f.N < len(w.Lines) && w.Lines[f.N].Is == part.Content {
		c := strings.Fields(table.Tree.ReplaceAllString(w.Lines[f.N].Indented, ""))
		if len(c) < 3 || !strings.HasPrefix(c[0], "/") {
			break
		}
		f.Add(part.Word("mount.source", c[0], c[1]), part.Word("mount.type", c[0], c[2]))
		if len(c) > 3 {
			f.Add(part.Word("mount.options", c[0], c[3]))
		}
		f.N++
	}
	return f
}

// ReadMountinfo reads /proc/self/mountinfo.
func ReadMountinfo(w *part.Window) (f part.Found) {
	if !reMountinfo.MatchString(w.Text(0)) {
		return
	}
	for f.N < len(w.Lines) && reMountinfo.MatchString(w.Text(f.N)) {
		if m, err := host.ParseMounts([]byte(w.Text(f.N))); err == nil && len(m) == 1 {
			f.Add(part.Word("mount.type", m[0].Point, m[0].FSType), part.Word("mount.source", m[0].Point, m[0].Source),
				part.Word("mount.options", m[0].Point, strings.Join(m[0].Options, ",")))
		}
		f.Body = append(f.Body, w.Text(f.N))
		f.N++
	}
	return f
}

// ReadFstab reads /etc/fstab and /proc/mounts, which have one form.
func ReadFstab(w *part.Window) (f part.Found) {
	rows, all := 0, 0
	headed := false
	for i := 0; i < len(w.Lines); i++ {
		t := w.Text(i)
		switch {
		case w.Lines[i].Is == part.Blank:
			continue
		case strings.HasPrefix(t, "#"):
			if i == 0 && !reFstabHead.MatchString(t) && !fstabFollows(w) {
				return part.Found{}
			}
			headed = headed || reFstabHead.MatchString(t)
			f.N = i + 1
			f.Body = append(f.Body, t)
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
		f.N = i + 1
		f.Body = append(f.Body, t)
		at := m[2]
		f.Add(part.Word("mount.source", at, m[1]), part.Word("mount.type", at, m[3]),
			part.Word("mount.options", at, m[4]))
	}
	if rows == 0 && !headed {
		return part.Found{}
	}
	if !headed && (strings.Contains(w.Command, "/mounts") || all == rows && rows > 3) {
		f.Kind = part.Mounts
	}
	if !headed && !strings.Contains(w.Command, "fstab") {
		f.Sure = part.Likely
	}
	return f
}

// fstabFollows says whether lines of fstab follow the remarks at its head.
func fstabFollows(w *part.Window) bool {
	if strings.Contains(w.Command, "fstab") || strings.Contains(w.Name, "fstab") && w.Whole {
		return true
	}
	for i := 0; i < len(w.Lines) && i < 20; i++ {
		t := w.Text(i)
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
