package hardware

import (
	"math"
	"strings"
	"unicode"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// du, by its command, or by rows of paths below directories of a server.
var (
	reDuCommand = regex.New(`(?:^|\s|/)du\s`)
	reDuRow     = regex.New(`^(\d[\d.,]{0,18}[KMGTP]?)\s+(\.?\.?/\S*|[\w.@-]+(?:/\S*)?)$`)
	reDuTotal   = regex.New(`^(\d[\d.,]{0,18}[KMGTP]?)\s+(total|insgesamt|всего|итого|合計|总用量|总计)$`)
	reDuBare    = regex.New(`^\d[\d.,]{0,18}[KMGTP]?\s+\S*(?:pg_wal|pg_xlog|/base(?:/|$)|postgres|pgsql|pgdata)\S*$`)
	reDuBytes   = regex.New(`\bdu\s(?:[^|;]*\s)?-[a-zA-Z]*b`)
	reDuMega    = regex.New(`\bdu\s(?:[^|;]*\s)?-[a-zA-Z]*m`)
)

// ReadDu reads du.
func ReadDu(w *part.Window) (f part.Found) {
	asked := reDuCommand.MatchString(w.Command)
	if !asked && !(reDuBare.MatchString(w.Text(0)) && reDuBare.MatchString(w.Text(1))) {
		return
	}
	base := int64(amount.KB)
	switch {
	case reDuBytes.MatchString(w.Command):
		base = 1
	case reDuMega.MatchString(w.Command):
		base = amount.MB
	}
	for ; f.N < len(w.Lines); f.N++ {
		m := reDuRow.FindStringSubmatch(w.Text(f.N))
		if m == nil || !asked && !reDuBare.MatchString(w.Text(f.N)) {
			break
		}
		a, ok := amount.Of(m[1], base)
		if !ok {
			break
		}
		if !asked && unicode.IsDigit(rune(m[1][len(m[1])-1])) { // of -b, -k or -m
			if len(f.Notes) == 0 {
				f.Notes = append(f.Notes, "the command is not in the input, so the unit of the sizes is not known")
			}
			continue
		}
		name := "path.size"
		if reDuTotal.MatchString(w.Text(f.N)) {
			name = "path.size.sum"
		}
		f.Add(a.Fact(name, m[2]))
	}
	return f
}

// dd, in the languages of coreutils.
var (
	reDdRecords = regex.New(`^(?:\d{1,18}\+\d{1,18} ?\p{L}[\p{L} ]{1,40}|[记記][录錄]了 ?\d{1,18}\+\d{1,18} ?\p{L}{2,8})$`)
	reDdSum     = regex.New(
		`^(\d{1,18}) ?\p{L}+ ?(?:[(（][\d.,]+ [^)）]{1,40}[)）] ?)?[\p{L} ]{2,30}[,，、] ?([\d.,e+-]{1,12}) ?\p{L}{1,10}` +
			`[,，、] ?([\d.,]+) ([kMGTкМГТ]?)(?:[iи]?[BБ]|o)/(?:[sс]|秒|초)$`)
)

// ReadDd reads what dd says at its end.
func ReadDd(w *part.Window) (f part.Found) {
	i := 0
	for i < 2 && reDdRecords.MatchString(w.Text(i)) {
		i++
	}
	m := reDdSum.FindStringSubmatch(w.Text(i))
	if m == nil {
		return
	}
	f.N = i + 1
	n, ok := amount.Whole(m[1])
	seconds, ok2 := amount.Decimal(m[2])
	rate, ok3 := amount.Decimal(m[3])
	if !ok || !ok2 || !ok3 || n > amount.Max {
		return part.Found{}
	}
	mult := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "к": 1e3, "М": 1e6, "Г": 1e9, "Т": 1e12}
	_, places, _ := strings.Cut(strings.Replace(m[3], ",", ".", 1), ".")
	x := part.Fact{Name: "dd.rate", Value: int64(math.Round(rate * mult[m[4]])), Unit: "bytes/s"}
	if x.Step = math.Pow(10, -float64(len(places))) * mult[m[4]]; x.Step > 1 {
		x.Rounded = true
	}
	f.Add(part.Bytes("dd.bytes", "", n), part.Seconds("dd.time", "", seconds), x)
	return f
}

// hdparm -Tt.
var (
	reHdparmDisk = regex.New(`^(/dev/[\w/!.-]{1,100}):$`)
	reHdparm     = regex.New(`^Timing (?:O_DIRECT )?(cached|buffer-cache|buffered disk|disk) reads:\s+\d+ MB in\s+` +
		`\d[\d.,]* seconds\s*=\s*(\d[\d.]*) ([kM]B)/sec$`)
)

// ReadHdparm reads hdparm -t and -T, whose MB are of 1024 kB.
func ReadHdparm(w *part.Window) (f part.Found) {
	of, i := "", 0
	if m := reHdparmDisk.FindStringSubmatch(w.Text(0)); m != nil {
		of, i = m[1], 1
	}
	for ; i < len(w.Lines); i++ {
		m := reHdparm.FindStringSubmatch(w.Text(i))
		if m == nil {
			break
		}
		v, ok := amount.Decimal(m[2])
		if !ok {
			break
		}
		mult := map[string]float64{"kB": amount.KB, "MB": amount.MB}[m[3]]
		_, places, _ := strings.Cut(m[2], ".")
		x := part.Fact{Name: "hdparm.disk", Of: of, Value: int64(math.Round(v * mult)), Unit: "bytes/s", Rounded: true,
			Step: math.Pow(10, -float64(len(places))) * mult}
		if strings.HasPrefix(m[1], "c") || strings.HasPrefix(m[1], "buffer-") {
			x.Name = "hdparm.cached"
		}
		f.Add(x)
		f.N = i + 1
	}
	return f
}
