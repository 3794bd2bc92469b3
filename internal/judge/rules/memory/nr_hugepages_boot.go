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
	Title:   "how many huge pages the kernel reserves while it boots",
	Why: "vm.nr_hugepages is written when the kernel, the initial RAM disk and the first services have taken memory " +
		"already, and each huge page needs 2 MB in one piece: the write gives fewer pages without an error " +
		"where a piece has something in it that cannot be moved. Reserved on the kernel's command line, the pages " +
		"are taken before any program runs. The memory is then reserved from each boot, whether a server runs or not.",
	Formula: "As many as vm.nr_hugepages, where that pool is more than a third of the memory or 64 GB, cannot be " +
		"had before a reboot, or was asked for in a file of sysctl.d and given only in part. " +
		"A smaller pool is left to sysctl.d. A reservation that is as large already stays, and so does one of " +
		"another page size (hugepagesz=), whose order with this word counts.",
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
			c.Keep("no pool of huge pages is planned")
			return
		}
		size := unit.Bytes(want) * m.HugePageSize
		if have, err := strconv.ParseInt(rule.BootWord(words, "hugepages"), 10, 64); err == nil && have >= want {
			c.Keep("{have} pages are reserved at boot, and {want} are needed", "have", bare(have), "want", bare(want))
			return
		}
		large := size > m.Total/poolLargeShare || size > poolLarge
		asked, given, short := poolGivenInPart(c)
		switch sized := rule.BootWord(words, "hugepagesz"); {
		case !large && pool.Effect != knob.Reboot && !(short && given < want):
			c.Keep("the pool of {size} is small for the memory: what sysctl.d writes early at boot is enough",
				"size", size)
		case sized != "":
			c.Warn(
				"The pool of {size} is better reserved while the kernel boots. Its command line has "+
					"hugepagesz={sized}, and which page size a word counts depends on the order, so it is not "+
					"planned. By hand: hugepages={want} behind hugepagesz={page}.",
				"size", size, "sized", sized, "want", bare(want), "page",
				strconv.FormatInt(int64(m.HugePageSize/unit.MB), 10)+"M")
			c.Keep(
				"the command line has hugepagesz={sized}, and which page size is counted depends on the order: "+
					"change it by hand", "sized", sized)
		case pool.Effect == knob.Reboot:
			c.Set(want,
				"the pool of {size} cannot be had before a reboot: reserved while the kernel boots, nothing is in "+
					"its way", "size", size)
		case short && given < want:
			c.Set(want,
				"a file of sysctl.d asks for {asked} pages and the kernel has {given}: reserved while the kernel "+
					"boots, nothing is in their way",
				"asked", bare(asked), "given", bare(given))
		case size > m.Total/poolLargeShare:
			c.Set(want,
				"the pool of {size} is {percent} % of the memory, more than a third: written after the first "+
					"programs have started, the kernel may not find so much in pieces of {page}",
				"size", size, "percent", int((200*size/m.Total+1)/2), "page", m.HugePageSize)
		default:
			c.Set(want,
				"the pool of {size} is larger than {large}: written after the first programs have started, the "+
					"kernel may not find so much in pieces of {page}", "size", size, "large", poolLarge, "page",
				m.HugePageSize)
		}
	},
}

// poolGivenInPart says whether the last file of sysctl.d asks for more huge pages than
// there are: the kernel did not give them.
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
