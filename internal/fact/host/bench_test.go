package host

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// BenchmarkReadProcess300 takes the census of an instance of 300 backends from
// evidence in memory.
func BenchmarkReadProcess300(b *testing.B) {
	a := evidence.New()
	const first = 1000
	for pid := first; pid < first+300; pid++ {
		dir := "proc/" + strconv.Itoa(pid) + "/"
		for name, text := range map[string]string{
			"status": fmt.Sprintf(benchStatus, pid, pid, 16+pid),
			"cmdline": "postgres: 16/main: app shop 10.0.0.1(" + strconv.Itoa(pid) + ") idle" +
				string(make([]byte, 200)),
			"oom_score_adj": "0\n",
			"oom_score":     "668\n",
		} {
			if err := a.Add(dir+name, []byte(text)); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		var tables unit.Bytes
		for pid := first; pid < first+300; pid++ {
			p, ok := ReadProcess(a, pid).Get()
			if !ok || p.Kind != KindBackend {
				b.Fatal(p)
			}
			tables += p.PageTables
		}
		if tables == 0 {
			b.Fatal("no page tables")
		}
	}
}

const benchStatus = `Name:	postgres
Umask:	0077
State:	S (sleeping)
Tgid:	%d
Ngid:	0
Pid:	%d
PPid:	999
TracerPid:	0
Uid:	101	101	101	101
Gid:	104	104	104	104
FDSize:	256
Groups:	 
Kthread:	0
VmPeak:	 4488628 kB
VmSize:	 4488496 kB
VmLck:	       0 kB
VmPin:	       0 kB
VmHWM:	   16000 kB
VmRSS:	   16000 kB
RssAnon:	    2344 kB
RssFile:	    7848 kB
RssShmem:	    5808 kB
VmData:	    3424 kB
VmStk:	     132 kB
VmExe:	    8320 kB
VmLib:	   38900 kB
VmPTE:	%8d kB
VmSwap:	       0 kB
HugetlbPages:	       0 kB
CoreDumping:	0
THP_enabled:	1
Threads:	1
SigQ:	0/96365
SigPnd:	0000000000000000
Seccomp:	0
Cpus_allowed_list:	0-63
Mems_allowed_list:	0-1
voluntary_ctxt_switches:	2
nonvoluntary_ctxt_switches:	4
`
