package output

import (
	"slices"
	"testing"
)

// TestFlushesOfIostat holds the columns of flushes, which only some disks have.
func TestFlushesOfIostat(t *testing.T) {
	const head = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm" +
		" w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util\n"
	x := one(t, head+
		"sda              1.00      4.00     0.00   0.00    0.50     4.00   20.00    160.00     2.00   9.09 "+
		"   1.50     8.00    0.00      0.00     0.00   0.00    0.00     0.00   18.00    2.75    0.08   4.10\n")
	d := x.Iostat.Samples[0].Devices[0]
	if d.Flushes == nil || *d.Flushes != 18 || d.FlushMS == nil || *d.FlushMS != 2.75 || *d.Util != 4.1 {
		t.Errorf("%+v", d)
	}
	if ms, of := d.Longest(); ms != 1.5 || of != "writes" {
		t.Errorf("%v %s", ms, of)
	}
}

// TestContraryLatencies holds that latencies that cannot both be true are told as such, and that those of libaio and of
// rounding are not.
func TestContraryLatencies(t *testing.T) {
	const head = "r: (groupid=0, jobs=1): err= 0: pid=1: Mon Jan  6 10:00:00 2025\n" +
		"  read: IOPS=1000, BW=3.9MiB/s (4.1MB/s)(39MiB/10001msec)\n"
	for lines, contrary := range map[string]bool{
		"    clat (msec): min=1, max=9, avg= 5.00, stdev= 1.00\n" +
			"     lat (usec): min=1, max=9, avg= 7.00, stdev= 1.00\n": true,
		"    clat (usec): min=1, max=9, avg= 5.00, stdev= 1.00\n" +
			"     lat (usec): min=1, max=9, avg= 4.90, stdev= 1.00\n": false,
		"    slat (usec): min=1, max=9, avg= 9.00, stdev= 1.00\n" +
			"    clat (usec): min=1, max=9, avg= 5.00, stdev= 1.00\n" +
			"     lat (usec): min=1, max=9, avg=14.00, stdev= 1.00\n": false,
	} {
		s := one(t, head+lines+"  cpu          : usr=1.00%, sys=1.00%, ctx=1, majf=0, minf=1\n").Fio.Jobs[0].Read
		if (s.Contrary != nil) != contrary || contrary && s.Mean != 0 || !contrary && s.Mean == 0 {
			t.Errorf("%s%+v", lines, s)
		}
	}
}

// TestDDInTheCellsOfARow holds that a table of two hosts has two results of dd in a line.
func TestDDInTheCellsOfARow(t *testing.T) {
	text := "<table><tr><td>1024+0 records in</td><td>1024+0 records in</td></tr>" +
		"<tr><td>1024+0 records out</td><td>1024+0 records out</td></tr>" +
		"<tr><td>1073741824 bytes (1.1 GB, 1.0 GiB) copied, 8.9 s, 120 MB/s</td>" +
		"<td>**1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.3 s, 200 MB/s**</td></tr></table>\n"
	r, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range r.Others {
		got = append(got, n.Text)
	}
	want := []string{"1073741824 bytes (1.1 GB, 1.0 GiB) copied, 8.9 s, 120 MB/s",
		"1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.3 s, 200 MB/s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
