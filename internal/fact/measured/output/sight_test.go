package output

import (
	"strings"
	"testing"
)

// TestInitializationThatATerminalBroke: the times of pgbench -i go on in the next line.
func TestInitializationThatATerminalBroke(t *testing.T) {
	const head = "creating tables...\n100000 of 100000 tuples (100%) done (elapsed 0.32 s, remaining 0.00 s)\n"
	const end = "done in 1.58 s (drop tables 0.02 s, create tables 0.06 s, client-side generate 0.39 s, " +
		"vacuum 0.30 s, primary keys 0.81 s)."
	for at := strings.Index(end, "create"); at < len(end)-1; at++ {
		x := one(t, head+end[:at]+"\n"+end[at:]+"\n").Pgbench.Init
		if x == nil || !x.Finished || *x.Seconds != 1.58 || x.Generate == nil || *x.Generate != 0.39 ||
			x.Vacuum == nil || *x.Vacuum != 0.3 || x.Keys == nil || *x.Keys != 0.81 {
			t.Fatalf("broken before %q: %+v", end[at:], x)
		}
	}
	if x := one(t, head+"vacuuming...\ncreating primary keys...\ndone.\n"); !x.Pgbench.Init.Finished || x.Cut {
		t.Errorf("12: %+v", x)
	}
}

// TestTimesBeforeVmstat: ExaWatcher puts the time before each line, and a head over it.
func TestTimesBeforeVmstat(t *testing.T) {
	x := one(t, "--time-- procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu-----\n"+
		"          r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"+
		"10:21:49  2  0    376 141000 94521 846464    0    0     2   806 3141 3789  2  1 97  0  0\t\n"+
		"10:21:54  5  0    376 140984 94523 846516    0    0     3   283 3656 4099  2  1 97  0  0\t\n")
	if x.Program != VmstatRun || len(x.Vmstat.Samples) != 2 || x.Vmstat.Samples[1].R != 5 ||
		x.Vmstat.Samples[1].BO != 283 || x.Vmstat.Samples[1].ID != 97 {
		t.Errorf("%+v", x.Vmstat)
	}
}

// TestRowsBeforeTheTableOfSizes: without a heading they are of the table before it, that of two writes.
func TestRowsBeforeTheTableOfSizes(t *testing.T) {
	x := one(t, "        fsync                                90.311 ops/sec   11073 usecs/op\n"+
		"        open_sync                            88.410 ops/sec   11311 usecs/op\n\n"+
		"Compare open_sync with different write sizes:\n"+
		"(This is designed to compare the cost of writing 16kB in different write\nopen_sync sizes.)\n"+
		"         1 * 16kB open_sync write           164.676 ops/sec    6073 usecs/op\n")
	if len(x.Fsync.One) != 0 || len(x.Fsync.Two) != 2 || x.Fsync.Two[1].PerSecond != 88.41 || !x.Cut {
		t.Errorf("%+v", x.Fsync)
	}
}

// TestLatencyThatEndsBehindItsLeast: sysbench has the least first, and what follows is cut off.
func TestLatencyThatEndsBehindItsLeast(t *testing.T) {
	const head = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nSQL statistics:\n" +
		"    transactions:                        620    (30.94 per sec.)\n\nGeneral statistics:\n" +
		"    total time:                          20.0378s\n    total number of events:              620\n\n" +
		"Latency (ms):\n         min:                                 47.84\n"
	if x := one(t, head+"         avg:\n"); !x.Cut {
		t.Errorf("%+v", x.Sysbench)
	}
	if x := one(t, head+"         avg:                                 32.31\n"+
		"         max:                                 99.12\n         95th percentile:             51.94\n"); x.Cut {
		t.Errorf("%+v", x.Sysbench)
	}
}

// TestLongestOfABufferedJob: where the submission is what takes long, the longest is that of both together.
func TestLongestOfABufferedJob(t *testing.T) {
	x := one(t, "w: (groupid=0, jobs=1): err= 0: pid=560: Mon Jul  1 22:14:42 2024\n"+
		"  write: io=241236KB, bw=24035KB/s, iops=6008, runt= 10037msec\n"+
		"    slat (usec): min=2, max=1203.4K, avg=151.81, stdev=6476.99\n"+
		"    clat (usec): min=1, max=38109, avg= 5.93, stdev=228.12\n"+
		"     lat (usec): min=4, max=1203.4K, avg=157.74, stdev=6481.01\n")
	if w := x.Fio.Jobs[0].Write; w.Max != 1.2034 || w.Mean != 0.00015774 {
		t.Errorf("%+v", w)
	}
}

// TestSarOnOneLine: a page has taken away all breaks, of the table and what is before it.
func TestSarOnOneLine(t *testing.T) {
	for name, times := range map[string][]string{"24 h": {"00:00:01", "00:10:01", "00:20:01"},
		"12 h": {"12:00:01 AM", "12:10:01 AM", "12:20:01 AM"}} {
		x := one(t, "# sar "+times[0]+" CPU %user %nice %system %iowait %steal %idle "+times[1]+
			" all 0.11 0.00 0.08 0.04 0.00 99.77 "+times[2]+" all 0.10 0.00 0.08 0.00 0.00 99.82 "+
			"Average: all 0.11 0.00 0.08 0.02 0.00 99.79\n")
		if x.Program != SarRun || len(x.Sar.CPU) != 2 || x.Sar.CPU[1].Idle != 99.82 || x.Sar.CPU[1].At != times[2] ||
			len(x.Sar.Average.CPU) != 1 {
			t.Errorf("%s: %+v", name, x.Sar)
		}
	}
}

// TestBoldLines: each line of an output between the marks of bold text.
func TestBoldLines(t *testing.T) {
	x := one(t, "**progress: 60.0 s, 934.2 tps, lat 8.521 ms stddev 7.676**\n\n"+
		"**progress: 120.0 s, 937.9 tps, lat 8.492 ms stddev 7.688**\n\n**scaling factor: 1**\n\n"+
		"**number of clients: 8**\n\n**tps = 935.395574 (without initial connection time)**\n")
	if len(x.Progress) != 2 || x.Progress[1].TPS != 937.9 || *x.Progress[1].Latency.SD != 7.688 ||
		*x.Pgbench.TPS != 935.395574 {
		t.Errorf("%+v", x)
	}
}

// TestCommandOfSysbenchOverLines: the test has its name in the last of them; one that prepares is no run.
func TestCommandOfSysbenchOverLines(t *testing.T) {
	const report = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\n" +
		"Number of threads: 10\n\n[ 1s ] thds: 10 tps: 56.88 qps: 1030.77 (r/w/o: 907.04/0.00/123.73) " +
		"lat (ms,95%): 207.82 err/s: 0.00 reconn/s: 0.00\n"
	const command = "$ sysbench \\\n--db-driver=pgsql \\\n  --threads=10 \\\noltp_read_only "
	if x := one(t, command+"prepare\n\n"+command+"run\n\n"+report); x.Sysbench.Test != "oltp_read_only" {
		t.Errorf("%+v", x.Sysbench)
	}
	if x := one(t, command+"prepare\n\n"+report); x.Sysbench.Test != "" {
		t.Errorf("%+v", x.Sysbench)
	}
}

// TestFileThatEndsWithinAJob: fio tells near the end of a job how many requests it issued.
func TestFileThatEndsWithinAJob(t *testing.T) {
	const job = "fio-3.7\nr: (groupid=0, jobs=4): err= 0: pid=1722: Mon Dec 8 18:27:30 2025\n" +
		"   read: IOPS=116k, BW=455MiB/s (477MB/s)(53.3GiB/120001msec)\n" +
		"    clat (usec): min=87, max=42508, avg=540.39, stdev=330.43\n" +
		"  cpu          : usr=7.62%, sys=38.72%, ctx=8932045, majf=0, minf=202\n"
	const issued = "     issued rwts: total=13981,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
	if x := one(t, job); !x.Cut {
		t.Error("it ends behind cpu, and is not called cut")
	}
	if x := one(t, job+issued); x.Cut {
		t.Error("whole, and called cut")
	}
}

// TestRowsBeforeTheHeadOfVmstat: a mail that begins within an output has rows before the first head, folded as the
// others are. None of them is the mean since the boot.
func TestRowsBeforeTheHeadOfVmstat(t *testing.T) {
	const folded = " 2  3      0   7828  40784 1654252    0    0  4024  7838 1662 11486  7 \n4 44 45\n" +
		" 5 13      0   7228  38652 1653800    0    0  4370  9087 1751 12864  9 \n5 40 47\n" +
		"procs                      memory      swap          io    \nsystem         cpu\n" +
		" r  b   swpd   free   buff  cache   si   so    bi    bo   in    cs us sy\nid wa\n" +
		" 0  2      0 330392   5696 1319216    0    0  4674  6309 1949  9792  6 \n4 46 44\n"
	for name, text := range map[string]string{"folded": folded,
		"whole": strings.NewReplacer(" \n", " ", "sy\nid", "sy id").Replace(folded)} {
		x := one(t, text)
		if x.Program != VmstatRun || !x.Cut || x.Line != 1 || len(x.Vmstat.Samples) != 3 {
			t.Fatalf("%s: %+v", name, x)
		}
		if s := x.Vmstat.Samples; s[0].B != 3 || s[1].WA != 47 || s[2].Free != 330392 || s[0].SinceBoot ||
			s[2].SinceBoot {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestDatesInWords: some locales write the date of sar in words, and a zone behind each time.
func TestDatesInWords(t *testing.T) {
	const head = "Linux 3.11.0-23-generic (db1.example.com) \tThursday 04 September 2014 \t_i686_\t(2 CPU)\n\n"
	x := one(t, head+"02:00:44  IST   CPU     %user     %nice   %system   %iowait    %steal     %idle\n"+
		"02:00:46  IST   all      5.00      0.00      2.00     13.00      0.00     80.00\n")
	if s := x.Sar; s == nil || s.Host != "db1.example.com" || s.Date != "Thursday 04 September 2014" || s.CPUs != 2 ||
		len(s.CPU) != 1 || s.CPU[0].IOWait != 13 || s.CPU[0].At != "02:00:46" {
		t.Errorf("%+v", x.Sar)
	}
	x = one(t, head+"02:02:31  IST  MBfsfree  MBfsused   %fsused  %ufsused FILESYSTEM\n")
	if x.Sar == nil || len(x.Sar.Others) != 1 {
		t.Errorf("%+v", x.Sar)
	}
}

// TestRemarksBehindFigures: what a person has written behind a figure may have figures of its own.
func TestRemarksBehindFigures(t *testing.T) {
	for _, mark := range []string{" //", "//", " # ", " ← ", " <-- "} {
		x := one(t, "SQL statistics:\n    queries performed:\n"+
			"        read:                            4694"+mark+"300 s 的压测期间执行了469次\n"+
			"    transactions:                        335 (1117.66 per sec.)\n"+
			"General statistics:\n    total time:                          300.0294s"+mark+"5 minutes\n"+
			"Latency (ms):\n         avg:                                    8.94"+mark+"平均 8.94ms\n"+
			"         95th percentile:                       14.73"+mark+"95% of them\n")
		s := x.Sysbench
		if s == nil || s.Reads == nil || *s.Reads != 4694 || s.Seconds != 300.0294 || s.Latency == nil ||
			s.Latency.Mean == nil || *s.Latency.Mean != 8.94 || s.Latency.At == nil || *s.Latency.At != 14.73 {
			t.Errorf("%q: %+v", mark, s)
		}
	}
}

// TestRangeOfBlockSizes: blocks of several sizes have none that is that of all.
func TestRangeOfBlockSizes(t *testing.T) {
	const of = "test: (g=0): rw=rw, bs=%s, ioengine=psync, iodepth=1\nfio-3.32\n" +
		"test: (groupid=0, jobs=1): err= 0: pid=3385: Mon Sep 19 07:32:24 2022\n" +
		"  read: IOPS=106, BW=53.1MiB/s (55.7MB/s)(62.2GiB/1200001msec)\n"
	x := one(t, strings.Replace(of, "%s", "(R) 512B-1024KiB, (W) 512B-1024KiB", 1))
	if len(x.Fio.Jobs) != 1 || x.Fio.Jobs[0].BlockSize != 0 {
		t.Errorf("%+v", x.Fio.Jobs)
	}
	if x = one(t, strings.Replace(of, "%s", "4K-4K/4K-4K/4K-4K", 1)); x.Fio.Jobs[0].BlockSize != 4096 {
		t.Errorf("%+v", x.Fio.Jobs)
	}
	x = one(t, strings.Replace(of, "%s", "4K-4K", 1)+"    clat (usec): min=1, max=5, avg=2.86, stdev=1.70\n    clat\n")
	if !x.Cut {
		t.Errorf("%+v", x)
	}
}

// TestJobsOneByOne: jobs that are listed each for itself are one each, whatever their command asked for.
func TestJobsOneByOne(t *testing.T) {
	const head = "$ fio -rw=randwrite -bs=4k -numjobs=2 -name=f1 -ioengine=libaio\nfio-2.0.13\n"
	const job = "f1: (groupid=0, jobs=1): err= 0: pid=2: Fri Sep 27 20:49:01 2013\n" +
		"  write: io=102400KB, bw=12088KB/s, iops=3022 , runt=  8471msec\n"
	if x := one(t, head+job+job); len(x.Fio.Jobs) != 2 || x.Fio.Jobs[0].Jobs != 1 || x.Fio.Jobs[1].Jobs != 1 {
		t.Errorf("%+v", x.Fio.Jobs)
	}
}

// TestProseAboutLatency: a sentence that names the average latency is no line that was not understood.
func TestProseAboutLatency(t *testing.T) {
	got, err := Read([]byte("So the latency average for this query is better:\n\n" +
		"tps = 123.4 (without initial connection time)\n"))
	if err != nil || len(got.Unread) > 0 {
		t.Errorf("%v %+v", err, got)
	}
}
