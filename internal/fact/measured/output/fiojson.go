package output

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// allClients is the name of the sum of all hosts.
const allClients = "All clients"

// document reads a document of fio, and returns how many bytes it takes; 0 where it is none.
func (f *fio) document(text []byte, number int) int {
	var doc fioDocument
	end, cut := decode(text, &doc, func() { doc = fioDocument{} })
	if end == 0 {
		return 0
	}
	if len(doc.Jobs) == 0 {
		var lone fioJob // a job that was copied without what is around it
		if n, c := decode(text, &lone, func() { lone = fioJob{} }); n > 0 && lone.Name != "" {
			doc.Jobs, cut = []fioJob{lone}, c
		}
	}
	doc.Jobs = append(doc.Jobs, doc.Clients...)
	if len(doc.Jobs) == 0 && doc.Version == "" {
		return 0
	}
	f.close()
	if f.out != nil && len(f.out.Fio.Jobs) > 0 {
		f.finish() // what was defined was of the run before
	}
	if doc.Version != "" {
		f.version = short(doc.Version, 64)
	}
	if f.line0 == 0 {
		f.line0 = number
	}
	def, defs := f.def, f.defs
	f.json = map[string]bool{}
	s := scanned{number: number}
	for i := range doc.Jobs {
		if i >= maxFioJobs {
			break
		}
		of, ok := defs[short(doc.Jobs[i].Name, 64)]
		if !ok {
			of = def
		}
		j := doc.Jobs[i].job(of, doc.Global)
		j.Host, j.Sum = short(doc.Jobs[i].Host, 80), i >= len(doc.Jobs)-len(doc.Clients) && j.Name == allClients
		f.json[j.Name] = true
		f.add(s, j)
	}
	f.job = nil
	if f.out != nil {
		f.out.Cut = cut
		for _, d := range doc.Disks {
			f.disk(FioDisk{Name: short(d.Name, 64), Reads: d.Reads, Writes: d.Writes, Util: d.Util})
		}
	}
	return end
}

type fioDocument struct {
	Version string   `json:"fio version"`
	Global  texted   `json:"global options"`
	Jobs    []fioJob `json:"jobs"`
	Clients []fioJob `json:"client_stats"` // of --client: the jobs of each host, and all together
	Disks   []struct {
		Name   string  `json:"name"`
		Reads  int64   `json:"read_ios"`
		Writes int64   `json:"write_ios"`
		Util   float64 `json:"util"`
	} `json:"disk_util"`
}

type fioJob struct {
	Host    string      `json:"hostname"`
	Name    string      `json:"jobname"`
	Error   int         `json:"error"`
	Options texted      `json:"job options"`
	Read    fioSideJSON `json:"read"`
	Write   fioSideJSON `json:"write"`
	Sync    fioSideJSON `json:"sync"`
	Runtime float64     `json:"job_runtime"` // ms
}

type fioSideJSON struct {
	Total   int64       `json:"total_ios"`
	IOPS    float64     `json:"iops"`
	BWBytes float64     `json:"bw_bytes"`
	BW      float64     `json:"bw"` // KiB a second
	Runtime float64     `json:"runtime"`
	SLat    *fioLatJSON `json:"slat_ns"`
	CLat    *fioLatJSON `json:"clat_ns"`
	Lat     *fioLatJSON `json:"lat_ns"`
	OldSLat *fioLatJSON `json:"slat"` // fio 2: microseconds
	OldCLat *fioLatJSON `json:"clat"`
	OldLat  *fioLatJSON `json:"lat"`
}

type fioLatJSON struct {
	Mean       float64            `json:"mean"`
	Max        float64            `json:"max"`
	N          int64              `json:"N"`
	Percentile map[string]float64 `json:"percentile"`
}

// job is a job of JSON, with what the text above it told.
func (j *fioJob) job(def Job, global texted) Job {
	out := Job{Name: short(j.Name, 64), Error: j.Error, Engine: def.Engine, BlockSize: def.BlockSize, RW: def.RW,
		Depth: def.Depth, Jobs: def.Jobs, Direct: def.Direct}
	f := &fio{}
	for _, options := range []texted{global, j.Options} {
		for name, value := range options {
			if name != "name" {
				f.option(&out, name, value)
			}
		}
	}
	if out.Direct == nil && (len(global) > 0 || len(j.Options) > 0) {
		no := false // all options that were given are there, and this is the default
		out.Direct = &no
	}
	if out.Depth == 0 {
		out.Depth = 1
	}
	out.Read, out.Write, out.Sync = j.Read.side(), j.Write.side(), j.Sync.side()
	for _, ms := range []float64{j.Runtime, j.Read.Runtime, j.Write.Runtime} {
		if out.Seconds == 0 && ms > 0 && ms < 1e12 {
			out.Seconds = ms / 1000
		}
	}
	return out
}

func (s *fioSideJSON) side() *Side {
	lat, slat, all, scale := s.CLat, s.SLat, s.Lat, 1e-9
	if lat == nil && s.OldCLat != nil {
		lat, slat, all, scale = s.OldCLat, s.OldSLat, s.OldLat, 1e-6
	}
	if lat == nil {
		lat = all // flushes
	}
	out := &Side{Count: s.Total, PerSecond: s.IOPS, Speed: unit.Bytes(s.BWBytes)}
	if s.BWBytes == 0 {
		out.Speed = unit.Bytes(s.BW * 1024)
	}
	if lat != nil {
		if lat != all && slat != nil && all != nil && slat.Mean > lat.Mean {
			out.Mean = nano(all.Mean * scale)
		} else {
			out.Mean, out.Max = nano(lat.Mean*scale), nano(lat.Max*scale)
			out.P50, out.P99 = nano(lat.Percentile["50.000000"]*scale), nano(lat.Percentile["99.000000"]*scale)
		}
		out.Count = max(out.Count, lat.N)
	}
	for _, v := range []float64{out.PerSecond, float64(out.Speed), out.Mean, out.P50, out.P99, float64(out.Count)} {
		if !(v >= 0) || v > 1e15 {
			return nil
		}
	}
	if out.Count == 0 && out.PerSecond == 0 || out.PerSecond > mostPerSecond {
		return nil
	}
	return out
}

// nano rounds to a nanosecond, as fine as fio's own clock.
func nano(seconds float64) float64 { return math.Round(seconds*1e9) / 1e9 }
