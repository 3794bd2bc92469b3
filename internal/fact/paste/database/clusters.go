package database

import (
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// pg_lsclusters of Debian and Ubuntu.
var (
	reClustersHead = regex.New(`^Ver\s+Cluster\s+Port\s+Status\s+Owner\s+Data directory\s+Log file`)
	reClusterRow   = regex.New(
		`^(\d{1,2}(?:\.\d)?)\s+([\w.-]{1,64})\s+(\d{1,5})\s+((?:online|down)(?:,[\w,]{1,40})?)\s+(\S{1,64})\s+(/\S+)` +
			`(?:\s+(\S.*))?$`)
)

// ReadClusters reads pg_lsclusters.
func ReadClusters(w *part.Window) (f part.Found) {
	if reClustersHead.MatchString(w.Text(0)) {
		f.N = 1
	} else if !reClusterRow.MatchString(w.Text(0)) {
		return
	}
	rows := 0
	var versions []part.Fact
	for ; f.N < len(w.Lines); f.N++ {
		m := reClusterRow.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		rows++
		of := m[1] + "/" + m[2]
		versions = append(versions, part.Word("server.major", "", m[1]))
		port, _ := amount.Whole(m[3])
		f.Add(part.Count("cluster.port", of, port), part.Word("cluster.status", of, m[4]),
			part.Word("cluster.owner", of, m[5]), part.Word("cluster.data_directory", of, m[6]))
		if m[7] != "" {
			f.Add(part.Word("cluster.log", of, m[7]))
		}
	}
	if rows == 0 {
		return part.Found{}
	}
	f.AddAgreed(versions)
	return f
}
