package collect

import (
	"bytes"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// hostFiles copies everything that fact/host reads of the machine itself.
func (c *collector) hostFiles() {
	for _, name := range host.Files {
		if name == initEnviron {
			c.containerWord()
			continue
		}
		if name == "etc/crontab" {
			c.cronLines(name, true)
			continue
		}
		if name == "etc/fstab" {
			c.partOf(name, true, host.LocalFstab) // the lines of shares hold passwords
			continue
		}
		c.take(name)
	}
	for _, name := range host.SysctlNames {
		c.take(host.SysctlPath(name))
	}
	for _, pattern := range host.Globs {
		for _, name := range c.glob(pattern) {
			if strings.HasPrefix(name, "etc/cron.d/") {
				c.cronLines(name, false)
				continue
			}
			c.takeIfThere(name, name) // a directory that matches may not have the file
		}
	}
	c.tunedFiles()
	about := map[string]any{"page_size": c.t.PageSize(), "systemd": c.systemd(), "machine": c.t.Machine()}
	if kept, err := c.t.ClockKept(); err == nil {
		about["clock"] = kept
	}
	c.json("host.json", about)
}

const initEnviron = "proc/1/environ"

// containerWord keeps of the environment of process 1 only the word that a
// container manager leaves there. The rest is not evidence of the host, and in
// a container it holds the passwords that the server was set up with.
func (c *collector) containerWord() {
	b, err := c.t.ReadFile(initEnviron, maxFile)
	if err != nil {
		c.miss(initEnviron, err, asRoot)
		return
	}
	var kept []byte
	for _, v := range bytes.Split(b, []byte{0}) {
		if bytes.HasPrefix(v, []byte("container=")) {
			kept = append(append(kept, v...), 0)
		}
	}
	c.add(initEnviron, kept)
}

// tunedFiles copies the files that make up the active profile of TuneD, of the
// thirty or so that a host has.
func (c *collector) tunedFiles() {
	active, err := c.a.ReadFile("etc/tuned/active_profile")
	if err != nil {
		return
	}
	read := func(name string) (string, bool) {
		b, err := c.t.ReadFile(name, maxFile)
		if err != nil && !gone(err) {
			c.miss(name, err, asRoot)
		}
		return string(b), err == nil
	}
	names, _ := host.TunedFiles(string(active), read) // what is missing the reader finds again
	for _, name := range names {
		c.take(name)
	}
	c.takeIfThere("etc/tuned/tuned-main.conf", "etc/tuned/tuned-main.conf")
}

// systemd reports whether the host was booted with systemd, as sd_booted(3) does.
func (c *collector) systemd() bool {
	_, err := c.t.Stat("run/systemd/system")
	return err == nil
}

// cronLines keeps of a crontab the lines on kernel values: the other commands
// are not evidence, and may hold passwords.
func (c *collector) cronLines(name string, promised bool) { c.partOf(name, promised, host.KernelCron) }

// partOf keeps of a file what is evidence.
func (c *collector) partOf(name string, promised bool, keep func([]byte) []byte) {
	b, err := c.t.ReadFile(name, maxFile)
	switch {
	case err == nil:
		c.add(name, keep(b))
	case promised || !gone(err):
		c.miss(name, err, asRoot)
	}
}
