package output

import "testing"

// TestFioSummaries: what other programs make of fio.
func TestFioSummaries(t *testing.T) {
	x := one(t, `FIO test results:
FIO version - fio-3.36
Global options - ioengine=libaio verify=0 direct=1 gtod_reduce=1

JobName: read_iops
  blocksize=4K filesize=2G iodepth=64 rw=randread
read:
  IOPS=4822.118164 BW(KiB/s)=19305
  iops: min=3904 max=5802 avg=4829.233398

JobName: mixed
  blocksize=8k filesize=2G iodepth=1 rw=randrw
read:
  IOPS=10.5 BW(KiB/s)=84
write:
  IOPS=11.5 BW(KiB/s)=92
Disk stats (read/write):
  rbd0: ios=132044/35418 merge=0/510 ticks=2110334/2098771 in_queue=4209105, util=98.204224%
  -  OK
`)
	if f := x.Fio; f == nil || len(f.Jobs) != 2 || f.Jobs[0].Read.PerSecond != 4822.118164 || f.Jobs[0].Depth != 64 ||
		f.Jobs[0].BlockSize != 4096 || f.Jobs[0].Engine != "libaio" || !*f.Jobs[0].Direct || f.Jobs[0].Write != nil ||
		f.Jobs[1].Write.PerSecond != 11.5 || f.Jobs[1].Read.Speed != 84*1024 || len(f.Disks) != 1 ||
		x.Version != "fio-3.36" {
		t.Errorf("kubestr: %+v", x.Fio)
	}
	x = one(t, `==================
= Dbench Summary =
==================
Random Read/Write IOPS: 75.7k/59.7k. BW: 523MiB/s / 500MiB/s
Average Latency (usec) Read/Write: 183.07/76.91
Sequential Read/Write: 536MiB/s / 512MiB/s
Mixed Random Read/Write IOPS: 43.1k/14.4k
`)
	if f := x.Fio; f == nil || len(f.Jobs) != 4 || f.Jobs[0].Read.PerSecond != 75_700 ||
		f.Jobs[0].Write.Speed != 500<<20 ||
		f.Jobs[1].Write.Mean != 76.91e-6 || f.Jobs[2].Read.Speed != 536<<20 || f.Jobs[3].Write.PerSecond != 14_400 {
		t.Errorf("dbench: %+v", x.Fio)
	}
	x = one(t, `FIO Benchmark Summary
IOPS in ops (Read/Write)
                  Random:           15,013 / 8,874
              Sequential:          22,499 / 13,134
Bandwidth in KiB/sec (Read/Write)
                  Random:        518,918 / 277,945
Latency in ns (Read/Write)
                  Random:        298,378 / 419,719
FIO Benchmark Latency P99 Summary
Latency in ns (Read/Write)
                  Random:      667,648 / 1,028,096
`)
	if f := x.Fio; f == nil || len(f.Jobs) != 2 || f.Jobs[0].Read.PerSecond != 15_013 ||
		f.Jobs[0].Write.Mean != 419_719e-9 ||
		f.Jobs[0].Write.P99 != 1_028_096e-9 || f.Jobs[1].Write.PerSecond != 13_134 {
		t.Errorf("kbench: %+v", x.Fio)
	}
	x = one(t, `fio Disk Speed Tests (Mixed R/W 50/50):
---------------------------------
Block Size | 4k            (IOPS) | 64k           (IOPS)
  ------   | ---            ----  | ----           ---- 
Read       | 119.55 MB/s  (29.8k) | 1.11 GB/s    (17.4k)
Write      | 119.86 MB/s  (29.9k) | 1.12 GB/s    (17.5k)
Total      | 239.42 MB/s  (59.8k) | 2.24 GB/s    (35.0k)
           |                      |                     
Block Size | 512k          (IOPS) | 1m            (IOPS)
  ------   | ---            ----  | ----           ---- 
Read       | 1.50 GB/s     (2.9k) | 1.52 GB/s     (1.4k)
Write      | 1.58 GB/s     (3.0k) | 1.62 GB/s     (1.5k)
`)
	if f := x.Fio; f == nil || len(f.Jobs) != 4 || f.Jobs[0].Read.PerSecond != 29_800 ||
		f.Jobs[0].Read.Speed != 119_550_000 ||
		f.Jobs[1].Write.PerSecond != 17_500 || f.Jobs[3].BlockSize != 1<<20 || f.Jobs[3].Read.PerSecond != 1400 {
		t.Errorf("yabs: %+v", x.Fio)
	}
}

// TestNeighbors: results of programs that are quoted, and what dd waited for.
func TestNeighbors(t *testing.T) {
	for text, want := range map[string]Neighbor{
		"dd if=/dev/zero of=t bs=8k count=1000 oflag=dsync\n1000+0 records in\n1000+0 records out\n" +
			"8192000 bytes (8.2 MB, 7.8 MiB) copied, 12.5 s, 655 kB/s\n": {Program: "dd", Flushed: 80},
		"$ dd if=/dev/zero of=t bs=1M count=100\n100+0 записей получено\n100+0 записей отправлено\n" +
			"104857600 байт (105 MB, 100 MiB) скопирован, 0,05 s, 2,1 GB/s\n": {Program: "dd", Cached: true},
		"# dd if=/dev/zero of=t bs=1M count=100 conv=fdatasync\n100+0 records in\n100+0 records out\n" +
			"104857600 bytes (105 MB) copied, 1.5 s, 69.9 MB/s\n": {Program: "dd"},
		"min/avg/max/mdev = 4.87 ms / 6.52 ms / 9.88 ms / 2.01 ms\n":                     {Program: "ioping"},
		" 3.12 k requests completed in 2.99 s, 12.2 MiB read, 1.04 k iops, 4.07 MiB/s\n": {Program: "ioping"},
		"11:30:02,118 [Thread-41] INFO jTPCC : Term-00, Measured tpmC (NewOrders) = 51044.53\n": {
			Program: "BenchmarkSQL"},
		"tpmC: 28117.4, tpmTotal: 62480.1, efficiency: 96.2%\n": {Program: "go-tpc"},
		"pool alloc free read write read write\n----- ----- -----\ntank 812G 988G 210 1480 6.21M 44.1M\n": {
			Program: "zpool iostat"},
		"FSYNCS/SECOND:     78.41\n": {Program: "pveperf"},
		" Timing buffered disk reads: 402 MB in  3.01 seconds = 133.55 MB/sec\n":     {Program: "hdparm"},
		"Vuser 1:TEST RESULT : System achieved 31012 NOPM from 71330 PostgreSQL TPM": {Program: "HammerDB"},
	} {
		r, err := Read([]byte(text))
		if err != nil || len(r.Others) != 1 || r.Others[0].Program != want.Program ||
			r.Others[0].Flushed != want.Flushed ||
			r.Others[0].Cached != want.Cached || len(r.Outputs) != 0 {
			t.Errorf("%q: %v %+v", text, err, r.Others)
		}
	}
}

// TestInitialization: pgbench -i alone is no run, and before a run it belongs to that.
func TestInitialization(t *testing.T) {
	const filled = `dropping old tables...
creating tables...
generating data (client-side)...
2000000 of 2000000 tuples (100%) of pgbench_accounts done (elapsed 6.12 s, remaining 0.00 s)
vacuuming...
creating primary keys...
`
	const done = "done in 9.87 s (drop tables 0.00 s, create tables 0.02 s, client-side generate 6.40 s, " +
		"vacuum 0.81 s, " +
		"primary keys 2.64 s).\n"
	x := one(t, filled+done)
	if p := x.Pgbench; x.Cut || p == nil || p.Init == nil || p.Init.Rows != 2_000_000 || *p.Init.Seconds != 9.87 ||
		*p.Init.Keys != 2.64 || p.TPS != nil || p.Processed != nil {
		t.Errorf("alone: %+v", x.Pgbench)
	}
	if x := one(t, filled); !x.Cut || x.Pgbench.Init.Seconds != nil {
		t.Errorf("not finished: %+v", x.Pgbench)
	}
	if x := one(t, filled+done+twoRuns); x.Pgbench.Init == nil || *x.Pgbench.TPS != 804.702218 {
		t.Errorf("before a run: %+v", x.Pgbench)
	}
}

// TestFioSignal: the same numbers, of a shorter time.
func TestFioSignal(t *testing.T) {
	const job = `w: (groupid=0, jobs=16): err= 0: pid=1: Mon Oct 18 16:04:51 2021
  write: IOPS=1987, BW=7951KiB/s (8142kB/s)(319MiB/41088msec); 0 zone resets
    clat (usec): min=1104, max=302118, avg=62210.40, stdev=18803.21
`
	for _, before := range []string{"^Cbs: 16 (f=16): [w(16)][13.7%][w=8120KiB/s][w=2030 IOPS][eta 04m:19s]\n" +
		"fio: terminating on signal 2\n\n", "^C\nfio: terminating on signal 2\n"} {
		if x := one(t, before+job); x.Fio.Signal != 2 || len(x.Fio.Jobs) != 1 || x.Fio.Jobs[0].Seconds != 41.088 {
			t.Errorf("%+v", x.Fio)
		}
	}
}

// TestSysbenchFatal: the error that ended it is told, each wording once.
func TestSysbenchFatal(t *testing.T) {
	x := one(t, `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Threads started!
[ 10s ] thds: 64 tps: 1412.33 qps: 2840.70 (r/w/o: 1989.10/567.60/284.00) lat (ms,95%): 66.84 err/s: 0.10
FATAL: PQexec() failed: 7 could not extend file "base/1/2.3": No space left on device
FATAL: PQexec() failed: 7 could not extend file "base/1/2.3": No space left on device
`)
	if s := x.Sysbench; !x.Cut || len(s.Errors) != 1 || len(s.Progress) != 1 {
		t.Errorf("%+v", x.Sysbench)
	}
}

// TestTablesWithoutHeadings: the line on the order of preference stands for the heading of a table.
func TestTablesWithoutHeadings(t *testing.T) {
	x := one(t, `O_DIRECT supported on this platform for open_datasync and open_sync.
(in wal_sync_method preference order, except fdatasync is Linux's default)
        open_datasync                       402.118 ops/sec    2487 usecs/op
        fdatasync                           398.740 ops/sec    2508 usecs/op
(in wal_sync_method preference order, except fdatasync is Linux's default)
        open_datasync                       200.902 ops/sec    4978 usecs/op
        fdatasync                           391.116 ops/sec    2557 usecs/op
`)
	if f := x.Fsync; !x.Cut || !f.DirectIO || len(f.One) != 2 || len(f.Two) != 2 || f.Two[0].PerSecond != 200.902 {
		t.Errorf("%+v", x.Fsync)
	}
}

// TestHeadOfOldSysstat has neither architecture nor processors.
func TestHeadOfOldSysstat(t *testing.T) {
	for _, head := range []string{"Linux 2.6.18-194.el5 (oa-db) \t2012年03月05日",
		"Linux 2.6.18-194.el5 (oa-db)   03/05/2012"} {
		x := one(t, head+"\n\nDevice:    r/s   w/s  rkB/s  wkB/s avgqu-sz   await  %util\n"+
			"sda 1.0 2.0 3.0 4.0 0.1 0.5 6.0\n")
		if x.Iostat == nil || x.Iostat.Host != "oa-db" || !x.Iostat.Samples[0].SinceBoot {
			t.Errorf("%+v", x.Iostat)
		}
	}
}

// TestReportWithoutHead: the first report has a head, so that one without it may be a later one.
func TestReportWithoutHead(t *testing.T) {
	const table = "\nDevice    r/s   w/s  rkB/s  wkB/s aqu-sz   await  %util\nsda 1.0 2.0 3.0 4.0 0.1 0.5 6.0\n"
	for command, boot := range map[string]bool{"$ iostat -xmt 1\n": false, "# iostat -x 5 3\n": false,
		"$ iostat -x\n": true,
		"$ iostat -x 5\nLinux 6.1.0 (h) 03/05/2024 _x86_64_ (4 CPU)\n": true} {
		if x := one(t, command+table); x.Iostat.Samples[0].SinceBoot != boot {
			t.Errorf("%q: %+v", command, x.Iostat.Samples[0])
		}
	}
}
