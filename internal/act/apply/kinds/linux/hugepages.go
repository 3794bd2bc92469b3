package linux

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// poolName is the pool of huge pages of the default size.
const poolName = "vm.nr_hugepages"

// keepFree is what the growth of the pool leaves to everybody else: about what
// the kernel's admin-guide/sysctl/vm.rst says that a login and a kill take.
const keepFree = 128 * unit.MB

// hugePages is sysctl:vm.nr_hugepages. A write of too many pages succeeds, gives
// fewer and takes nearly all memory, so the pool grows only by what is
// available, and both it and its file go back where the kernel gives less.
type hugePages struct{ sysctl }

// set brings the pool and its file into a state.
func (h hugePages) set(st journal.State) error {
	if st.Live == nil || h.Kernel == nil {
		return h.setFile(st.File)
	}
	want, err := strconv.ParseInt(*st.Live, 10, 64)
	if err != nil || want < 0 {
		return ofParameter(poolName, say.Err("{value} is not a number of pages", "value", say.Quoted(*st.Live)))
	}
	text, err := h.read(poolName)
	if err != nil {
		return err
	}
	now, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return ofParameter(poolName, err)
	}
	if want > now {
		// before the file, which would bring down the next boot as well
		if err := h.room(want); err != nil {
			return err
		}
	}
	before, err := h.lookFile(plan.SysctlFile)
	if err != nil {
		return err
	}
	if err := h.setFile(st.File); err != nil || want == now {
		return err
	}
	if err := h.resize(now, want); err != nil {
		return errors.Join(err, h.setFile(before))
	}
	return nil
}

// memory reads /proc/meminfo.
func (h hugePages) memory() (host.Memory, error) {
	b, err := h.Kernel.ReadFile("/proc/meminfo", 64<<10) // some 60 lines of 30 bytes
	if err != nil {
		return host.Memory{}, err
	}
	m, err := host.ParseMemory(b)
	if err != nil {
		return m, say.Named("/proc/meminfo", err)
	}
	if m.HugePageSize <= 0 {
		return m, say.Err("/proc/meminfo: this kernel has no huge pages")
	}
	return m, nil
}

// room refuses a growth for which there is no memory, or that would take the
// commit limit below what is committed. Pages in surplus count: they join the
// pool.
func (h hugePages) room(want int64) error {
	m, err := h.memory()
	if err != nil {
		return err
	}
	if want > int64(m.Total/m.HugePageSize) {
		return ofParameter(poolName, say.Err("{pages} pages of {size} are more than the memory there is, {limit}",
			"pages", strconv.FormatInt(want, 10), "size", m.HugePageSize, "limit", m.Total))
	}
	more := unit.Bytes(max(want-m.HugeTotal, 0)) * m.HugePageSize
	if more > m.Available-keepFree {
		return ofParameter(poolName, say.Err("{pages} pages take {size} more, and {free} are available, of which "+
			"{spare} must stay free: stop the server first, or {reason}", "pages", strconv.FormatInt(want, 10),
			"size", more, "free", m.Available, "spare", keepFree, "reason", atBoot(want)))
	}
	mode, err := h.read("vm.overcommit_memory")
	if err != nil || mode != "2" {
		return err
	}
	ratio, err := h.read("vm.overcommit_ratio") // 0 where vm.overcommit_kbytes rules, which huge pages do not lower
	if err != nil {
		return err
	}
	percent, err := strconv.ParseInt(ratio, 10, 64)
	if err != nil {
		return ofParameter("vm.overcommit_ratio", err)
	}
	if less := m.CommitLimit - more/100*unit.Bytes(percent); less < m.CommittedAS {
		return ofParameter(poolName, say.Err("under strict overcommit {pages} pages lower the commit limit to "+
			"{limit}, and {size} are committed: no program could start", "pages", strconv.FormatInt(want, 10),
			"limit", less, "size", m.CommittedAS))
	}
	return nil
}

// resize changes the pool and puts it back where the kernel gives fewer pages.
func (h hugePages) resize(now, want int64) error {
	got, err := h.ask(want)
	if err == nil && got < want {
		// A signal to the thread that writes ends the kernel's search and is no error: at
		// one each 0.5 ms, 177 of 546 pages were there (6.18). The Go runtime sends some.
		got, err = h.ask(want)
	}
	if err == nil && got < want {
		// fragmented memory: what can be moved is moved together, once
		if err := h.Kernel.Poke("/proc/sys/vm/compact_memory", "1"); err == nil {
			got, err = h.ask(want)
			if err != nil {
				return errors.Join(err, h.giveBack(now))
			}
		}
	}
	if err != nil {
		return errors.Join(err, h.giveBack(now))
	}
	if got != want {
		err := ofParameter(poolName, say.Err("asked for {n} pages, the kernel gives {most}: memory is fragmented; "+
			"{reason}", "n", strconv.FormatInt(want, 10), "most", strconv.FormatInt(got, 10), "reason", atBoot(want)))
		return errors.Join(err, h.giveBack(now))
	}
	return nil
}

// ask writes the size of the pool and reads it back, from the parameter and
// from meminfo: both must have it.
func (h hugePages) ask(pages int64) (int64, error) {
	if err := h.Kernel.Poke("/"+host.SysctlPath(poolName), strconv.FormatInt(pages, 10)); err != nil {
		return 0, ofParameter(poolName, err)
	}
	text, err := h.read(poolName)
	if err != nil {
		return 0, err
	}
	got, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, ofParameter(poolName, err)
	}
	m, err := h.memory()
	if err != nil {
		return 0, err
	}
	return min(got, m.HugeTotal), nil
}

func (h hugePages) giveBack(pages int64) error {
	if err := h.Kernel.Poke("/"+host.SysctlPath(poolName), strconv.FormatInt(pages, 10)); err != nil {
		return say.Err("the pool could not be restored to {n} pages: {reason}", "n", strconv.FormatInt(pages, 10),
			"reason", err)
	}
	return nil
}

// atBoot returns the surest way to get that many pages.
func atBoot(pages int64) say.Message {
	return say.M("reserve them at boot with hugepages={pages} on the kernel's command line",
		"pages", strconv.FormatInt(pages, 10))
}

// notes reports pages that outlive the shrinking of their pool.
func (h hugePages) notes() ([]string, error) {
	m, err := h.memory()
	if err != nil || m.HugeSurp == 0 {
		return nil, err
	}
	return []string{
		fmt.Sprintf(
			"%d huge pages (%s) are in use beyond the pool of %d: they stay until the programs that use them end, "+
				"and a server that needs them could not start again",
			m.HugeSurp, unit.Bytes(m.HugeSurp)*m.HugePageSize, m.HugeTotal-m.HugeSurp)}, nil
}
