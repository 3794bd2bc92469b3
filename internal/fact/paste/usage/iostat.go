package usage

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// iostat, with and without -x, in kB or MB.
var (
	reSysstat = regex.New(`^Linux (\d\S+) \(([^)]{1,255})\)\s+\S.{0,40}?\s+_(\w+)_\s+\((\d+) CPUs?\)$`)
	reAvgCPU  = regex.New(`^avg-cpu:\s+%user\s+%nice\s+%system\s+%iowait\s+%steal\s+%idle`)
	reDevices = regex.New(`^Device:?\s+\S`)
	reNumbers = regex.New(`^[\d.,]+(?:\s+[\d.,]+){5}$`)
	reDevice  = regex.New(`^[a-zA-Z][\w/.!:-]{0,63}(?:\s+\d[\d.,]*){2,24}$`)
	reClock   = regex.New(`^\d\d[/.]\d\d[/.]\d{2,4} \d\d:\d\d:\d\d(?: [AP]M)?$`)
)

// deviceFacts are columns of iostat with the factor to the unit of their fact.
var deviceFacts = map[string]struct {
	name, unit string
	by         float64
}{
	"%util": {"device.util", "percent", 1}, "await": {"device.await", "", 1}, "r_await": {"device.read_await", "", 1},
	"w_await": {"device.write_await", "", 1}, "tps": {"device.transfers", "", 1}, "r/s": {"device.reads", "", 1},
	"w/s": {"device.writes", "", 1}, "rkB/s": {"device.read", "bytes/s", amount.KB},
	"wkB/s": {"device.written", "bytes/s", amount.KB},
	"rMB/s": {"device.read", "bytes/s", amount.MB}, "wMB/s": {"device.written", "bytes/s", amount.MB},
	"kB_read/s": {"device.read", "bytes/s", amount.KB}, "kB_wrtn/s": {"device.written", "bytes/s", amount.KB},
	"MB_read/s": {"device.read", "bytes/s", amount.MB}, "MB_wrtn/s": {"device.written", "bytes/s", amount.MB},
	"aqu-sz": {"device.queue", "", 1}, "avgqu-sz": {"device.queue", "", 1},
}

// ReadIostat reads iostat, with and without -x.
func ReadIostat(w *part.Window) (f part.Found) {
	if m := reSysstat.FindStringSubmatch(w.Text(0)); m != nil {
		k := 1
		for k < len(w.Lines) && w.Lines[k].Is == part.Blank {
			k++
		}
		if !reAvgCPU.MatchString(w.Text(k)) && !reDevices.MatchString(w.Text(k)) && !reClock.MatchString(w.Text(k)) {
			return
		}
		f.N, f.Host = 1, m[2]
		n, _ := amount.Whole(m[4])
		f.Add(part.Word("kernel.release", "", m[1]), part.Count("cpu.logical", "", n),
			part.Word("cpu.architecture", "", m[3]))
	} else if !reAvgCPU.MatchString(w.Text(0)) {
		if !reDevices.MatchString(w.Text(0)) {
			return
		}
		if _, n := deviceHead(w, 0); !reDevice.MatchString(w.Text(n)) {
			return
		}
	}
	var head []string
	var full []part.Fact // of the report before, whose rows are not cut
	cpu, cut := false, false
	reports := int64(0)
	defer func() {
		if cut && len(full) > 0 {
			drop(&f, "device.")
			f.Add(full...)
		}
	}()
	for i := f.N; i < len(w.Lines); i++ {
		t := w.Text(i)
		switch {
		case w.Lines[i].Is == part.Blank, w.Lines[i].Is == part.Elided:
			continue
		case reClock.MatchString(t):
		case reAvgCPU.MatchString(t):
			cpu = true
			reports++
			drop(&f, "cpu.user", "cpu.system", "cpu.iowait", "cpu.steal", "cpu.idle")
		case cpu && reNumbers.MatchString(t):
			cpu = false
			for k, s := range strings.Fields(t) {
				name := []string{"cpu.user", "", "cpu.system", "cpu.iowait", "cpu.steal", "cpu.idle"}[k]
				if v, ok := amount.Decimal(s); ok && name != "" {
					f.Add(part.Percent(name, "", v))
				}
			}
		case reDevices.MatchString(t):
			t, n := deviceHead(w, i)
			head = strings.Fields(t)
			i += n - 1
			if !cut {
				full = named(&f, "device.")
			}
			cut = false
			drop(&f, "device.")
		case head != nil && reDevice.MatchString(t):
			t, n := deviceRow(w, i, len(head))
			i += n - 1
			c := strings.Fields(t)
			cut = cut || len(c) < len(head)
			for k := 1; k < len(c) && k < len(head); k++ {
				d, ok := deviceFacts[head[k]]
				v, isNum := amount.Decimal(c[k])
				if !ok || !isNum {
					continue
				}
				x := part.Fact{Name: d.name, Of: c[0], Value: v * d.by, Unit: d.unit}
				if d.unit == "bytes/s" {
					x.Value = int64(math.Round(v * d.by))
				}
				if strings.HasSuffix(d.name, "await") {
					x.Unit = "ms"
				}
				f.Add(x)
			}
		default:
			return reported(&f, reports)
		}
		f.N = i + 1
	}
	return reported(&f, reports)
}

// deviceColumns are the names of all columns of iostat.
var deviceColumns = map[string]bool{}

func init() {
	for _, c := range strings.Fields(`Device: Device tps kB_read/s kB_wrtn/s kB_dscd/s kB_read kB_wrtn kB_dscd M` +
		`B_read/s ` +
		`MB_wrtn/s MB_dscd/s MB_read MB_wrtn MB_dscd Blk_read/s Blk_wrtn/s Blk_read Blk_wrtn rrqm/s wrqm/s r/s w/s ` +
		`rkB/s wkB/s rMB/s wMB/s rsec/s wsec/s avgrq-sz avgqu-sz await r_await w_await svctm %util %rrqm %wrqm %drqm ` +
		`rareq-sz wareq-sz dareq-sz d/s dkB/s dMB/s drqm/s d_await f/s f_await aqu-sz areq-sz`) {
		deviceColumns[c] = true
	}
}

// deviceHead is the head of a table, put together where a terminal or a mail program broke it,
// and its number of lines.
func deviceHead(w *part.Window, i int) (string, int) {
	t := w.Text(i)
	for n := 1; n < 4 && i+n < len(w.Lines) && w.Lines[i+n].Is == part.Content &&
		!reDevice.MatchString(w.Text(i+n)); n++ {
		for _, sep := range []string{"", " "} {
			whole := true
			for _, c := range strings.Fields(t + sep + w.Text(i+n)) {
				whole = whole && deviceColumns[c]
			}
			if whole {
				return t + sep + w.Text(i+n), n + 1
			}
		}
		t += w.Lines[i+n].Indented
	}
	return w.Text(i), 1
}

var reNumbersOnly = regex.New(`^\d[\d.,]*(?:\s+\d[\d.,]*){0,24}$`)

// deviceRow is a row, put together in the same way.
func deviceRow(w *part.Window, i, columns int) (string, int) {
	t, n := w.Lines[i].Indented, 1
	for n < 4 && i+n < len(w.Lines) && len(strings.Fields(t)) < columns && reNumbersOnly.MatchString(w.Text(i+n)) {
		next := w.Lines[i+n].Indented
		// a number that was broken has its point in one of the two
		if last := t[strings.LastIndexAny(t, " \t")+1:]; next != w.Text(i+n) || strings.Contains(last, ".") &&
			strings.Contains(strings.Fields(next)[0], ".") {
			next = " " + next
		}
		t += next
		n++
	}
	return t, n
}

// reported says that of several reports the last is told.
func reported(f *part.Found, n int64) part.Found {
	if n > 1 {
		f.Add(part.Count("samples", "", n))
		f.Notes = append(f.Notes, "the last of several reports is used; the first shows the averages since boot")
	}
	return *f
}

// named are the facts whose names begin so.
func named(f *part.Found, prefix string) (out []part.Fact) {
	for _, x := range f.Facts {
		if strings.HasPrefix(x.Name, prefix) {
			out = append(out, x)
		}
	}
	return out
}

// drop removes the facts of names, or of all that begin with one that ends in a point.
func drop(f *part.Found, names ...string) {
	kept := f.Facts[:0]
	for _, x := range f.Facts {
		gone := false
		for _, n := range names {
			gone = gone || x.Name == n || strings.HasSuffix(n, ".") && strings.HasPrefix(x.Name, n)
		}
		if !gone {
			kept = append(kept, x)
		}
	}
	f.Facts = kept
}
