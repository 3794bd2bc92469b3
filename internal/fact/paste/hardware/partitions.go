package hardware

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// fdisk -l and lvdisplay, in any language: what counts are the numbers.
var (
	reFdiskDisk = regex.New(`^\p{L}+ (/dev/[\w/.!-]{1,100}) ?[:：] ?[\d.,]+ ?[KMGTP]i?\pL?, ` +
		`(\d{4,19}) \p{L}+, \d+ \p{L}+$`)
	reFdiskRest = regex.New(`^\p{L}[\p{L}\d'’ /()-]{3,60}\s?[:：]\s?\S.*$`)
	reFdiskUnit = regex.New(`[*×] ?(\d{3,5}) ?=`)
	reFdiskRow  = regex.New(`^(/dev/[\w/.!-]{1,100})\s+(?:\*\s+)?(\d{1,16})\s+(\d{1,16})\s+(\d{1,16})\s+` +
		`[\d.,]+[KMGTP]?\s+\S`)
	reLVPath = regex.New(`^LV Path\s+/dev/([\w.+-]{1,128}/[\w.+-]{1,128})$`)
	reLVSize = regex.New(`^LV Size\s+<?(\d[\d.,]*) ?([kKMGTP])i?B$`)
	reLVLine = regex.New(`^(?:[A-Z#-] ?[A-Za-z ,]{2,28}?)(?:\s{2,}\S.*)?$`)
)

// ReadFdisk reads fdisk -l: sizes in bytes, and those of the partitions in sectors.
func ReadFdisk(w *part.Window) (f part.Found) {
	m := reFdiskDisk.FindStringSubmatch(w.Text(0))
	if m == nil {
		return
	}
	sector := int64(0)
	for i := range w.Lines {
		t := w.Text(i)
		if d := reFdiskDisk.FindStringSubmatch(t); d != nil {
			if n, ok := amount.Whole(d[2]); ok && n < amount.Max {
				f.Add(part.Bytes("disk.size", deviceName(d[1]), n))
			}
			f.N = i + 1
			continue
		}
		if p := reFdiskRow.FindStringSubmatch(t); p != nil {
			first, ok1 := amount.Whole(p[2])
			last, ok2 := amount.Whole(p[3])
			n, ok3 := amount.Whole(p[4])
			if ok1 && ok2 && ok3 && last-first+1 == n && sector > 0 && n < amount.Max/sector {
				f.Add(part.Bytes("disk.size", deviceName(p[1]), n*sector))
			}
			f.N = i + 1
			continue
		}
		if w.Lines[i].Is == part.Blank {
			continue
		}
		if u := reFdiskUnit.FindStringSubmatch(t); u != nil {
			sector, _ = amount.Whole(u[1])
		}
		if !reFdiskRest.MatchString(t) && !reFdiskRow.MatchString(w.Text(i+1)) {
			break
		}
		f.N = i + 1
	}
	return f
}

func deviceName(path string) string { return strings.TrimPrefix(path, "/dev/") }

// ReadVolume reads lvdisplay.
func ReadVolume(w *part.Window) (f part.Found) {
	if !strings.HasPrefix(w.Text(0), "--- Logical volume") && !reLVPath.MatchString(w.Text(0)) {
		return
	}
	of := ""
	for f.N < len(w.Lines) && w.Lines[f.N].Is == part.Content {
		t := w.Text(f.N)
		if m := reLVPath.FindStringSubmatch(t); m != nil {
			of = m[1]
		} else if m := reLVSize.FindStringSubmatch(t); m != nil && of != "" {
			if a, ok := amount.Of(m[1]+m[2], 1); ok {
				f.Add(a.Fact("volume.size", of))
			}
		} else if f.N > 0 && !reLVLine.MatchString(t) {
			break
		}
		f.N++
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}
