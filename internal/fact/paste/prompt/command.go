package prompt

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// MostCommands is how many commands a line is taken for at most.
const MostCommands = 64

// Commands parts the commands of a line. One that shows several files, or asks several
// questions, is several.
func Commands(command string) []string {
	var out []string
	for _, c := range parted(command) {
		if len(out) >= MostCommands {
			break
		}
		if m := rePsqlC.FindStringSubmatch(c); m != nil && strings.Contains(m[2], ";") {
			for _, s := range parted(m[2]) {
				out = append(out, m[1]+` "`+s+`"`)
			}
			continue
		}
		if strings.Contains(c, "psql") { // psql -c a -c b
			if all := rePsqlEach.FindAllStringSubmatch(c, MostCommands); len(all) > 1 {
				for _, m := range all {
					out = append(out, `psql -c "`+strings.Trim(m[1], `"'`)+`"`)
				}
				continue
			}
		}
		words := strings.Fields(c)
		if len(words) > 1 && words[0] == "cat" && !strings.ContainsAny(c, "|<>*") {
			files := braced(words[1:])
			if len(files) > 1 && oneValueEach(files) {
				for _, f := range files {
					out = append(out, "cat "+f)
				}
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

var (
	rePsqlC = regex.New(`^(.*\bpsql\b.*?\s(?:-\w*c|--command)[ =]?)\s*["'](.*)["'][^"']*$`)
	// each query of several
	rePsqlEach = regex.New(`\s(?:-\w*c|--command)[ =]?\s*("[^"]*"|'[^']*')`)
	reBraces   = regex.New(`^([^{}]*)\{([^{},]+(?:,[^{},]+)+)\}([^{}]*)$`)
)

// braced does what a shell does to a{b,c}.
func braced(words []string) []string {
	var out []string
	for _, w := range words {
		m := reBraces.FindStringSubmatch(w)
		if m == nil {
			out = append(out, w)
			continue
		}
		for s := range strings.SplitSeq(m[2], ",") {
			if len(out) < MostCommands {
				out = append(out, m[1]+s+m[3])
			}
		}
	}
	return out
}

// oneValueEach says whether files hold a value each, and no text of many lines.
func oneValueEach(files []string) bool {
	for _, f := range files {
		if !strings.HasPrefix(f, "/proc/sys/") && !strings.HasPrefix(f, "/sys/") || strings.HasSuffix(f, ".stat") ||
			strings.HasSuffix(f, "meminfo") || strings.HasSuffix(f, ".events") {
			return false
		}
	}
	return true
}

// parted parts commands at ; and &&, outside of quotation marks.
func parted(command string) []string {
	var out []string
	quote, from := byte(0), 0
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ';' || c == '&' && i+1 < len(command) && command[i+1] == '&' || c == '\n':
			if s := strings.TrimSpace(command[from:i]); s != "" {
				out = append(out, s)
			}
			if c == '&' {
				i++
			}
			from = i + 1
		}
	}
	if s := strings.TrimSpace(command[from:]); s != "" {
		out = append(out, s)
	}
	return out
}

var reRunners = []*regex.Regex{
	regex.New(`^(?:sudo|time|env|exec)(?:\s+-u\s*\S+|\s+-[a-zA-Z]+|\s+\w+=\S*)*\s+(.+)$`),
	regex.New(`^[A-Z_]+=\S*\s+(.+)$`),
	regex.New(`^(?:docker|podman|crictl)\s+exec\s+(?:-(?:[ue]\s+)?\S+\s+)*\S+\s+(.+)$`),
	regex.New(`^(?:docker-compose|podman-compose|docker\s+compose)\s+(?:-f\s*\S+\s+)*exec\s+` +
		`(?:-(?:[ue]\s+)?\S+\s+)*\S+\s+(.+)$`),
	regex.New(`^(?:kubectl|oc|k)\s+(?:-\S+\s+(?:[\w-]+\s+)?)*exec\s+.*?\s--\s+(.+)$`),
	regex.New(`^ssh\s+(?:-[1246AaCfGgKkMNnqsTtVvXxYy]+\s+|-[a-zA-Z]\s*\S+\s+)*(?:[\w.-]+@)?[\w.-]+\s+(.+)$`),
	regex.New(`^su\s+.*?-c\s+(.+)$`),
	regex.New(`^(?:ba)?sh\s+-l?c\s+(.+)$`),
	regex.New(`^ansible\s.*?\s(?:-a|--args)[ =]?\s*(.+)$`),
	regex.New(`^(?:pssh|parallel-ssh|clush)\s+(?:-\S+\s+(?:[^-\s'"]\S*\s+)?)*(.+)$`),
}

// Inner is a command without what runs it elsewhere or as a person else.
func Inner(c string) string {
	for range 4 {
		before := c
		if len(parted(c)) != 1 {
			return c
		}
		for _, re := range reRunners {
			if m := re.FindStringSubmatch(c); m != nil {
				c = strings.TrimSpace(m[1])
			}
		}
		if n := len(c); n > 1 && (c[0] == '"' || c[0] == '\'') && c[n-1] == c[0] &&
			strings.Count(c, c[:1]) == 2 {
			c = c[1 : n-1]
		}
		if c == before {
			break
		}
	}
	return c
}

var reSSH = regex.New(
	`^(?:sudo\s+)?ssh\s+(?:-[1246AaCfGgKkMNnqsTtVvXxYy]+\s+|-[a-zA-Z]\s*\S+\s+)*(?:[\w.-]+@)?([a-zA-Z0-9][\w.-]{` +
		`0,254})\s+\S`)

// PodShell is a command that begins a shell in a pod, with the name of the pod.
var PodShell = regex.New(
	`\b(?:kubectl|oc|k)\s(?:\S+\s+)*?exec\s+(?:-\S+\s+)*(?:pods?/)?([a-z0-9][\w.-]{0,254})\s+(?:-\S+\s+)*(?:-- )?` +
		`(?:/bin/|/usr/bin/)?(?:ba|a|da|z)?sh$`)

var rePodRun = regex.New(`\b(?:(?:kubectl|oc|k)\s(?:\S+\s+)*?exec|(?:docker|podman|crictl)\s+exec)\s`)

// PodRun says whether a command ran in a container: it is not of the host of the prompt.
func PodRun(c string) bool { return rePodRun.MatchString(c) }

// Remote is the host on which ssh ran a command.
func Remote(c string) string {
	if m := reSSH.FindStringSubmatch(c); m != nil {
		return m[1]
	}
	return ""
}
