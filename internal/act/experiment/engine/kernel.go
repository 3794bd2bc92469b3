package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// poolName is the pool of huge pages of the default size.
const poolName = experiment.HugePagesPool

// kernelValues are the values of the kernel that a configuration may differ in. None of
// them can make other programs fail; those of overcommit can.
var kernelValues = []string{"sysctl:vm.swappiness", "sysctl:vm.dirty_ratio", "sysctl:vm.dirty_background_ratio",
	"sysctl:vm.zone_reclaim_mode", "thp:enabled"}

// mostPages is a pool of 2 TB of 2 MB pages: more is a mistake.
const mostPages = 1 << 20

// mostPools is how often a pool is asked for: at once; when what can be moved was
// moved together; and when the page cache was emptied before that.
const mostPools = 3

// recordName is the file in the scratch directory that says which values of the kernel are ours, written before they
// are changed.
const recordName = "kernel.json"

// former is a value of the kernel that was changed.
type former struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// ours reports whether a present value is one that we left. A pool that was being made when we were killed may have any
// number of pages between the two.
func (f former) ours(now string) bool {
	if f.Name == poolName {
		n, err := strconv.ParseInt(now, 10, 64)
		before, err1 := strconv.ParseInt(f.Before, 10, 64)
		after, err2 := strconv.ParseInt(f.After, 10, 64)
		return errors.Join(err, err1, err2) == nil && before < n && n <= after
	}
	return now == f.After && now != f.Before
}

// touch changes the kernel as configurations that run at once want it. Every value is
// written down before the first one is changed.
func touch(w world, configs []experiment.Configuration, may bool) error {
	values := map[string]string{}
	pages := int64(0)
	for _, c := range configs {
		pages += c.HugePages
		for address, v := range c.Kernel {
			name := string(address)
			if other, ok := values[name]; ok && other != v {
				return &say.Problem{Message: say.M("the configurations require both {other} and {value} for {name}",
					"name", name, "other", other, "value", v),
					Hint: say.M("a value of the kernel holds for both servers: use the design restart"),
					Code: say.CodeUsage}
			}
			values[name] = v
		}
	}
	if pages == 0 && len(values) == 0 {
		return nil
	}
	if !may {
		return untouchable("a configuration changes values of the kernel")
	}
	var list []former
	for _, name := range slices.Sorted(maps.Keys(values)) {
		before, err := w.Kernel(name)
		if err != nil {
			return say.Named(name, err)
		}
		if before != values[name] {
			list = append(list, former{name, before, values[name]})
		}
	}
	if pages > 0 {
		f, err := pool(w, pages)
		if err != nil {
			return err
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil
	}
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := w.Put(recordName, b); err != nil {
		return say.Err("record of changed kernel values: {reason}", "reason", err)
	}
	for _, f := range list {
		err := w.SetKernel(f.Name, f.After)
		for try := 1; err != nil && f.Name == poolName && try < mostPools; try++ {
			// The data of the configuration before fill the page cache; those of this one are read into it before its
			// run.
			if e := w.Compact(try == mostPools-1); e != nil {
				err = errors.Join(err, e)
				break
			}
			err = w.SetKernel(f.Name, f.After)
		}
		if err != nil {
			if f.Name == poolName {
				err = &say.Problem{Message: say.M("the kernel does not give a pool of {pages} huge pages", "pages",
					fmt.Sprint(pages)),
					Detail: say.OfError(err),
					Hint: say.M("free memory is in too small pieces or used up; a smaller shared_buffers, or a " +
						"fresh boot, helps"), Code: say.CodeRefused}
			}
			_, undo := untouch(w)
			return errors.Join(err, undo)
		}
	}
	return nil
}

// keepFree is what a pool must leave available to everything else: the tenth
// part of the memory, but at least 1 GB, as for the server's own planning.
func keepFree(total unit.Bytes) unit.Bytes { return max(unit.GB, total/10) }

func pool(w world, pages int64) (former, error) {
	m, err := w.Memory()
	if err != nil {
		return former{}, err
	}
	if m.HugePageSize <= 0 {
		return former{}, &say.Problem{Message: say.M("a configuration requires huge pages, and this kernel has none"),
			Code: say.CodeRefused}
	}
	if want := unit.Bytes(pages) * m.HugePageSize; want > m.Available-keepFree(m.Total) {
		return former{}, &say.Problem{Message: say.M("a pool of {pages} huge pages takes {want}, and {available} are "+
			"available", "pages", fmt.Sprint(pages), "want", want, "available", m.Available),
			Detail: say.M("{total} are to stay free for everything else", "total", keepFree(m.Total)),
			Hint:   say.M("use a smaller shared_buffers in the experiment"), Code: say.CodeRefused}
	}
	before, err := w.Kernel(poolName)
	if err != nil {
		return former{}, say.Named(poolName, err)
	}
	n, err := strconv.ParseInt(before, 10, 64)
	if err != nil {
		return former{}, say.Named(poolName, err)
	}
	return former{poolName, before, strconv.FormatInt(n+pages, 10)}, nil
}

// untouch sets back what the record names, where it is still ours, and strikes
// it out. It returns what it set back.
func untouch(w world) ([]string, error) {
	b, err := w.Read(recordName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []former
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, say.Err("{name} in the scratch directory: {reason}", "name", recordName, "reason", err)
	}
	var done []string
	var errs []error
	for _, f := range list {
		if f.Name != poolName && !slices.Contains(kernelValues, f.Name) {
			errs = append(errs, say.Err("{name} in the scratch directory sets {value}, which no experiment changes",
				"name", recordName, "value", say.Quoted(f.Name)))
			continue
		}
		now, err := w.Kernel(f.Name)
		if err == nil && f.ours(now) {
			if err = w.SetKernel(f.Name, f.Before); err == nil {
				done = append(done, f.Name+" = "+f.Before)
			}
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return done, err // the record stays, for the next start
	}
	return done, w.Remove(recordName)
}

func untouchable(what string) error {
	return &say.Problem{Message: say.M("{what}, and nothing allows changes to this host", "what",
		what),
		Hint: say.M("allow it if nothing else runs on this host; values are restored afterwards"),
		Code: say.CodeRefused}
}
