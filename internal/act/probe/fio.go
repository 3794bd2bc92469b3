package probe

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// layoutTime bounds writing the file that is read from: at 10 MB a second what
// is measured is not worth waiting for.
const layoutTime = 100 * time.Second

// fio measures reads past the page cache, and flushes.
func (w *Work) fio(ctx context.Context, d *Place, f *folder, out *measured.Disk) {
	name := "reads under " + d.Places[0]
	file := []string{"--filename=" + f.path + "/reads", "--size=" + strconv.FormatInt(int64(d.ReadSize), 10),
		"--direct=1"}
	w.tellLayout(d)
	if _, err := w.job(ctx, f, layoutTime, append(file, "--rw=write", "--bs=1M", "--ioengine=psync",
		"--end_fsync=1")...); err != nil {
		w.failed(ctx, name, say.Err("the file to read from could not be written past the page cache: {reason}",
			"reason", err))
		return
	}
	timed := append(file, "--ioengine=libaio", "--time_based", "--runtime="+strconv.Itoa(w.o.Seconds))
	r := &measured.Reads{Size: d.ReadSize, Random: []measured.Random{}}
	long := time.Duration(w.o.Seconds)*time.Second + slack
	for _, depth := range depths {
		w.tellRandom(d, depth)
		job, err := w.job(ctx, f, long, append(timed, "--rw=randread", "--bs=8k", "--norandommap",
			"--iodepth="+strconv.Itoa(depth))...)
		if err == nil && job.Read.PerSecond <= 0 {
			err = say.Err("fio read nothing")
		}
		if err != nil {
			w.failed(ctx, name, err)
			return
		}
		r.By = job.by
		r.Random = append(r.Random, measured.Random{Depth: depth, PerSecond: job.Read.PerSecond, Mean: job.Read.Mean,
			P99: job.Read.P99})
	}
	out.Reads = r
	w.tellInOrder(d)
	if job, err := w.job(ctx, f, long, append(timed, "--rw=read", "--bs=128k", "--iodepth=8")...); err != nil {
		w.failed(ctx, name, err)
	} else {
		r.Sequential = job.Read.Speed
	}
	w.o.Tell(say.M("flushing a file that grows under {path}", "path", d.Places[0]))
	job, err := w.job(ctx, f, long, "--filename="+f.path+"/flushes",
		"--size="+strconv.FormatInt(int64(fioFlushSize), 10), "--rw=write", "--bs=8k",
		"--ioengine=psync", "--fdatasync=1", "--time_based", "--runtime="+strconv.Itoa(w.o.Seconds))
	if err != nil {
		w.failed(ctx, "flushes by fio under "+d.Places[0], err)
		return
	}
	out.FioFlush = &measured.FioSide{Count: job.Sync.Count, PerSecond: job.Write.PerSecond, Speed: unit.Bytes(0),
		Mean: job.Sync.Mean, P50: job.Sync.P50, P99: job.Sync.P99}
}

type fioJob struct {
	measured.FioJob
	by string
}

// job runs fio with one job. Its jobs are threads: as processes they would begin their own session, and outlive an
// interrupt.
func (w *Work) job(ctx context.Context, f *folder, long time.Duration, args ...string) (fioJob, error) {
	argv := append([]string{"fio", "--name=pgfettle", "--thread", "--output-format=json", "--lat_percentiles=0",
		"--clat_percentiles=1"}, args...)
	out, err := f.run(ctx, target.Command{Argv: argv, Dir: f.path, Timeout: long})
	if err != nil {
		return fioJob{}, err
	}
	parsed, err := measured.ParseFio(out.Stdout)
	switch {
	case out.Code != 0 && len(out.Stderr) > 0:
		return fioJob{}, say.Named("fio", errors.New(oneLine(out.Stderr)))
	case err != nil:
		return fioJob{}, err
	case len(parsed.Jobs) != 1 || parsed.Jobs[0].Error != 0 || out.Code != 0:
		return fioJob{}, say.Err("fio ended with code {n}", "n", strconv.Itoa(out.Code))
	}
	return fioJob{parsed.Jobs[0], parsed.Version}, nil
}
