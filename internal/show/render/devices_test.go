package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScriptFstab: of fstab the script changes one field of one line, and what is
// not one line it leaves alone.
func TestScriptFstab(t *testing.T) {
	const other = "# UUID=0 /srv ext4 x\nUUID=1  /   ext4 errors=remount-ro 0 1\n"
	for name, c := range map[string]struct{ point, before, after string }{
		"a line with blanks and tabs": {"/srv", other + " UUID=2\t/srv/ \text4\tdefaults,strictatime  0 2 # data\n", other + " UUID=2\t/srv/ \text4\tdefaults,noatime  0 2 # data\n"},
		"no numbers after it":         {"/srv", other + "UUID=2 /srv ext4 strictatime", other + "UUID=2 /srv ext4 defaults,noatime\n"},
		"a path with a blank":         {`/srv/my\040data`, other + "UUID=2 /srv/my\\040data ext4 x 0 0\n", other + "UUID=2 /srv/my\\040data ext4 defaults,noatime 0 0\n"},
		"the root":                    {"/", other, strings.Replace(other, "errors=remount-ro", "defaults,noatime", 1)},
		"it is so already":            {"/srv", "a /srv ext4 defaults,noatime 0 0\n", "a /srv ext4 defaults,noatime 0 0\n"},
		"no line":                     {"/data", other, ""},
		"two lines":                   {"/srv", "a /srv ext4 x 0 0\nb /srv/ ext4 y 0 0\n", ""},
		"no options":                  {"/srv", "a /srv ext4\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fstab := filepath.Join(dir, "fstab")
			if err := os.WriteFile(fstab, []byte(c.before), 0o640); err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(scriptHead, "[ \"$(id -u)\"")
			text := head + scriptMounts + "kept=" + dir + "/kept\nmkdir -p $kept\ntouch $kept/was-not-there\noptions " + shellQuote(c.point) + " defaults,noatime\n"
			cmd := exec.Command("sh")
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(text, "/etc/fstab", fstab))
			out, err := cmd.CombinedOutput()
			got, _ := os.ReadFile(fstab)
			switch {
			case c.after == "" && (err == nil || string(got) != c.before || !strings.Contains(string(out), "not one line mounts "+c.point)):
				t.Errorf("%v %s\n%s", err, out, got)
			case c.after != "" && (err != nil || string(got) != c.after):
				t.Errorf("%v %s\n%q, want\n%q", err, out, got, c.after)
			}
			if st, err := os.Stat(fstab); err != nil || st.Mode().Perm() != 0o640 {
				t.Errorf("the mode of the file: %v %v", st, err)
			}
			if left, _ := filepath.Glob(fstab + ".*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
