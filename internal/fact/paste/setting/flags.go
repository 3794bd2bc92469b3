package setting

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var reFlag = regex.New(`(?:^|[\s"',\[=])(?:-c[\s"',]*|--)([a-zA-Z_][\w.-]{1,62})\s?=\s?("[^"]{0,200}"` +
	`|'[^']{0,200}'|[^\s"',\]]+)`)

const mostFlags = 100 // of one command line

// Flags are the names and the values that a command line gives a server.
func Flags(t string) (out [][2]string) {
	for _, m := range reFlag.FindAllStringSubmatch(t, mostFlags) {
		out = append(out, [2]string{strings.ReplaceAll(m[1], "-", "_"), strings.Trim(m[2], `"'`)})
	}
	return out
}

// reSwitch is a switch of a server's own, with its value right behind it or as the next word.
var reSwitch = regex.New(`\s-([phNk])\s*("[^"]{0,200}"|'[^']{0,200}'|[^\s"'-][^\s"']{0,200})`)

// switches are what they stand for.
var switches = map[string]string{"p": "port", "h": "listen_addresses", "N": "max_connections",
	"k": "unix_socket_directories"}

// Switches are the names and the values that the switches of a server's command line give it.
func Switches(t string) (out [][2]string) {
	for _, m := range reSwitch.FindAllStringSubmatch(t, mostFlags) {
		out = append(out, [2]string{switches[m[1]], strings.Trim(m[2], `"'`)})
	}
	return out
}
