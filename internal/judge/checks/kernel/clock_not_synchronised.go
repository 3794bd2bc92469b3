package kernel

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// clockGrace: after boot an NTP daemon needs minutes to select its sources.
const clockGrace = time.Hour

// ClockNotSynchronised judges by the kernel's status (adjtimex), not by the error of
// the clock, which needs another clock. Some daemons keep the time without reporting
// it to the kernel: if one of them runs, or processes are hidden as in a container,
// the check is silent. A virtual machine is no exception: kvm-clock and others keep
// the rate of the host's hardware, which NTP does not correct there, and the time is
// set once, at boot.
var ClockNotSynchronised = check.Check{
	ID:       "clock_not_synchronised",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "System clock is not synchronized (NTP)",
	Why: "A clock without NTP drifts by seconds per day. Log timestamps do not match those of applications and " +
		"standbys, recovery_target_time misses its moment, and replication lag in seconds is wrong. " +
		"Certificates and Kerberos tickets can be rejected. A manual correction can make now() jump backward.",
	Do: "1. Install and start chrony, or systemd-timesyncd: timedatectl set-ntp true\n" +
		"2. Use the same time sources on all members of the cluster, in virtual machines too.\n" +
		"3. Verify: chronyc tracking\n" +
		"If the clock is minutes off, set it while the server is stopped, or slew it.",
	Commands: []check.Command{
		check.Shell("timedatectl set-ntp true"),
		check.Shell("chronyc tracking"),
	},
	Sources: []string{"man-adjtimex", "chrony-conf"},
	Judge: func(c *check.Case) {
		kept, ok := check.Need(c, c.Snapshot.Host.ClockKept)
		boot, timed := c.Snapshot.Host.CPUTime.Get()
		if !ok || kept || timed && c.Snapshot.TakenAt-boot.BootTime < int64(clockGrace/time.Second) {
			return
		}
		list, ok := c.OtherPrograms()
		if !ok {
			return
		}
		runs := ""
		for _, p := range list {
			silent, disciplines := host.ClockPrograms[p.Name]
			if silent {
				c.Missing(known.Gap{Fact: "clock", Reason: p.Name +
					" runs, but does not always report to the kernel that the clock is synchronized",
					Reveal: "chronyc tracking, or the status command of your NTP program"})
				return
			}
			if disciplines {
				runs = p.Name
			}
		}
		v, ok := check.Need(c, c.Snapshot.Host.Virt)
		if !ok || v.Container != "" {
			return
		}
		sev, cluster := check.Notice, say.Message{}
		if replicates(c) {
			sev, cluster = check.Warning, say.M("The instance is part of a cluster whose members have separate clocks.")
		}
		if runs != "" {
			c.That(sev, say.M(c.Remedy()), say.All(" ", say.M("{program} runs, but has not synchronized the clock "+
				"(kernel status): it reaches no time source, or accepts none.", "program", runs), cluster))
			return
		}
		if at, ok := hostClocks[v.Kind]; ok {
			c.That(sev, say.All("\n", say.M(c.Remedy()), say.M("In this virtual machine chrony can also use the "+
				"clock of the hypervisor, without a network (kernel module {module}): refclock PHC {device}", "module",
				at.module,
				"device", at.device)),
				say.All(" ", say.M("The clock is not synchronized (kernel status), and no NTP program runs. The "+
					"hypervisor sets the clock at boot only."), cluster))
			return
		}
		c.That(sev, say.M(c.Remedy()), say.All(" ", say.M("The clock is not synchronized (kernel status), and no "+
			"NTP program runs."), cluster))
	},
}

// hostClocks are the devices through which a guest reads the clock of its host, by
// hypervisor, with the kernel modules that provide them.
var hostClocks = map[string]struct{ device, module string }{
	"kvm": {"/dev/ptp0", "ptp_kvm"}, "microsoft": {"/dev/ptp_hyperv", "hv_utils"},
}

// replicates reports whether an instance of the host is known to be one of several.
func replicates(c *check.Case) bool {
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		replicas, _ := in.Server.Replicas.Get()
		standby, _ := in.Server.Recovery.Get()
		manager, _ := in.Manager.Get()
		if len(replicas) > 0 || standby || manager == "patroni" || manager == "pg_auto_failover" {
			return true
		}
	}
	return false
}
