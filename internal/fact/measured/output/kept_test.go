package output

import (
	"fmt"
	"strings"
	"testing"
)

// TestVmstatWithoutSwapColumns: what has no column is unknown.
func TestVmstatWithoutSwapColumns(t *testing.T) {
	v := one(t, " r  b   free   buff  cache   bi    bo   in   cs us sy id wa\n"+
		" 2  1 81200 4100 390000  12  77 410 900  5  2 80 13\n 4  0 80100 4100 390100  0  55 400 870  6  2 85 "+
		"7\n").Vmstat
	if v == nil || len(v.Samples) != 2 || v.Samples[1].Swpd != nil || v.Samples[1].SI != nil || v.Samples[1].CS != 870 {
		t.Errorf("%+v", v)
	}
}

// TestFilesOfSysbench: what a test of files worked on, also where the first lines are cut.
func TestFilesOfSysbench(t *testing.T) {
	const report = "Number of threads: 6\nInitializing random number generator from current time\n64 files, 32MiB " +
		"each\n" +
		"2GiB total file size\nBlock size %s\nDoing random r/w test\nThreads started!\nFile operations:\n" +
		"    reads/s:   120.50\n    writes/s:  80.25\n    fsyncs/s:  310.00\nGeneral statistics:\n" +
		"    total time:  10.0100s\n    total number of events:  5110\n"
	for size, want := range map[string]string{"8KiB": "8 kB", "16Kb": "16 kB", "4096B": "4 kB"} {
		x := one(t, fmt.Sprintf(report, size)).Sysbench
		if x == nil || x.BlockSize.String() != want || x.Threads != 6 || x.Files == nil || x.Files.Count != 64 ||
			x.Files.Size != 2<<30 {
			t.Errorf("%s: %+v", size, x)
		}
	}
}

// TestFirstLineOfAString: a table as a string of a program, and behind a fence whose language runs into it.
func TestFirstLineOfAString(t *testing.T) {
	const head = "Linux 6.1.0-18-amd64 (db7)\t02/03/27\t_x86_64_\t(6 CPU)\n\n"
	const rows = "# Time        UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n" +
		"07:12:09        0       411     12.0k    3.5k      0.0B       0  postgres\n"
	for _, text := range []string{"Run:\n\n```output" + head + rows + "```\n", "\tout := `" + head + rows + "`\n"} {
		x := one(t, text).Pidstat
		if x == nil || x.Host != "db7" || x.CPUs != 6 || len(x.Tasks) != 1 {
			t.Errorf("%q: %+v", text, x)
		}
	}
}

// TestObjectInAString: a document of fio as the literal of a program keeps its commas.
func TestObjectInAString(t *testing.T) {
	x := one(t, "\tsample := `\n{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : [\n    {\n      \"jobname\" : "+
		"\"w\",\n"+
		"      \"job options\" : {\n        \"rw\" : \"write\",\n        \"bs\" : \"8k\"\n      },\n      "+
		"\"write\" : {\n"+
		"        \"io_bytes\" : 81920,\n        \"bw\" : 160,\n        \"iops\" : 20.0,\n        \"total_ios\" : 10\n"+
		"      }\n    }\n  ]\n}\n`\n")
	if x.Fio == nil || len(x.Fio.Jobs) != 1 || x.Fio.Jobs[0].Name != "w" {
		t.Errorf("%+v", x)
	}
}

// TestOtherPrograms: the figures of programs that are not judged have the names of their columns.
func TestOtherPrograms(t *testing.T) {
	for text, want := range map[string]string{
		"Total IO\nthread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  |  file\n" +
			"------------------------------------------------------------\n" +
			"     0 |       819200000 |       100000 |      26.04 |    3333.33 |    2.400 | t.dat (1GiB)\n" +
			"------------------------------------------------------------\n" +
			"total:         819200000 |       100000 |      26.04 |    3333.33 |    2.400\n": "diskspd Total IO: " +
			"bytes " +
			"819200000, I/Os 100000, MiB/s 26.04, I/O per s 3333.33, AvgLat 2.400",
		"Version  1.98       ------Sequential Output------ --Sequential Input- --Random-\n" +
			"Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n" +
			"db7             48G   900  99 210000  31 120000  22  1800  98 340000  28 620.5  19\n": "bonnie++ " +
			"Version  " +
			"1.98       ------Sequential Output------ --Sequential Input- --Random- | bonnie++ db7             48G   " +
			"900  " +
			"99 210000  31 120000  22  1800  98 340000  28 620.5  19",
	} {
		r, err := Read([]byte("Here it is:\n\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, n := range r.Others {
			list = append(list, n.Program+" "+n.Text)
		}
		if got := strings.Join(list, " | "); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
