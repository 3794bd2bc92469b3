package collect

import (
	"path"
	"slices"
	"strings"
)

// standalone are first arguments with which the server's binary is no
// postmaster.
var standalone = []string{"--single", "--boot", "--check", "--describe-config", "--version", "-V", "--help", "-?"}

// postmasterArgs reports whether a command line may be that of a postmaster.
func postmasterArgs(args []string) bool {
	if len(args) < 2 {
		return len(args) == 1
	}
	if slices.Contains(standalone, args[1]) || strings.HasPrefix(args[1], "--fork") {
		return false
	}
	return !slices.Contains(args[1:], "-C") // prints a setting and ends
}

// option finds the value of a server's command-line option: -p 5433, -p5433,
// -c port=5433, --port=5433. The last one wins, as it does for the server.
// short is 0 for settings without a letter.
func option(args []string, short byte, setting string) string {
	value := ""
	same := func(name string) bool { return strings.ReplaceAll(name, "-", "_") == setting }
	assign := func(s string) {
		if n, v, ok := strings.Cut(s, "="); ok && same(strings.TrimSpace(n)) {
			value = v
		}
	}
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case strings.HasPrefix(a, "--"):
			assign(a[2:])
		case a == "-c" && i+1 < len(args):
			i++
			assign(args[i])
		case strings.HasPrefix(a, "-c"):
			assign(a[2:])
		case short != 0 && a == "-"+string(short) && i+1 < len(args):
			i++
			value = args[i]
		case short != 0 && strings.HasPrefix(a, "-"+string(short)):
			value = a[2:]
		}
	}
	return value
}

// firstDir returns the first absolute directory of a list such as unix_socket_directories.
func firstDir(list string) string {
	for _, d := range strings.Split(list, ",") {
		if d = strings.Trim(strings.TrimSpace(d), `"`); path.IsAbs(d) {
			return path.Clean(d)
		}
	}
	return ""
}

// withoutSecrets hides the values of arguments that speak of a password, as
// primary_conninfo given on the command line may.
func withoutSecrets(cmdline []byte) []byte {
	args := strings.Split(string(cmdline), "\x00")
	changed := false
	for i, a := range args {
		if strings.Contains(strings.ToLower(a), "passw") && strings.Contains(a, "=") {
			name, _, _ := strings.Cut(a, "=")
			args[i], changed = name+"=(hidden)", true
		}
	}
	if !changed {
		return cmdline
	}
	return []byte(strings.Join(args, "\x00"))
}
