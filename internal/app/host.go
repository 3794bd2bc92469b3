// Package app holds the use cases of pgfettle: what a person asks of a host and its
// instances, without the way it is asked or shown. It knows no flag, no command, no
// format, and no stream for documents; the command line, the pages of serve, and the
// exposition for Prometheus all ask it.
//
// A Host is where the program runs: the target, the environment, the callbacks that
// show progress. Host.Open resolves what a person names as TARGET, collects its evidence
// or reads it from a file, and returns a Session: the evidence and the snapshot of one
// moment. The methods of a Session answer from that moment: Check, Plan, Memory, and so
// on, one file each. What is not about one moment, such as the history, a watch, or a
// probe, is a method of Host.
//
// Errors that a person has to read are say.Problem: message, detail, hint, exit code.
package app

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Target is a host's files, programs, and clock, with the rights of an account.
type Target = target.Target

// LocalTarget is the host that the program runs on.
func LocalTarget() Target { return &target.Local{} }

// Host is where the program runs, and how it reaches its user.
type Host struct {
	Target  Target    // the host's files, programs, and clock
	Vars    []string  // environment variables, NAME=VALUE
	Version string    // of this program, without its name
	Trusted []string  // data directories whose instances are included, whoever owns them
	Input   io.Reader // what the file name "-" reads from

	// Progress returns a function that shows what is being done, one clause each, and
	// one that removes what was shown. Nil: nothing is shown.
	Progress func() (tell func(string), done func())
	// Words is the language of what Progress shows; nil is English.
	Words *say.Catalogue
	// Warn shows one line of a kind: "warning" or "note". Nil: nothing is shown.
	Warn func(kind say.Template, message say.Message)
}

// Getenv returns an environment variable, "" if it is not set.
func (h *Host) Getenv(name string) string {
	for i := len(h.Vars) - 1; i >= 0; i-- { // the last one wins, as in os/exec
		if v, ok := strings.CutPrefix(h.Vars[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// Tool is the name and the version of this program, as documents have it.
func (h *Host) Tool() string { return "pgfettle " + h.Version }

// Today is the day of the host's clock, as a policy writes it.
func (h *Host) Today() string { return h.Target.Now().Format(time.DateOnly) }

// Hostname is the name that a journal and a notice are bound to; "" if the host has none.
func (h *Host) Hostname() string {
	b, err := h.Target.ReadFile("/proc/sys/kernel/hostname", 4096)
	if err != nil {
		return "" // then every journal has none
	}
	return strings.TrimSpace(string(b))
}

// StateHome is where an ordinary user keeps what has to outlive a run; false if neither XDG_STATE_HOME nor HOME is set.
func (h *Host) StateHome() (string, bool) {
	if state := h.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) { // the specification requires ignoring any other
		return state, true
	}
	home := h.Getenv("HOME")
	return filepath.Join(home, ".local", "state"), filepath.IsAbs(home)
}

// Steps returns the functions of Progress, or two that do nothing.
func (h *Host) Steps() (tell func(string), done func()) {
	if h.Progress == nil {
		return func(string) {}, func() {}
	}
	return h.Progress()
}

// Tell calls Warn, if it is set.
func (h *Host) Tell(kind say.Template, message say.Message) {
	if h.Warn != nil {
		h.Warn(kind, message)
	}
}
