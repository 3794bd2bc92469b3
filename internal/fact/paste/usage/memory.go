// Package usage recognizes what a host does: its memory, its processes, and the samples of vmstat, iostat
// and sar.
package usage

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// meminfo of /proc/meminfo, whole or some lines of it.

var (
	// MemLine is a line of /proc/meminfo.
	MemLine   = regex.New(`^(?:->\s*)?([A-Z]\w*(?:\(\w+\))?)\s*:\s+(\d{1,19})(?: [kK]B)?$`)
	reCutLine = regex.New(`^([A-Z]\w*(?:\(\w+\))?):$`)
)

// memNames are the lines of /proc/meminfo that have a fact, with its name.
var memNames = map[string]string{"MemTotal": "memory.total", "MemFree": "memory.free",
	"MemAvailable": "memory.available",
	"Buffers":      "memory.buffers", "Cached": "memory.cached", "SwapTotal": "swap.total", "SwapFree": "swap.free",
	"SwapCached": "swap.cached", "Dirty": "memory.dirty", "Writeback": "memory.writeback",
	"AnonPages": "memory.anonymous",
	"Mapped":    "memory.mapped", "Shmem": "memory.shared", "Slab": "memory.slab",
	"SReclaimable": "memory.slab_reclaimable",
	"SUnreclaim":   "memory.slab_unreclaimable", "KernelStack": "memory.kernel_stack",
	"PageTables":  "memory.page_tables",
	"CommitLimit": "memory.commit_limit", "Committed_AS": "memory.committed",
	"AnonHugePages": "memory.transparent_huge_pages",
	"Hugepagesize":  "huge_pages.size", "Hugetlb": "huge_pages.all_sizes", "Mlocked": "memory.locked"}

var memCounts = map[string]string{"HugePages_Total": "huge_pages.total", "HugePages_Free": "huge_pages.free",
	"HugePages_Rsvd": "huge_pages.reserved", "HugePages_Surp": "huge_pages.surplus"}

// memOther are its further lines, which no other file has.
var memOther = strings.Fields(
	`Active Inactive Active(anon) Inactive(anon) Active(file) Inactive(file) Unevictable NFS_Unstable ` +
		`Bounce WritebackTmp VmallocTotal VmallocUsed VmallocChunk Percpu HardwareCorrupted ShmemHugePages CmaTo` +
		`tal CmaFree ` +
		`DirectMap4k DirectMap2M DirectMap4M DirectMap1G KReclaimable Zswap Zswapped SecPageTables Balloon Unacc` +
		`epted HighTotal ` +
		`HighFree LowTotal LowFree SwapTotal FileHugePages`)

func memKey(name string) bool {
	return memNames[name] != "" || memCounts[name] != "" || slices.Contains(memOther, name)
}

// ReadMeminfo reads /proc/meminfo, whole or some lines of it.
func ReadMeminfo(w *part.Window) (f part.Found) {
	m := MemLine.FindStringSubmatch(part.Bare(w.Text(0)))
	if m == nil || !memKey(m[1]) {
		return
	}
	seen := map[string]bool{}
	for i := range w.Lines {
		switch w.Lines[i].Is {
		case part.Elided:
			continue
		case part.Blank:
			if m := MemLine.FindStringSubmatch(part.Bare(w.Text(i + 1))); m == nil || !memKey(m[1]) || seen[m[1]] {
				goto end
			}
			continue
		}
		t := part.Bare(w.Text(i))
		m := MemLine.FindStringSubmatch(t)
		if m == nil {
			if c := reCutLine.FindStringSubmatch(t); c != nil && memKey(c[1]) {
				f.N = i + 1
				f.Notes = append(f.Notes, "the line "+c[1]+" is cut")
			}
			break
		}
		name := m[1]
		if !memKey(name) && !strings.HasSuffix(t, "B") || seen[name] && name != "HugePages_Total" {
			break
		}
		if seen[name] { // the next size, as old kernels list them
			f.N = i + 1
			continue
		}
		seen[name] = true
		f.N = i + 1
		f.Body = append(f.Body, name+": "+strings.TrimSpace(t[strings.IndexByte(t, ':')+1:]))
		if c := memCounts[name]; c != "" {
			if n, ok := amount.Whole(m[2]); ok {
				f.Add(part.Count(c, "", n))
			}
		} else if n, ok := amount.Kilobytes(m[2]); !strings.HasSuffix(t, "B") {
			f.Notes = append(f.Notes, "the line "+name+" is cut: its number may have more digits")
		} else if ok && memNames[name] != "" {
			f.Add(part.Bytes(memNames[name], "", n))
		}
	}
end:
	if !seen["MemTotal"] && len(seen) < 3 {
		f.Sure = part.Likely
	}
	return f
}

// free in all of its forms: of procps 2 to 4 and busybox, in any unit and language.

var (
	reFreeMem = regex.New(
		`^(Mem|Mem\.|Speicher|Память|Mém|Mémoire|Memoria|Memória|Bellek|Pamięć|内存|メモリ|Minne|Spch|Пам|메모리|` +
			`記憶體|BNhớ|Paměť|Geheugen|Muisti|მეხს)\.?\s*[:：]\s*(\d.*)$`)
	// the rows below it, whatever their language: swap, and the sums of -t and -l
	reFreeRow = regex.New(`^(\p{L}[^:：\d]{0,24}?)\.?\s*[:：]\s*(\d[\d.,]*[\p{L}]{0,3}(?:\s+\d[\d.,]*[\p{L}]{0,3}` +
		`){2,3})$`)
	reFreeBuff = regex.New(`^-/\+ [^:]{1,30}:\s*\d`)
	reFreeSum  = regex.New(
		`(?i)^(?:Total|Totalt|Gesamt|Всего|Итого|合計|总量|总计|總計|Razem|Celkem|Загалом|Tổng|총\s*계|ჯამი|Totale|Totaal|` +
			`Low|High|Niedrig|Hoch|Basse|Haute|Baja|Alta|Niska|Wysoka|Lågt|Högt|Comm|Dédié|Zajęta|Til|Com)$`)
	reFreeHead = regex.New(
		`(?i)\b(?:total|totalt|gesamt|totale|celkem|razem|totaal)\b.*\b(?:free|frei|libre|libero|livre|used|wolne|` +
			`liber|fritt|vrij)|всего|загалом|总计|总量|总用量|總計|合計|총계|սულ`)
	reFreeWords = regex.New(`^\p{L}[\p{L}\p{M}.'-]*(?:\s+[\p{L}\p{M}.'/-]+){2,6}$`)
	reNewFree   = regex.New(
		`(?i)avail|disponib|verfügbar|доступн|可用|利用可能|dostępn|\pL\.?/\pL|tillgängl|дост\.`)
	reOldFree  = regex.New(`(?i)cached|im cache|en caché|en cache|кэш|кеш`)
	reFreeRest = regex.New(`^\d[\d.,]*\p{L}{0,3}(?:\s+\d[\d.,]*\p{L}{0,3}){0,6}$`)
	reFreeWord = regex.New(`^[\p{L}\p{M}./-]{2,20}(?:\s+[\p{L}\p{M}./-]{2,20}){0,3}$`)
	reWideFree = regex.New(`(?i)buffers\s+cache\s+avail`)
)

// ReadFree reads free in all of its forms.
func ReadFree(w *part.Window) (f part.Found) {
	head, i := freeHead(w)
	m := reFreeMem.FindStringSubmatch(w.Text(i))
	if m == nil && i > 0 { // in a language that is not listed
		m = reFreeRow.FindStringSubmatch(w.Text(i))
		if s := reFreeRowLong.FindStringSubmatch(w.Text(i)); s != nil {
			m = s
		}
	}
	if m == nil || strings.Contains(w.Text(i), "total,") {
		return
	}
	row := strings.Fields(part.Bare(m[2]))
	// a mail program broke the row
	if n := len(strings.Fields(head)); head != "" && len(row) < n && reFreeRest.MatchString(w.Text(i+1)) {
		if more := strings.Fields(w.Text(i + 1)); len(row)+len(more) <= n {
			row = append(row, more...)
			i++
		}
	}
	if len(row) < 3 || head == "" && len(row) < 6 && !strings.HasPrefix(w.Command, "free") {
		return
	}
	base, why := freeUnit(w.Command, row)
	var nums []amount.Amount
	for _, s := range row {
		a, ok := amount.Of(s, base)
		if !ok {
			return part.Found{}
		}
		nums = append(nums, a)
	}
	names := freeColumns(head, len(row))
	for k, name := range names {
		if k < len(nums) && name != "" {
			f.Add(nums[k].Fact(name, ""))
		}
	}
	f.N = i + 1
	swapped := false
	for f.N < len(w.Lines) {
		t := part.Bare(w.Text(f.N))
		if s := reFreeRow.FindStringSubmatch(t); s != nil && !swapped && !reFreeSum.MatchString(s[1]) &&
			!memKey(s[1]) {
			swapped = true
			for k, v := range strings.Fields(s[2]) {
				if a, ok := amount.Of(v, base); ok && k < 3 {
					f.Add(a.Fact([]string{"swap.total", "swap.used", "swap.free"}[k], ""))
				}
			}
		} else if !reFreeBuff.MatchString(t) && !(s != nil && reFreeSum.MatchString(s[1])) {
			break
		}
		f.N++
	}
	if why != "" {
		f.Notes, f.Sure = append(f.Notes, why), part.Likely
	}
	if head != "" {
		f.Sure = part.Certain
	}
	return f
}

var reFreeRowLong = regex.New(
	`^(\p{L}[^:：\d]{0,24}?)\.?\s*[:：]\s*(\d[\d.,]*\p{L}{0,3}(?:\s+\d[\d.,]*\p{L}{0,3}){4,6})$`)

// freeHead reads the head, in one line or in two where a mail program broke it.
func freeHead(w *part.Window) (head string, lines int) {
	t := w.Text(0)
	if len(t) >= 200 {
		return "", 0
	}
	words := len(strings.Fields(t))
	if !(reFreeHead.MatchString(t) && words >= 3) && !(reFreeWords.MatchString(t) && words >= 5 &&
		(reNewFree.MatchString(t) || strings.HasPrefix(w.Command, "free"))) {
		return "", 0
	}
	if reFreeWord.MatchString(w.Text(1)) && reFreeMem.MatchString(w.Text(2)) {
		return t + " " + w.Text(1), 2
	}
	return t, 1
}

// freeColumns names the columns of the line of the memory.
func freeColumns(head string, n int) []string {
	three := []string{"memory.total", "memory.used", "memory.free"}
	switch {
	case reWideFree.MatchString(head) && n >= 7:
		return append(three, "memory.shared", "memory.buffers", "memory.cached", "memory.available")
	case reNewFree.MatchString(head) && n >= 7:
		return append(three, "memory.shared", "memory.buffers", "memory.cached", "memory.available")
	case reNewFree.MatchString(head):
		return append(three, "memory.shared", "memory.buff_cache", "memory.available")
	case reOldFree.MatchString(head):
		return append(three, "memory.shared", "memory.buffers", "memory.cached")
	case n == 5: // busybox, and old kernels
		return append(three, "memory.shared", "memory.buffers")
	}
	return three
}

// freeUnit is what a number without a letter counts: by the options, else by what the
// numbers can be. Then it is said.
func freeUnit(command string, row []string) (int64, string) {
	switch {
	case reOption("b|bytes").MatchString(command):
		return 1, ""
	case reOption("m|mebi").MatchString(command):
		return amount.MB, ""
	case reOption("g|gibi").MatchString(command):
		return amount.GB, ""
	case reOption("k|kibi").MatchString(command), strings.TrimSpace(command) == "free":
		return amount.KB, ""
	case reOption("mega").MatchString(command):
		return 1e6, ""
	case reOption("giga").MatchString(command):
		return 1e9, ""
	}
	total, ok := amount.Whole(row[0])
	if !ok {
		return amount.KB, "" // with letters
	}
	aligned := true
	for _, s := range row {
		if n, ok := amount.Whole(s); ok && n%amount.KB != 0 {
			aligned = false
		}
	}
	switch {
	case aligned && total >= 1<<27:
		return 1, "the unit is not in the input: bytes is assumed from the size of the numbers"
	case total < 64:
		return amount.GB, "the unit is not in the input: GB is assumed from the size of the numbers"
	case total < 100_000:
		return amount.MB, "the unit is not in the input: MB is assumed from the size of the numbers"
	}
	return amount.KB, ""
}

var options = map[string]*regex.Regex{}

func init() {
	for _, o := range []string{"b|bytes", "m|mebi", "g|gibi", "k|kibi", "mega", "giga", "h|human"} {
		short, long, both := strings.Cut(o, "|")
		expr := `free\b[^|;]*\s--` + o + `\b`
		if both {
			expr = `free\b[^|;]*\s(?:-[a-zA-Z]*` + short + `[a-zA-Z]*\b|--` + long + `\b)`
		}
		options[o] = regex.New(expr)
	}
}

func reOption(o string) *regex.Regex { return options[o] }

// vmstat -s: sums since boot, with the memory.
var reVmstatSum = regex.New(
	`^(\d{1,19}) (K|M|k|m|bytes)? ?(total memory|used memory|free memory|buffer memory|swap cache|total swap|use` +
		`d swap|free swap)$`)

var reVmstatSums = regex.New(`^\d{1,19} (?:[KMkm] )?[a-zA-Z][\w /-]{2,40}$`)

// ReadVmstatSums reads vmstat -s.
func ReadVmstatSums(w *part.Window) (f part.Found) {
	if m := reVmstatSum.FindStringSubmatch(w.Text(0)); m == nil || m[3] != "total memory" {
		return
	}
	names := map[string]string{"total memory": "memory.total", "used memory": "memory.used",
		"free memory":   "memory.free",
		"buffer memory": "memory.buffers", "swap cache": "memory.cached", "total swap": "swap.total",
		"used swap": "swap.used",
		"free swap": "swap.free"}
	for f.N < len(w.Lines) && reVmstatSums.MatchString(w.Text(f.N)) {
		if m := reVmstatSum.FindStringSubmatch(w.Text(f.N)); m != nil {
			base := map[string]int64{"K": amount.KB, "k": 1000, "M": amount.MB, "m": 1e6}[m[2]]
			if a, ok := amount.Of(m[1], max(base, 1)); ok {
				f.Add(a.Fact(names[m[3]], ""))
			}
		}
		f.N++
	}
	return f
}

var reSwapsHead = regex.New(`^(?:Filename\s+Type\s+Size\s+Used\s+Priority|NAME\s+TYPE\s+SIZE\s+USED\s+PRIO)\b`)

// a row of it, and a head in any language
var (
	reSwapsRow   = regex.New(`^/\S+\s+(?:partition|file)\s+\d{1,15}\s+\d{1,15}\s+-?\d{1,5}$`)
	reSwapsWords = regex.New(`^\p{L}[\p{L} ./-]{3,40}\s+\p{L}+\s+\p{L}+\s+\p{L}[\p{L}/ ]*\s+\p{L}+$`)
)

// ReadSwaps reads /proc/swaps, swapon -s and swapon --show.
func ReadSwaps(w *part.Window) (f part.Found) {
	switch {
	case reSwapsHead.MatchString(w.Text(0)), reSwapsWords.MatchString(w.Text(0)) && reSwapsRow.MatchString(w.Text(1)):
		f.N = 1
	case !reSwapsRow.MatchString(w.Text(0)):
		return
	}
	f.Body = []string{"Filename Type Size Used Priority"}
	var total, used int64
	step := 0.0
	for f.N < len(w.Lines) {
		c := strings.Fields(w.Text(f.N))
		if len(c) < 5 || !strings.HasPrefix(c[0], "/") {
			break
		}
		size, ok1 := amount.Of(c[2], amount.KB)
		in, ok2 := amount.Of(c[3], amount.KB)
		if !ok1 || !ok2 {
			break
		}
		f.Add(size.Fact("swap.size", c[0]), in.Fact("swap.used", c[0]), part.Word("swap.kind", c[0], c[1]))
		total, used, step = total+size.Bytes, used+in.Bytes, step+size.Step
		f.N++
	}
	f.Add(amount.Amount{Bytes: total, Step: step}.Fact("swap.total", ""),
		amount.Amount{Bytes: used, Step: step}.Fact("swap.used", ""))
	return f
}
