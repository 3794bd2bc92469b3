package oomdemo

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// kernelLog reads the kernel's log from the moment at which it was opened.
type kernelLog struct{ fd int }

// kmsg is the device that gives one record a read.
const kmsg = "/dev/kmsg"

// openKernelLog opens the log at its end. If that is not allowed it says so: the exercise goes on without.
func openKernelLog() (log *kernelLog, gap string) {
	fd, err := syscall.Open(kmsg, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err == nil {
		if _, err = syscall.Seek(fd, 0, io.SeekEnd); err == nil {
			return &kernelLog{fd}, ""
		}
		_ = syscall.Close(fd)
	}
	switch {
	case errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES):
		return nil, kmsg + " may not be read: it needs root with CAP_SYSLOG"
	case errors.Is(err, syscall.ENOENT):
		return nil, "there is no " + kmsg + " here, as in most containers: look at dmesg on the host"
	}
	return nil, fmt.Sprintf("%s: %v", kmsg, err)
}

func (k *kernelLog) close() { _ = syscall.Close(k.fd) }

const (
	maxRecord  = 8 << 10 // the kernel's own bound of a record that is read
	maxRecords = 20_000  // a report of the OOM killer has about 60 lines
)

// since returns what was logged since, one line a record.
func (k *kernelLog) since() (string, error) {
	var b strings.Builder
	buf := make([]byte, maxRecord)
	for range maxRecords {
		n, err := syscall.Read(k.fd, buf)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			return b.String(), nil // no more for now
		case errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.EINTR):
			continue // EPIPE: records were overwritten before we read them
		case err != nil:
			return b.String(), say.Named(kmsg, err)
		case n == 0:
			return b.String(), nil
		}
		b.WriteString(textOf(string(buf[:n])))
	}
	return b.String(), nil
}

// textOf is the text of a record: "4,1234,5678901,-;text\n KEY=VALUE\n".
func textOf(r string) string {
	_, text, ok := strings.Cut(r, ";")
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n")
	return text + "\n"
}

// maxKills bounds the lines that are shown: a round has one kill of four lines,
// or a few of them.
const maxKills = 20

// killLines picks from the kernel's OOM reports the lines about a kill in our group: which process asked for memory,
// how much there was, why, and which process was killed. Everything about other groups is omitted.
func killLines(text, group string) []string {
	name := path.Base(group)
	out := []string{}
	var asked, usage string
	ours := false
	for line := range strings.Lines(text) {
		if len(out) >= maxKills-3 { // a report adds three lines, then one for each that it killed
			break
		}
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "invoked oom-killer"):
			asked, usage, ours = line, "", false
		case strings.HasPrefix(line, "memory: usage"):
			usage = line
		case strings.HasPrefix(line, "oom-kill:"), strings.HasPrefix(line, "Task in "): // the latter before 5.0
			if ours = strings.Contains(line, "/"+name+",") || strings.Contains(line, "/"+name+" "); !ours {
				continue
			}
			for _, l := range []string{asked, usage, line} {
				if l != "" {
					out = append(out, l)
				}
			}
		case ours && strings.Contains(line, "Killed process "):
			out = append(out, line)
		}
	}
	return out
}
