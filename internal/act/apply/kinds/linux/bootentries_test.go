package linux

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
)

// TestEntriesOfSystemdBoot: each entry of this machine has the word, the one of
// another system does not; with the file taken back every entry is as it was.
func TestEntriesOfSystemdBoot(t *testing.T) {
	for name, s := range map[string]specimen{"no file before": {files: entriesOf("quiet")},
		"a file before": {files: with(entriesOf("quiet"), kernelCmdline, "root=/dev/vda1 ro quiet\n")}} {
		t.Run(name, func(t *testing.T) {
			l := s.lab(t)
			kind, k := Host{Files: l, Kernel: l}.Kinds()["boot"], apply.Knob{Address: "boot:hugepages"}
			tree := l.tree()
			if err := kind.(apply.Guard).Allowed(context.Background(), k); err != nil {
				t.Fatal(err)
			}
			before := mustLook(t, kind, k)
			after := mustWant(t, kind, before, k, "512")
			after.Live = nil
			mustSet(t, kind, k, after)
			for file := range s.files {
				if !strings.HasSuffix(file, ".conf") {
					continue
				}
				now := l.text(file)
				want := s.files[file]
				if !strings.HasSuffix(file, "other.conf") {
					id := "systemd.machine_id=0123456789abcdef0123456789abcdef"
					want = strings.Replace(want, id, id+" hugepages=512", 1)
				}
				if now != want {
					t.Errorf("%s is\n%q, not\n%q", file, now, want)
				}
			}
			l.lay(cmdline, "BOOT_IMAGE=/x root=/dev/vda1 ro quiet hugepages=512\n") // the host was booted with it
			mustSet(t, kind, k, before)
			l.lay(cmdline, debian[cmdline])
			now := l.tree()
			if !maps.Equal(tree, now) {
				for n := range now {
					if tree[n] != now[n] {
						t.Errorf("%s: %q was %q", n, now[n], tree[n])
					}
				}
			}
		})
	}
}

// TestEntriesThatAreLeftAlone: where the way back would not be clear, or the command
// line is within a signed image, the words say what to do.
func TestEntriesThatAreLeftAlone(t *testing.T) {
	images := entriesOf("quiet")
	for n := range images {
		if strings.HasSuffix(n, ".conf") && !strings.HasSuffix(n, "other.conf") {
			delete(images, n)
		}
	}
	for want, files := range map[string]map[string]string{
		"unified images":  with(images, "/efi/EFI/Linux/debian-6.1.efi", "MZ"),
		"make them agree": with(entriesOf("hugepages=10"), kernelCmdline, "root=/dev/vda1 ro\n"),
		"say it once": with(entriesOf("hugepages=10 hugepages=10"), kernelCmdline,
			"root=/dev/vda1 ro hugepages=10\n"),
		"which page size is counted": with(entriesOf("hugepagesz=1G"), kernelCmdline,
			"root=/dev/vda1 ro hugepagesz=1G\n"),
		"write it there first": with(entriesOf("hugepages=10"), cmdline, "root=/dev/vda1 ro hugepages=10\n"),
	} {
		l := specimen{files: files}.lab(t)
		kind := Host{Files: l, Kernel: l}.Kinds()["boot"]
		if err := kind.(apply.Guard).Allowed(context.Background(), apply.Knob{Address: "boot:hugepages"}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestImagesThatCannotBeListed: a directory of unified images that cannot be read is not one without images: then the
// words of a host without a boot loader would be false.
func TestImagesThatCannotBeListed(t *testing.T) {
	files := entriesOf("quiet")
	for n := range files {
		if strings.HasSuffix(n, ".conf") && !strings.HasSuffix(n, "other.conf") {
			delete(files, n)
		}
	}
	l := specimen{files: with(files, "/efi/EFI/Linux", "a file where the folder should be")}.lab(t)
	kind := Host{Files: l, Kernel: l}.Kinds()["boot"]
	err := kind.(apply.Guard).Allowed(context.Background(), apply.Knob{Address: "boot:hugepages"})
	if err == nil || !strings.Contains(err.Error(), "EFI/Linux") || strings.Contains(err.Error(), "manually") {
		t.Errorf("%v", err)
	}
}
