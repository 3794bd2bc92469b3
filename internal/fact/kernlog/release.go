package kernlog

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// The release of the kernel stands in a report only from its line «CPU:» on. Of one that is cut, what a person pasted
// near it may name it: the first line of a boot, uname, or a field of a form.

var (
	// «Linux version 5.15.0-91-generic (buildd@…) …», which dmesg and a journal begin a boot with
	reBanner = regex.New(`\bLinux version (\d{1,2}\.\d{1,3}\S{0,100}) \(`)
	// «Linux db1 5.15.0-91-generic #101-Ubuntu SMP …»
	reUname = regex.New(`\bLinux \S{1,255} (\d{1,2}\.\d{1,3}\.\d{1,5}\S{0,100}) #\d`)
	// «Kernel: 6.1.0-18-amd64», «Kernel/CPU: 2.6.32-754.el6.x86_64 xen pv», «- Linux kernel version: `6.8.5`»
	reKernelField = regex.New(`(?i)(?:^|[\s*|-])(?:linux )?kernel(?: ?/ ?cpu)?` +
		`(?:[ _-](?:version|release))?[*]{0,2}["']?` +
		` ?[:=|] ?[*]{0,2}["'\x60]?(?:linux )?(\d{1,2}\.\d{1,3}\.\d{1,5}[-.+~\w]{0,100})`)
	reUnameAsked  = regex.New(`\buname (?:-\w*r\w*|--kernel-release)\s*$`)
	reUnameAnswer = regex.New(`^\s*(\d{1,2}\.\d{1,3}\.\d{1,5}[-.+~\w]{0,100})\s*$`)
)

const (
	// releaseLines is in how many lines of a log they are looked for: a person puts them near the report.
	releaseLines = 4096
	// releaseLength is how long such a line may be.
	releaseLength = 300
)

// releases is what the text says of the kernel outside of reports.
type releases struct {
	first  string // "": nothing
	banner string // of the boot whose lines are read
	more   bool   // another one than first was named
	asked  int    // number of the line that asks for it; 0: none
}

// ofKernel notes what a line says of the kernel.
func (p *Reader) ofKernel(b []byte) {
	k := &p.kernels
	if p.log.Lines > releaseLines || len(b) > releaseLength {
		return
	}
	if k.asked > 0 && k.asked == p.log.Lines-1 {
		if m := reUnameAnswer.FindSubmatch(bytes.TrimSpace(b)); m != nil {
			k.note(string(m[1]))
			return
		}
	}
	switch i := bytes.Index(b, []byte("ernel")); {
	case bytes.Contains(b, []byte("Linux ")):
		if m := reBanner.FindSubmatch(b); m != nil {
			k.banner = string(m[1])
			k.note(k.banner)
		} else if m := reUname.FindSubmatch(b); m != nil {
			k.note(string(m[1]))
		} else if m := reKernelField.FindSubmatch(b); i >= 0 && m != nil {
			k.note(string(m[1]))
		}
	case bytes.Contains(b, []byte("uname ")):
		if reUnameAsked.Match(b) {
			k.asked = p.log.Lines
		}
	case i >= 0:
		if m := reKernelField.FindSubmatch(b); m != nil {
			k.note(string(m[1]))
		}
	}
}

func (k *releases) note(release string) {
	k.more = k.more || k.first != "" && k.first != release
	if k.first == "" {
		k.first = release
	}
}

// releases gives those reports that do not name the kernel the one that the text names, where it names but one and no
// report names another.
func (l *Log) releases(k *releases) {
	if k.first == "" || k.more {
		return
	}
	for i := range l.Reports {
		if r := l.Reports[i].Kernel; r != "" && r != k.first {
			return
		}
	}
	for i := range l.Reports {
		l.Reports[i].Kernel = k.first
	}
}
