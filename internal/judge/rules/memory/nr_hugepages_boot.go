package memory

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var NrHugepagesBoot = rule.Rule{
	Address: "boot:hugepages",
	Title:   "Huge page pool reserved at boot",
	Why: "vm.nr_hugepages is set after the kernel and the first services have allocated memory, and each huge page " +
		"needs 2 MB of contiguous memory. If memory is fragmented, fewer pages are allocated without an error. Pages " +
		"reserved on the kernel command line are allocated before any program runs. That memory is then reserved " +
		"from every boot on, even if no server runs.",
	Formula: "As many as vm.nr_hugepages, in three cases: that pool is more than 1/3 of RAM or 64 GB, is not " +
		"available before a reboot, or was requested in sysctl.d and only partly allocated. Smaller pools are left " +
		"to sysctl.d. A sufficient reservation stays. So does a command line with hugepagesz= (another page size), " +
		"because the order of both words matters.",
	Sources: []string{"linux-hugetlb", "pg-huge-pages"},
	Effect:  knob.Reboot,
	Risk:    knob.Medium,
	Unit:    "pages",
	Needs:   append(sizing.SharedKnobs(), knob.Sysctl("vm.nr_hugepages")),
	Legal: func(_ *rule.Case, value string) error {
		_, err := strconv.ParseUint(value, 10, 32)
		return err
	},
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		m, ok := rule.Need(c, c.Snapshot.Host.Memory)
		words, ok2 := rule.Need(c, c.Snapshot.Host.CmdLine)
		pool := c.Outcome.Of("", knob.Sysctl("vm.nr_hugepages"))
		if !ok || !ok2 || pool == nil || m.HugePageSize == 0 {
			return
		}
		want, err := strconv.ParseInt(pool.Effective.Setting, 10, 64)
		if err != nil || want == 0 {
			c.Keep("no huge page pool is planned")
			return
		}
		size := unit.Bytes(want) * m.HugePageSize
		if have, err := strconv.ParseInt(rule.BootWord(words, "hugepages"), 10, 64); err == nil && have >= want {
			c.Keep("hugepages={have} is set at boot, and {want} suffices", "have", bare(have), "want", bare(want))
			return
		}
		large := size > m.Total/poolLargeShare || size > poolLarge
		asked, given, short := poolGivenInPart(c)
		switch sized := rule.BootWord(words, "hugepagesz"); {
		case !large && pool.Effect != knob.Reboot && !(short && given < want):
			c.Keep("a pool of {size} is small for this host: sysctl.d, early at boot, is enough",
				"size", size)
		case sized != "":
			c.Warn(
				"A pool of {size} should be reserved at boot. The kernel command line has hugepagesz={sized}, and "+
					"the order of the words decides which page size each one counts, so pgfettle does not plan it. "+
					"Add manually: hugepagesz={page} hugepages={want}. Takes effect at the next reboot.",
				"size", size, "sized", sized, "want", bare(want), "page",
				strconv.FormatInt(int64(m.HugePageSize/unit.MB), 10)+"M")
			c.Keep(
				"the command line has hugepagesz={sized}, and the order of the words decides which page size each "+
					"one counts: change it manually", "sized", sized)
		case pool.Effect == knob.Reboot:
			c.Set(want,
				"a pool of {size} is not available before a reboot; at boot, memory is not fragmented yet", "size",
				size)
		case short && given < want:
			c.Set(want,
				"sysctl.d sets vm.nr_hugepages = {asked}, but the kernel allocated {given}; at boot, memory is not "+
					"fragmented yet",
				"asked", bare(asked), "given", bare(given))
		case size > m.Total/poolLargeShare:
			c.Set(want,
				"the pool of {size} is {percent}% of RAM, more than 1/3: after the first programs have started, the "+
					"kernel may not find enough contiguous pieces of {page}",
				"size", size, "percent", int((200*size/m.Total+1)/2), "page", m.HugePageSize)
		default:
			c.Set(want,
				"the pool of {size} exceeds {large}: after the first programs have started, the kernel may not find "+
					"enough contiguous pieces of {page}", "size", size, "large", poolLarge, "page",
				m.HugePageSize)
		}
	},
}

// poolGivenInPart reports whether the last file of sysctl.d asks for more huge pages than there are: the kernel did not
// give them.
func poolGivenInPart(c *rule.Case) (asked, given int64, short bool) {
	sets, _ := c.Snapshot.Host.SysctlConf.Get()
	for _, set := range sets {
		if n, err := strconv.ParseInt(strings.TrimSpace(set.Value), 10, 64); err == nil && set.Read &&
			set.Name == "vm.nr_hugepages" {
			asked = n
		}
	}
	given, ok := c.Snapshot.Host.Sysctls.Int("vm.nr_hugepages").Get()
	return asked, given, ok && asked > given
}
