package output

import (
	"fmt"
	"strings"
	"testing"
)

// TestSysstatJSON: iostat, mpstat and sadf, whole, in one line, cut, and without its first brace.
func TestSysstatJSON(t *testing.T) {
	const io = `{"sysstat": {"hosts": [{"nodename": "h1", "release": "6.1.0", "number-of-cpus": 4, "date": "02/17/26",
"statistics": [
{"avg-cpu": {"user": 4.1, "system": 1.2, "iowait": 0.3, "steal": 0.0, "idle": 94.4},
 "disk": [{"disk_device": "vda", "r/s": 1.5, "rkB/s": 12.0, "util": 3.1}]},
{"avg-cpu": {"user": 5.1, "system": 1.2, "iowait": 41.3, "steal": 2.5, "idle": 49.9},
 "disk": [{"disk_device": "vda", "r/s": 2.5, "w/s": 30.0, "w_await": 18.2, "aqu-sz": 9.1, "util": 98.4}]}
]}]}}`
	for name, text := range map[string]string{"whole": io, "one line": strings.ReplaceAll(io, "\n", " "),
		"after text": "$ iostat -o JSON 5 2\n" + io, "cut": io[:len(io)-8], "no brace": io[1:]} {
		x := one(t, text)
		if x.Iostat == nil || x.Iostat.Host != "h1" || x.Iostat.CPUs != 4 || len(x.Iostat.Samples) != 2 ||
			!x.Iostat.Samples[0].SinceBoot || x.Iostat.Samples[1].CPU.Steal != 2.5 ||
			*x.Iostat.Samples[1].Devices[0].WriteMS != 18.2 || *x.Iostat.Samples[1].Devices[0].Util != 98.4 ||
			x.Iostat.Samples[1].Devices[0].ReadMS != nil || x.Cut != (name == "cut") {
			t.Errorf("%s: %+v", name, x.Iostat)
		}
	}
	const mp = `{"sysstat": {"hosts": [{"nodename": "h1", "statistics": [{"timestamp": "10:00:01",
"cpu-load": [{"cpu": "all", "usr": 20.5, "sys": 3.1, "iowait": 0.0, "irq": 0.0, "soft": 0.1,
"steal": 7.0, "idle": 69.3}]}]}]}}`
	if x := one(t, mp); x.Program != MpstatRun || x.Sar.CPU[0].User != 20.5 || x.Sar.CPU[0].At != "10:00:01" {
		t.Errorf("%+v", x.Sar)
	}
}

// TestTerse: fields of versions 3 to 5 are found where they are, and of version 2 none is guessed.
func TestTerse(t *testing.T) {
	side := func(v int, iops int, p99 int) string {
		f := []string{"1000", "4000", fmt.Sprint(iops), "30000", "0", "0", "0.0", "0.0", "10", "900", "120.500000",
			"30.0"}
		for _, n := range []string{"50.000000", "99.000000"} {
			f = append(f, n+"%="+map[string]string{"50.000000": "100", "99.000000": fmt.Sprint(p99)}[n])
		}
		for range 18 {
			f = append(f, "0%=0")
		}
		f = append(f, "11", "901", "121.0", "30.0", "1", "2", "100.0%", "3.0", "4.0")
		if v == 5 {
			f = append(f, "59", "1", "2", "3.0", "4.0", "59")
		}
		return strings.Join(f, ";")
	}
	for v := 3; v <= 5; v++ {
		x := one(t, fmt.Sprintf("%d;fio-3.33;job one;0;0;%s;%s;1%%;2%%\n", v, side(v, 500, 872), side(v, 700, 4358)))
		j := x.Fio.Jobs[0]
		if j.Name != "job one" || j.Read.PerSecond != 500 || j.Read.P99 != 0.000872 || j.Read.P50 != 0.0001 ||
			j.Write.PerSecond != 700 || j.Write.P99 != 0.004358 || j.Read.Mean != 0.0001205 || j.Seconds != 30 ||
			x.Cut {
			t.Errorf("version %d: %+v %+v", v, j.Read, j.Write)
		}
	}
	if r, err := Read([]byte("2;fio-1.5;0;" + side(3, 500, 872) + "\n")); err != ErrNone {
		t.Errorf("%+v", r)
	}
}

// TestUnfinished: of a run that had not ended its last moment is told, of fio 2 and 3.
func TestUnfinished(t *testing.T) {
	for name, c := range map[string]struct {
		text          string
		reads, writes float64
		left          int64
	}{
		"3": {"rr: (g=0): rw=randread, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=libaio, " +
			"iodepth=64\n" +
			"fio-3.33\nStarting 1 process\nJobs: 1 (f=1): [r(1)][66.7%][r=822MiB/s][r=105k IOPS][eta 00m:20s]" +
			"Jobs: 1 (f=1): [r(1)][68.3%][r=819MiB/s][r=104k IOPS][eta 00m:19s]\n", 104_000, 0, 19},
		"mixed": {"fio-3.16\nStarting 4 processes\nJobs: 4 (f=4): [m(4)][3.3%][r=24.1MiB/s,w=10.3MiB/s]" +
			"[r=3085,w=1318 IOPS]" +
			"[eta 01h:02m:03s]\n", 3085, 1318, 3723},
		"2": {"old: (g=0): rw=randrw, bs=8K-8K/8K-8K/8K-8K, ioengine=libaio, iodepth=4\n" +
			"fio-2.2.10\nStarting 1 process\nJobs: 1 (f=1): [m(1)] [46.7% done] [97.6M/10.2M/0K /s] " +
			"[24.1K/2612/0  iops] [eta 00m:16s]\n", 24_100, 2612, 16},
	} {
		x := one(t, c.text)
		p := x.Fio.Progress
		if !x.Cut || p == nil || p.Reads != c.reads || p.Writes != c.writes || p.Left != c.left ||
			x.Fio.Jobs[0].Read != nil {
			t.Errorf("%s: %+v %+v", name, x, p)
		}
	}
}

// TestBackward: a clock that went backward, in each language of which a catalog is here.
func TestBackward(t *testing.T) {
	for _, text := range []string{
		"Testing timing overhead for 3 seconds.\nDetected clock going backwards in time.\nTime warp: -12 ms\n",
		"Test du coût du chronométrage pour 3 secondes.\nDétection d'une horloge partant à rebours.\n" +
			"Décalage de temps : -12 us\n",
		"Оценка издержек замеров времени в течение 3 сек.\nОбнаружен обратный ход часов.\nСдвиг времени: -12 мкс\n",
		"测试3秒的时间开销.\n检测到时钟时间倒转.\n时间错位: -12 毫秒\n",
		"3 秒間のオーバーヘッド\nクロックの時刻が逆行していることを検出しました。\n逆行した時間: -12 ms\n",
	} {
		x := one(t, text).Timing
		if x.Seconds != 3 || !strings.Contains(x.Backward, "-12") || len(x.Clocks) > 0 {
			t.Errorf("%s: %+v", text, x)
		}
	}
	if r, err := Read([]byte("ntpd\n\noffset: -12 ms\n")); err != ErrNone {
		t.Errorf("%+v", r)
	}
}

// TestFolded: rows that a mailer has folded are whole again.
func TestFolded(t *testing.T) {
	const wide = "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util\n" +
		"sda 1.00 8.00 0.50 2.00 16.00 40.00 3.00 97.00\n" +
		"sdb 0.00 0.00 0.00 1.00 8.00 0.40 0.00 0.10\n"
	const folded = "Device r/s rkB/s r_await w/s\nwkB/s w_await aqu-sz %util\n" +
		"sda 1.00 8.00 0.50 2.00\n16.00 40.00 3.00 97.00\n" +
		"sdb 0.00 0.00 0.00 1.00\n8.00 0.40 0.00 0.10\n"
	for _, text := range []string{wide, folded} {
		d := one(t, text).Iostat.Samples[0].Devices
		if len(d) != 2 || *d[0].Util != 97 || *d[0].WriteMS != 40 || *d[1].Writes != 1 {
			t.Errorf("%+v", d)
		}
	}
	v := one(t, " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy\nid wa st\n"+
		" 2  1      0    512    120  28000    0    0    10    20   30   40  1  1\n97  1  3\n").Vmstat
	if len(v.Samples) != 1 || v.Samples[0].ID != 97 || *v.Samples[0].ST != 3 {
		t.Errorf("%+v", v)
	}
	p := one(t, "tps = 94.5 (without initial connection time)\nstatement latencies in milliseconds:\n"+
		"         0.004  \\set id random(1, 900000)\n        41.102  UPDATE orders SET state = 'packed' WHERE\n"+
		"customer_id = :id\n         1.433  SELECT 1;\n").Pgbench
	if s := p.Scripts[0].Statements; len(s) != 3 || !strings.HasSuffix(s[1].Text, "WHERE customer_id = :id") {
		t.Errorf("%+v", s)
	}
}

// TestWide: the head of a wide table has no row in it.
func TestWide(t *testing.T) {
	for _, head := range []string{
		" r  b   swpd   free  inact active   si   so    bi    bo   in   cs us sy id wa st\n",
		"   r    b       swpd       free       inact      active   si   so    bi    bo   in   cs  us  sy  id  wa  st\n",
	} {
		v := one(t, head+" 2  6  20480 184220 9120440 5511204    0    0   411   920  801 1420  9  3 81  7  0\n").Vmstat
		if len(v.Samples) != 1 || *v.Samples[0].Active != 5511204 || v.Samples[0].Cache != nil {
			t.Errorf("%+v", v)
		}
	}
}

// TestFromCache: reads that no disk had, and those that a quick one had.
func TestFromCache(t *testing.T) {
	yes := true
	for _, c := range []struct {
		f    Fio
		want bool
	}{
		{Fio{Jobs: []Job{{RW: "randread", Read: &Side{PerSecond: 486_000, Mean: 1.9e-6}}}}, true},
		{Fio{Jobs: []Job{{RW: "randread", Direct: &yes, Read: &Side{PerSecond: 486_000, Mean: 1.9e-6}}}}, false},
		{Fio{Jobs: []Job{{RW: "randread", Read: &Side{PerSecond: 130_000, Mean: 7e-6, Count: 1000}}},
			Disks: []FioDisk{{Name: "sda", Reads: 0}}}, true},
		{Fio{Jobs: []Job{{RW: "read", Read: &Side{PerSecond: 130_000, Mean: 7e-6, Count: 1000}}},
			Disks: []FioDisk{{Name: "sda", Reads: 4}}}, false},
		{Fio{Jobs: []Job{{RW: "randread", Read: &Side{PerSecond: 130_000, Mean: 7e-6, Count: 1000}}},
			Disks: []FioDisk{{Name: "sda", Reads: 998}}}, false},
	} {
		if got := c.f.FromCache(&c.f.Jobs[0]); got != c.want {
			t.Errorf("%+v: %v", c.f, got)
		}
	}
}
