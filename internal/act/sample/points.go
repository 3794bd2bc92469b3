package sample

import (
	"math"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// PageSize is that of the counters of swapping, which count base pages.
type PageSize float64

// Points collects what is known of a sample; what is not has no point.
type Points struct {
	List     []history.Point
	Instance string
}

func (p *Points) Add(name, label string, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	p.List = append(p.List, history.Point{Series: history.Series{Instance: p.Instance, Name: name, Label: label},
		Value: v})
}

func (p *Points) gauge(name string, v int64) {
	if v != Unseen {
		p.Add(name, "", float64(v))
	}
}

// rate is what a counter grew by, a second. If either end is missing, or the counter was reset, it is unknown.
func (p *Points) rate(name string, before, now, factor, seconds float64) {
	if seconds > 0 && now >= before {
		p.Add(name, "", (now-before)*factor/seconds)
	}
}

// orNaN turns a number of the kernel into one that is NaN where it was not there.
func orNaN(n int64) float64 {
	if n == Unseen {
		return math.NaN()
	}
	return float64(n)
}

// secondsBetween is the time between two readings; 0 if there is no first one, or it is too long ago to speak of the
// present.
func secondsBetween(last, now time.Time, most time.Duration) float64 {
	d := now.Sub(last)
	if last.IsZero() || d <= 0 || d > most {
		return 0
	}
	return d.Seconds()
}

// AddHost adds what the kernel's files showed.
func (p *Points) AddHost(last, now *HostReading, page PageSize, most time.Duration) {
	p.Instance = ""
	m := &now.Memory
	p.gauge("memory_total_bytes", m[memTotal])
	p.gauge("memory_available_bytes", m[memAvailable])
	p.Add("memory_used_bytes", "", orNaN(m[memTotal])-orNaN(m[memAvailable]))
	p.gauge("page_tables_bytes", m[memTables])
	p.gauge("anonymous_bytes", m[memAnon])
	p.gauge("shared_memory_bytes", m[memShmem])
	p.gauge("cached_bytes", m[memCached])
	p.gauge("dirty_bytes", m[memDirty])
	p.gauge("committed_bytes", m[memCommitted])
	p.gauge("commit_limit_bytes", m[memLimit])
	p.gauge("swap_total_bytes", m[memSwapTotal])
	p.Add("swap_used_bytes", "", orNaN(m[memSwapTotal])-orNaN(m[memSwapFree]))
	p.gauge("huge_pages_total", m[memHugeTotal])
	p.gauge("huge_pages_free", m[memHugeFree])
	p.gauge("huge_pages_reserved", m[memHugeRsvd])
	p.gauge("processes_running", now.Running)
	p.gauge("processes_blocked", now.Blocked)

	secs := secondsBetween(last.At, now.At, most)
	if secs == 0 {
		return
	}
	vm := func(name string, i int, factor float64) {
		p.rate(name, orNaN(last.VM[i]), orNaN(now.VM[i]), factor, secs)
	}
	vm("swap_in_bytes_per_second", vmSwapIn, float64(page))
	vm("swap_out_bytes_per_second", vmSwapOut, float64(page))
	vm("major_faults_per_second", vmMajor, 1)
	vm("oom_kills_per_second", OOMKills, 1)
	p.processor(last, now)
	const micro = 1e-6
	psi := func(name string, before, now int64) { p.rate(name, orNaN(before), orNaN(now), micro, secs) }
	psi("psi_cpu_some", last.Some[psiCPU], now.Some[psiCPU])
	psi("psi_io_some", last.Some[psiIO], now.Some[psiIO])
	psi("psi_io_full", last.Full[psiIO], now.Full[psiIO])
	psi("psi_memory_some", last.Some[psiMemory], now.Some[psiMemory])
	psi("psi_memory_full", last.Full[psiMemory], now.Full[psiMemory])
}

// processor adds the parts of the CPU time. The kernel's sums of idle and iowait may go back a little; a part below
// nothing is nothing.
func (p *Points) processor(last, now *HostReading) {
	if last.CPU[0] == Unseen || now.CPU[0] == Unseen {
		return
	}
	var part [cpuTimes]float64
	all := 0.0
	for i := range part {
		part[i] = max(float64(now.CPU[i]-last.CPU[i]), 0)
		all += part[i]
	}
	if all == 0 {
		return
	}
	p.Add("cpu_busy_ratio", "", (all-part[cpuIdle]-part[cpuIOWait]-part[cpuSteal])/all)
	p.Add("iowait_ratio", "", part[cpuIOWait]/all)
	p.Add("steal_ratio", "", part[cpuSteal]/all)
}

// AddServer adds what one instance answered. If this role may not see the sessions of others, their counts would not be
// true.
func (p *Points) AddServer(s *Server, most time.Duration) {
	p.Instance = s.Label
	v := &s.Now.Values
	if v[ColHidden] == 0 {
		p.Add("connections", "active", v[colActive])
		p.Add("connections", "idle", v[colIdle])
		p.Add("connections", "idle in transaction", v[colIdleXact])
		p.Add("connections", "idle in transaction (aborted)", v[colAborted])
		p.Add("connections", "other", v[colOther])
		p.Add("connections_total", "", v[ColTotal])
		p.Add("connections_waiting", "Lock", v[colLock])
		p.Add("connections_waiting", "LWLock", v[colLWLock])
		p.Add("connections_waiting", "IO", v[colIO])
		p.Add("connections_waiting", "IPC", v[colIPC])
		p.Add("connections_waiting", "other", v[colElse])
		p.Add("oldest_transaction_seconds", "", v[colOldest])
	}
	l := &s.Last.Values
	secs := secondsBetween(s.Last.At, s.Now.At, most)
	if secs == 0 || !sameStart(l, v) {
		return
	}
	rate := func(name string, col int, factor float64) { p.rate(name, l[col], v[col], factor, secs) }
	rate("transactions_per_second", colEnded, 1)
	rate("deadlocks_per_second", colDeadlocks, 1)
	rate("blocks_read_per_second", colRead, 1)
	rate("temp_bytes_per_second", colTempBytes, 1)
	rate("temp_files_per_second", colTempFiles, 1)
	rate("wal_bytes_per_second", ColLSN, 1)
	rate("wal_full_page_images_per_second", colFPI, 1)
	rate("checkpoints_timed", colTimed, 1)
	rate("checkpoints_requested", colRequested, 1)
	rate("checkpoint_write_ratio", colWriteTime, 1e-3)
	rate("checkpoint_sync_ratio", colSyncTime, 1e-3)
	rate("buffers_backend_per_second", colBackend, 1)
	hit, read := v[colHit]-l[colHit], v[colRead]-l[colRead]
	if hit >= 0 && read >= 0 && hit+read > 0 {
		p.Add("cache_hit_ratio", "", hit/(hit+read))
	}
}

// sameStart reports whether the counters of two readings are of one life of the server: those of 13 and 14 are lost in
// a crash, all of them by a reset, which the rates see by themselves.
func sameStart(a, b *[Columns]float64) bool {
	return a[ColStart] == b[ColStart] && (a[ColCrash] == b[ColCrash] || math.IsNaN(a[ColCrash]))
}
