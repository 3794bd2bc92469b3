package linux

import (
	"strings"
	"testing"
)

var forms = map[string]keyed{"sysctl": sysctlForm, "tmpfiles": tmpfilesForm, "udev": udevForm, "unit": unitForm,
	"grub": grubForm}

// keyIn is a key and two values that each form takes.
var keyIn = map[string][3]string{
	"sysctl":   {"vm.swappiness", "10", "1"},
	"tmpfiles": {"/sys/kernel/mm/transparent_hugepage/enabled", "never", "madvise"},
	"udev":     {"vda/scheduler", "none", "mq-deadline"},
	"unit":     {"OOMPolicy", "continue", "stop"},
	"grub":     {"transparent_hugepage", "never", "madvise"},
}

// fragments are lines and parts of lines that matter to one form or another.
var fragments = []string{
	"\n", "\\\n", "# x\n", "[Service]\n", "[Unit]\n", "OOMPolicy=continue\n", "OOMPolicy = kill\r\n",
	"LimitNOFILE=1\n", "ZZ=1",
	"vm.swappiness=10\n", "-vm/swappiness = 3\n", "vm.zone_reclaim_mode = 0\n", "kernel.sem = 1 2\n",
	"w /sys/kernel/mm/transparent_hugepage/enabled - - - - always\n", "w! /sys/z - - - - 1 2\n",
	udevForm.write("vda/scheduler", "none") + "\n", udevForm.write("vdz/scheduler", "none") + "\n",
	udevForm.write("mapper/vda/scheduler", "none") + "\n",
	grubForm.write("transparent_hugepage", "always") + "\n", grubForm.write("zz", "zz") + "\n", "\xff\x00",
	sysctlForm.header, unitForm.header, "OOMPolicy=stop\\\n", "vm.swappiness = 10",
}

// FuzzForms: whatever bytes a configuration file holds, taking it apart and
// putting it together is the same file; a value that is set is got back, stands
// beside every line that was there, and goes without a trace.
func FuzzForms(f *testing.F) {
	for _, s := range []string{"", "\n", "a", "vm.swappiness=3\r\nvm.swappiness = 5", "-vm/swappiness=1\n;x",
		"[Service]\nOOMPolicy=stop\\\n continue\n[Unit]\nOOMPolicy=x",
		"w /sys/kernel/mm/transparent_hugepage/enabled - - - - always\n", udevForm.write("vda/scheduler", "bfq") +
			"\\\n", "GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX transparent_hugepage=always\"\n\x00\xff",
		unitForm.header, sysctlForm.header, "[Service]", "x\\\n[Service]\nOOMPolicy=a", "[Service]\nA=b\\"} {
		f.Add(s, uint32(0))
	}
	f.Add("", ^uint32(0))
	f.Fuzz(func(t *testing.T, text string, pieces uint32) {
		for i, p := range fragments {
			if pieces>>i&1 == 1 {
				text += p
			}
		}
		if got := strings.Join(splitLines(text), ""); got != text {
			t.Fatalf("cut and joined %q", got)
		}
		for name, form := range forms {
			key, a, b := keyIn[name][0], keyIn[name][1], keyIn[name][2]
			was, had := form.get(&text, key)
			one := form.set(&text, key, a)
			if got, ok := form.get(&one, key); !ok || got != a {
				t.Fatalf("%s: set %s, got %q:\n%q", name, a, got, one)
			}
			two := form.set(&one, key, b)
			if back := form.set(&two, key, a); back != one {
				t.Fatalf("%s: set to %s and back:\n%q\n%q", name, b, one, back)
			}
			for _, line := range splitLines(text) {
				if k, _, ok := form.read(strings.TrimSpace(line)); (!ok || k != key) &&
					!strings.Contains(one, strings.TrimSuffix(line, "\n")) {
					t.Fatalf("%s: the line %q is lost:\n%q", name, line, one)
				}
			}
			back := form.without(&one, &text, key)
			switch {
			case had && was != a && (back == nil || *back != text):
				t.Fatalf("%s: not the file of before:\n%q\n%q", name, text, *back)
			case !had && back == nil && text != "" && text != form.header:
				t.Fatalf("%s: the file is gone, and held %q", name, text)
			case !had && back != nil && form.section == "" && strings.TrimRight(*back,
				"\n") != strings.TrimRight(text, "\n"):
				t.Fatalf("%s: more than our line was taken:\n%q\n%q", name, text, *back)
			}
		}
	})
}

// FuzzFstab: of a file of fstab only the one field changes, whatever else it
// holds, and the field as it was gives the file as it was.
func FuzzFstab(f *testing.F) {
	for _, s := range []string{debian["/etc/fstab"], "a /srv ext4 defaults", "a\t/s\\162v ext4  ro\r\n",
		"# a /srv b c\n a /srv b c#d\n", "/srv /srv /srv /srv /srv\x00\xff\n", "a /srv x\n", "\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		was, ok, err := fstabOptions(&text, "/srv")
		if err != nil || !ok {
			if _, err := setFstab(text, "/srv", "noatime"); err == nil {
				t.Fatalf("set where there is none: %q", text)
			}
			return
		}
		one, err := setFstab(text, "/srv", "noatime,nosuid")
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := fstabOptions(&one, "/srv"); got != "noatime,nosuid" {
			t.Fatalf("set, got %q:\n%q", got, one)
		}
		if len(one)-len("noatime,nosuid") != len(text)-len(was) {
			t.Fatalf("more than the field changed:\n%q\n%q", text, one)
		}
		if back, err := setFstab(one, "/srv", was); err != nil || back != text {
			t.Fatalf("%v, not the file of before:\n%q\n%q", err, text, back)
		}
	})
}
