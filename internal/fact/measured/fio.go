package measured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Fio is what fio said with --output-format=json.
type Fio struct {
	Version string   `json:"version"` // fio-3.33
	Jobs    []FioJob `json:"jobs"`
}

// FioJob is one job of it.
type FioJob struct {
	Name  string  `json:"name"`
	Error int     `json:"error"` // errno that ended it; 0: none
	Depth int     `json:"depth"` // requests under way at once
	Read  FioSide `json:"read"`
	Write FioSide `json:"write"`
	Sync  FioSide `json:"sync"` // fsync or fdatasync after each write
}

// FioSide is what the job did of one kind. Latencies are seconds as the caller
// of the operating system sees them.
type FioSide struct {
	Count     int64      `json:"count"` // 0: nothing of this kind
	PerSecond float64    `json:"per_second"`
	Speed     unit.Bytes `json:"speed"` // bytes a second
	Mean      float64    `json:"mean"`  // latency
	P50       float64    `json:"p50"`   // 0 where percentiles were not told
	P99       float64    `json:"p99"`
}

// maxJobs bounds what is kept; we run one at a time.
const maxJobs = 1024

type fioLatency struct {
	Mean       float64            `json:"mean"`
	Count      int64              `json:"N"`
	Percentile map[string]float64 `json:"percentile"`
}

type fioSide struct {
	Total  int64       `json:"total_ios"`
	IOPS   float64     `json:"iops"`
	BWByte int64       `json:"bw_bytes"`
	BWkB   float64     `json:"bw"`
	CLat   *fioLatency `json:"clat_ns"`
	Lat    *fioLatency `json:"lat_ns"`
	OldLat *fioLatency `json:"clat"` // fio 2: microseconds
}

// ParseFio reads the JSON of fio 2 and 3. What fio wrote before it, warnings
// on standard output, is passed over.
func ParseFio(b []byte) (*Fio, error) {
	if len(b) > maxText {
		return nil, ErrTooLong
	}
	if !bytes.HasPrefix(b, []byte("{")) {
		i := bytes.Index(b, []byte("\n{"))
		if i < 0 {
			return nil, errors.New("no JSON in it: not an output of fio --output-format=json")
		}
		b = b[i+1:]
	}
	var doc struct {
		Version string            `json:"fio version"`
		Global  map[string]string `json:"global options"`
		Jobs    []struct {
			Name    string            `json:"jobname"`
			Error   int               `json:"error"`
			Options map[string]string `json:"job options"`
			Read    fioSide           `json:"read"`
			Write   fioSide           `json:"write"`
			Sync    fioSide           `json:"sync"`
			Runtime float64           `json:"job_runtime"` // milliseconds
		} `json:"jobs"`
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("fio: %w", err)
	}
	switch {
	case !strings.HasPrefix(doc.Version, "fio-"):
		return nil, errors.New("no version of fio in it: not an output of fio")
	case len(doc.Jobs) > maxJobs:
		return nil, fmt.Errorf("more than %d jobs", maxJobs)
	}
	f := &Fio{Version: plainly(doc.Version), Jobs: make([]FioJob, 0, len(doc.Jobs))}
	for _, j := range doc.Jobs {
		out := FioJob{Name: plainly(j.Name), Error: j.Error, Depth: 1}
		for _, options := range []map[string]string{doc.Global, j.Options} {
			if n, err := strconv.Atoi(options["iodepth"]); err == nil && n > 0 && n <= 1<<16 {
				out.Depth = n
			}
		}
		var err1, err2, err3 error
		out.Read, err1 = j.Read.side(false)
		out.Write, err2 = j.Write.side(false)
		out.Sync, err3 = j.Sync.side(true)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, fmt.Errorf("fio: job %s: %w", out.Name, err)
		}
		if j.Runtime > 0 && out.Sync.Count > 0 {
			out.Sync.PerSecond = float64(out.Sync.Count) / (j.Runtime / 1000)
			if out.Sync.PerSecond > mostPerSecond {
				return nil, fmt.Errorf("fio: job %s: more than any disk can do", out.Name)
			}
		}
		f.Jobs = append(f.Jobs, out)
	}
	return f, nil
}

// side checks and converts; of flushes fio counts in lat_ns alone.
func (s fioSide) side(sync bool) (FioSide, error) {
	out := FioSide{Count: s.Total, PerSecond: s.IOPS, Speed: unit.Bytes(s.BWByte)}
	if s.BWByte == 0 && s.BWkB > 0 && s.BWkB < mostPerSecond*1024 {
		out.Speed = unit.Bytes(s.BWkB * 1024) // before 3.0
	}
	lat, scale := s.CLat, 1e-9
	switch {
	case sync:
		lat = s.Lat
		if lat != nil {
			out.Count = max(out.Count, lat.Count)
		}
	case lat == nil:
		lat, scale = s.OldLat, 1e-6
	}
	if lat != nil {
		toNano := func(v float64) float64 { return math.Round(v*scale*1e9) / 1e9 } // as fine as fio's own clock
		out.Mean = toNano(lat.Mean)
		out.P50, out.P99 = toNano(lat.Percentile["50.000000"]), toNano(lat.Percentile["99.000000"])
	}
	for _, v := range []float64{float64(out.Count), out.PerSecond, float64(out.Speed), out.Mean, out.P50, out.P99} {
		if v < 0 {
			return FioSide{}, errors.New("a number below zero")
		}
	}
	if out.PerSecond > mostPerSecond {
		return FioSide{}, errors.New("more requests a second than any disk can do")
	}
	return out, nil
}
