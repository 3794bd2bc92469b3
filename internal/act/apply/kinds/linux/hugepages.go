package linux

import (
	"errors"
	"fmt"
	"strconv"

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
		return fmt.Errorf("kernel parameter %s: %q is not a number of pages", poolName, *st.Live)
	}
	text, err := h.read(poolName)
	if err != nil {
		return err
	}
	now, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("kernel parameter %s: %w", poolName, err)
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
		return m, fmt.Errorf("/proc/meminfo: %w", err)
	}
	if m.HugePageSize <= 0 {
		return m, errors.New("/proc/meminfo: this kernel has no huge pages")
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
		return fmt.Errorf("kernel parameter %s: %d pages of %s are more than the memory there is, %s", poolName, want,
			m.HugePageSize, m.Total)
	}
	more := unit.Bytes(max(want-m.HugeTotal, 0)) * m.HugePageSize
	if more > m.Available-keepFree {
		return fmt.Errorf(
			"kernel parameter %s: %d pages take %s more, and %s are available, of which %s must stay free: stop the "+
				"server first, or %s",
			poolName, want, more, m.Available, keepFree, atBoot(want))
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
		return fmt.Errorf("kernel parameter vm.overcommit_ratio: %w", err)
	}
	if less := m.CommitLimit - more/100*unit.Bytes(percent); less < m.CommittedAS {
		return fmt.Errorf(
			"kernel parameter %s: under strict overcommit %d pages lower the commit limit to %s, and %s are "+
				"committed: no program could start", poolName, want, less, m.CommittedAS)
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
		err := fmt.Errorf("kernel parameter %s: asked for %d pages, the kernel gives %d: memory is fragmented; %s",
			poolName, want, got, atBoot(want))
		return errors.Join(err, h.giveBack(now))
	}
	return nil
}

// ask writes the size of the pool and reads it back, from the parameter and
// from meminfo: both must have it.
func (h hugePages) ask(pages int64) (int64, error) {
	if err := h.Kernel.Poke("/"+host.SysctlPath(poolName), strconv.FormatInt(pages, 10)); err != nil {
		return 0, fmt.Errorf("kernel parameter %s: %w", poolName, err)
	}
	text, err := h.read(poolName)
	if err != nil {
		return 0, err
	}
	got, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("kernel parameter %s: %w", poolName, err)
	}
	m, err := h.memory()
	if err != nil {
		return 0, err
	}
	return min(got, m.HugeTotal), nil
}

func (h hugePages) giveBack(pages int64) error {
	if err := h.Kernel.Poke("/"+host.SysctlPath(poolName), strconv.FormatInt(pages, 10)); err != nil {
		return fmt.Errorf("the pool could not be put back to %d pages: %w", pages, err)
	}
	return nil
}

// atBoot tells the surest way to so many pages.
func atBoot(pages int64) string {
	return fmt.Sprintf("reserve them at boot with hugepages=%d on the kernel's command line", pages)
}

// notes tells of pages that outlive the shrinking of their pool.
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
