package rule

// Kernel is hostIsOurs for the rules of the kernel, which say once why they
// decide nothing.
func (c *Case) Kernel() bool {
	v, ok := Need(c, c.Snapshot.Host.Virt)
	if !ok {
		return false
	}
	if v.Container == "" {
		return true
	}
	const text = "Running in a container ({container}): memory overcommit, huge pages, swap and writeback belong to " +
		"the host and affect every container on it. No kernel parameter is planned here; run the plan on the host."
	for _, w := range c.Outcome.Warnings {
		if w.Text == text {
			return false
		}
	}
	c.Warn(text, "container", v.Container)
	return false
}

// Sysctl returns the present value of the kernel knob that is being decided; a
// value that cannot be seen is among the unknowns, and nothing is decided.
func (c *Case) Sysctl() (int64, bool) {
	return Need(c, c.Snapshot.Host.Sysctls.Int(c.Rule.Address.Name()))
}

// HostIsOurs reports whether knobs of the kernel are decided here: not in a container, where they belong to the host
// below and to everything else on it.
func (c *Case) HostIsOurs() bool {
	v, ok := c.Snapshot.Host.Virt.Get()
	return ok && v.Container == ""
}

// WarnTuned says which program would overwrite a kernel knob.
func (c *Case) WarnTuned() {
	profile, ok := c.Snapshot.Host.Tuned.Get()
	if !ok || profile == "" {
		return
	}
	const text = "TuneD is active (profile {profile}) and applies its settings at every start. Values in " +
		"/etc/sysctl.d override them, unless reapply_sysctl is 0 in /etc/tuned/tuned-main.conf. TuneD overwrites " +
		"planned read-ahead, I/O schedulers and transparent huge pages. Put the planned values into a custom profile " +
		"that includes {profile}."
	for _, w := range c.Outcome.Warnings {
		if w.Text == text {
			return
		}
	}
	c.Warn(text, "profile", profile)
}
