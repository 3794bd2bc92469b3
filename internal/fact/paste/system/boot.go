package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

var reGrub = regex.New(`^#?(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)=["']?(.*?)["']?$`)

// ReadGrub reads /etc/default/grub: what the boot loader is to give the kernel.
func ReadGrub(w *part.Window) (f part.Found) {
	for f.N < len(w.Lines) {
		m := reGrub.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		f.N++
		if strings.HasPrefix(w.Text(f.N-1), "#") {
			continue
		}
		for _, o := range strings.Fields(m[2]) {
			k, v, _ := strings.Cut(o, "=")
			f.Add(part.Word("boot.option", k, v))
		}
	}
	if f.N > 0 {
		f.Notes = append(f.Notes, "these options take effect after update-grub and a reboot")
	}
	return f
}
