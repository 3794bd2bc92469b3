package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// opens are the functions of package os that look into a file or a directory.
var opens = []string{"Open", "OpenFile", "OpenRoot", "OpenInRoot", "ReadFile", "ReadDir", "Readlink", "DirFS"}

// openers are the rooms that may open files by themselves, with all that is below them. Each other
// one asks a target, which is this host, a container, or a fixture, and opens as the account that
// the file belongs to.
var openers = map[string]string{
	"act/target":              "is what opens",
	"act/cgroup":              "makes control groups for what it starts itself, on this host alone",
	"act/experiment/engine":   "the documents, in a folder that the person named",
	"act/experiment/machine":  "servers and folders of its own",
	"act/experiment/loadgen":  "folders of its own",
	"act/experiment/workload": "files that a person named, and folders of its own",
	"act/oomdemo":             "control groups of its own, on this host alone",
	"act/scratch":             "servers and folders of its own",
	"act/store":               "the history is a file of its own, and its path is nobody's input",
	"app":                     "files that the person named who started it: evidence, policies, logs, plans of queries",
	"show/cli":                "files that the person named who started it",
	"show/metrics":            "the file that the person named, for node_exporter",
	"show/serve":              "the token, the policy and the experiments that the person named",
}

// kernels are the rooms that may name files of /proc and /sys.
var kernels = map[string]string{
	"act/target":               "is what opens",
	"act/pgclient":             "dials a socket through its open folder, and looks who listens at a TCP address",
	"act/serverprogram":        "sees whether a server runs in a container, by the root of its process",
	"app":                      "what the host is called, the control group of a server, through the target",
	"act/apply":                "reads what it changes before and after, through the target",
	"act/cgroup":               "where this process stands among control groups",
	"act/experiment/machine":   "measures servers of its own, on this host alone",
	"act/monitor":              "the id of the boot, through the target",
	"act/movewal":              "which filesystems there are and whether SELinux rules, through the target",
	"act/sample":               "reads the same few files again and again, through the target",
	"act/oomdemo":              "processes of its own, on this host alone",
	"act/provision":            "which ports are taken and whether SELinux rules, through the target",
	"act/tablespaces":          "which filesystems there are, through the target",
	"act/pgctl":                "where a server's own log goes, through the target",
	"act/experiment/configure": "how much memory there is for servers of its own, through the target",
	"act/scratch":              "whether servers of its own still run",
	"act/trust":                "whose a process is, through the target",
	"show/outline/reports":     "calls parts of what people pasted after them, and reads nothing",
	"show/export":              "writes them into a script and reads nothing",
}

// TestFewOpenFiles verifies that files are opened, and those of the kernel named, in few rooms.
func TestFewOpenFiles(t *testing.T) {
	used := map[string]bool{}
	for _, dir := range []string{"internal", "cmd"} {
		for _, s := range sources(t, dir) {
			if first, _, _ := strings.Cut(s.pkg, "/"); !slices.Contains([]string{"act", "app", "show", "cmd"}, first) {
				continue // the pure storeys: TestPureStoreys
			}
			for _, o := range openingsIn(s.file) {
				list, name := openers, "openers"
				if o.kernel {
					list, name = kernels, "kernels"
				}
				room := roomOf(s.pkg, list)
				if room == "" {
					t.Errorf("%s:%d: %s; ask a target, or give %s a reason in %s of test/house/openers_test.go",
						s.path, s.set.Position(o.at).Line, o.what, s.pkg, name)
				}
				used[name+" "+room] = true
			}
		}
	}
	for name, list := range map[string]map[string]string{"openers": openers, "kernels": kernels} {
		for _, room := range slices.Sorted(maps.Keys(list)) {
			if !used[name+" "+room] {
				t.Errorf("%s opens nothing any more: take it out of %s", room, name)
			}
		}
	}
}

// roomOf is the entry that a package is in or below.
func roomOf(pkg string, list map[string]string) string {
	for room := range list {
		if pkg == room || strings.HasPrefix(pkg, room+"/") {
			return room
		}
	}
	return ""
}

// opening is one place where a file is opened, or one of the kernel named.
type opening struct {
	at     token.Pos
	what   string
	kernel bool
}

func openingsIn(f *ast.File) (out []opening) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(opens, n.Sel.Name) {
				out = append(out, opening{n.Pos(), "os." + n.Sel.Name, false})
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				return true
			}
			// one with a blank is a text that names a file
			if p, _ := strconv.Unquote(n.Value); !strings.ContainsAny(p, " \n") &&
				(strings.HasPrefix(p, "/proc/") || strings.HasPrefix(p, "/sys/")) {
				out = append(out, opening{n.Pos(), p, true})
			}
		}
		return true
	})
	return out
}

// TestFewOpenFilesCanFail verifies that TestFewOpenFiles sees what opens a file, and not what names one.
func TestFewOpenFilesCanFail(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
var read = os.ReadFile
func f() {
	os.Open(name)
	t.ReadFile("/proc/meminfo")
	g("/proc/sys/" + name)
	g("/proc/meminfo: not read")
	os.Remove(name)
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range openingsIn(f) {
		got = append(got, o.what)
	}
	if want := []string{"os.ReadFile", "os.Open", "/proc/meminfo", "/proc/sys/"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	list := map[string]string{"act/apply": "a reason"}
	below := map[string]string{"act/apply": "act/apply", "act/apply/kinds/pg": "act/apply", "act/applyother": ""}
	for pkg, want := range below {
		if got := roomOf(pkg, list); got != want {
			t.Errorf("%s: %q, not %q", pkg, got, want)
		}
	}
}
