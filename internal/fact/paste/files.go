package paste

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// pg_lsclusters of Debian and Ubuntu.
var (
	reClustersHead = regex.New(`^Ver\s+Cluster\s+Port\s+Status\s+Owner\s+Data directory\s+Log file`)
	reClusterRow   = regex.New(
		`^(\d{1,2}(?:\.\d)?)\s+([\w.-]{1,64})\s+(\d{1,5})\s+((?:online|down)(?:,[\w,]{1,40})?)\s+(\S{1,64})\s+(/\S+)` +
			`(?:\s+(\S.*))?$`)
)

func readClusters(w *window) (f found) {
	if reClustersHead.MatchString(w.t(0)) {
		f.n = 1
	} else if !reClusterRow.MatchString(w.t(0)) {
		return
	}
	rows := 0
	for ; f.n < len(w.lines); f.n++ {
		m := reClusterRow.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		rows++
		of := m[1] + "/" + m[2]
		port, _ := whole(m[3])
		f.add(count("cluster.port", of, port), word("cluster.status", of, m[4]), word("cluster.owner", of, m[5]),
			word("cluster.data_directory", of, m[6]))
		if m[7] != "" {
			f.add(word("cluster.log", of, m[7]))
		}
	}
	if rows == 0 {
		return found{}
	}
	return f
}

// du, by its command, or by rows of paths below directories of a server.
var (
	reDuCommand = regex.New(`(?:^|\s|/)du\s`)
	reDuRow     = regex.New(`^(\d[\d.,]{0,18}[KMGTP]?)\s+(\.?\.?/\S*|[\w.@-]+(?:/\S*)?)$`)
	reDuTotal   = regex.New(`^(\d[\d.,]{0,18}[KMGTP]?)\s+(total|insgesamt|всего|итого|合計|总用量|总计)$`)
	reDuBare    = regex.New(`^\d[\d.,]{0,18}[KMGTP]?\s+\S*(?:pg_wal|pg_xlog|/base(?:/|$)|postgres|pgsql|pgdata)\S*$`)
	reDuBytes   = regex.New(`\bdu\s(?:[^|;]*\s)?-[a-zA-Z]*b`)
	reDuMega    = regex.New(`\bdu\s(?:[^|;]*\s)?-[a-zA-Z]*m`)
)

func readDu(w *window) (f found) {
	asked := reDuCommand.MatchString(w.command)
	if !asked && !(reDuBare.MatchString(w.t(0)) && reDuBare.MatchString(w.t(1))) {
		return
	}
	base := int64(kb)
	switch {
	case reDuBytes.MatchString(w.command):
		base = 1
	case reDuMega.MatchString(w.command):
		base = mb
	}
	for ; f.n < len(w.lines); f.n++ {
		m := reDuRow.FindStringSubmatch(w.t(f.n))
		if m == nil || !asked && !reDuBare.MatchString(w.t(f.n)) {
			break
		}
		a, ok := amountOf(m[1], base)
		if !ok {
			break
		}
		name := "path.size"
		if reDuTotal.MatchString(w.t(f.n)) {
			name = "path.size.sum"
		}
		f.add(a.fact(name, m[2]))
	}
	return f
}

// dd, in the languages of coreutils.
var (
	reDdRecords = regex.New(`^\d{1,18}\+\d{1,18} \p{L}[\p{L} ]{1,40}$`)
	reDdSum     = regex.New(
		`^(\d{1,18}) \p{L}+ (?:\([\d.,]+ [^)]{1,40}\) )?[\p{L} ]{2,30}[,，] ?([\d.,e+-]{1,12}) ?\p{L}{1,10}[,，] ?` +
			`([\d.,]+) ` +
			`([kMGTкМГТ]?)(?:[iи]?[BБ]|o)/[sс]$`)
)

func readDd(w *window) (f found) {
	i := 0
	for i < 2 && reDdRecords.MatchString(w.t(i)) {
		i++
	}
	m := reDdSum.FindStringSubmatch(w.t(i))
	if m == nil {
		return
	}
	f.n = i + 1
	n, ok := whole(m[1])
	seconds, ok2 := decimal(m[2])
	rate, ok3 := decimal(m[3])
	if !ok || !ok2 || !ok3 || n > maxAmount {
		return found{}
	}
	mult := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "к": 1e3, "М": 1e6, "Г": 1e9, "Т": 1e12}
	_, places, _ := strings.Cut(strings.Replace(m[3], ",", ".", 1), ".")
	x := Fact{Name: "dd.rate", Value: int64(math.Round(rate * mult[m[4]])), Unit: "bytes/s"}
	if x.Step = math.Pow(10, -float64(len(places))) * mult[m[4]]; x.Step > 1 {
		x.Rounded = true
	}
	f.add(exact("dd.bytes", "", n), lasting("dd.time", "", seconds), x)
	return f
}
