package kernel

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// clockGrace: after a boot a clock daemon needs minutes to trust its sources.
const clockGrace = time.Hour

// ClockNotSynchronised judges by what the kernel was told, not by the clock's
// error, which needs another clock. Some daemons keep the time without a word to
// the kernel: where one of them runs, or its processes cannot be seen as in a
// container, nothing is said. A virtual machine is no exception: kvm-clock and
// its like keep the rate of the machine below, which NTP does not steer there,
// and the hour is given once, at boot.
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
					" runs and has not told the kernel whether the clock is right, which it may leave out",
					Reveal: "chronyc tracking, or what your clock program has instead"})
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
			sev, cluster = check.Warning, say.M("Other members of its cluster have clocks of their own.")
		}
		if runs != "" {
			c.That(sev, say.M(c.Remedy()), say.All(" ", say.M("{program} runs, but has not told the kernel that the "+
				"clock is right: it reaches no source, or trusts none.", "program", runs), cluster))
			return
		}
		if device := hostClocks[v.Kind]; device != "" {
			c.That(sev, say.All(" ", say.M(c.Remedy()), say.M("In this virtual machine chrony can also follow the "+
				"clock of the host, without a network: refclock PHC {device}.", "device", device)),
				say.All(" ", say.M("The kernel was not told that its clock is right, and no program that would do so "+
					"runs. The hypervisor gives the hour at boot and corrects nothing after."), cluster))
			return
		}
		c.That(sev, say.M(c.Remedy()), say.All(" ", say.M("The kernel was not told that its clock is right, and no "+
			"program that would do so runs."), cluster))
	},
}

// hostClocks are the devices through which a guest reads the clock of the machine
// below, by hypervisor: of the kernel's modules ptp_kvm and hv_utils.
var hostClocks = map[string]string{"kvm": "/dev/ptp0 of the module ptp_kvm", "microsoft": "/dev/ptp_hyperv"}

// replicates says whether an instance of the host is known to be one of several.
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
