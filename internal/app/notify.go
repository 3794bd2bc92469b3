package app

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/monitor"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// sinks reads what --notify says.
func (h *Host) sinks(list []string) ([]monitor.Sink, error) {
	const hint = "Use exec:CMD, webhook:URL or webhook:@FILE."
	var out []monitor.Sink
	for _, s := range list {
		kind, where, _ := strings.Cut(s, ":")
		switch kind {
		case "exec":
			argv, err := monitor.Words(where)
			if err != nil {
				return nil, say.Usage(say.M("--notify exec: {error}", "error", err),
					say.M("Use a program and its arguments, such as exec:/usr/local/bin/page-me."))
			}
			out = append(out, &monitor.Exec{Target: h.Target, Argv: argv})
		case "webhook":
			if name, ok := strings.CutPrefix(where, "@"); ok {
				var err error
				if where, err = firstLine(name); err != nil {
					return nil, say.Usage(say.M("--notify webhook: {error}", "error", err), say.M("Write the URL on "+
						"the first line of the file."))
				}
			}
			h, err := monitor.NewWebhook(where)
			if err != nil {
				return nil, say.Usage(say.M("--notify webhook: {error}", "error", err), say.M("Use https://HOST/PATH."))
			}
			out = append(out, h)
		default:
			// it may be a secret that lacks its word
			return nil, say.Usage(say.M("invalid value for --notify: {kind} is neither exec nor webhook", "kind",
				fmt.Sprintf("%.20q", kind)),
				say.M(hint))
		}
	}
	return out, nil
}

// longestURL is the most of a file that may be a URL.
const longestURL = 8 << 10

func firstLine(name string) (string, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, longestURL))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line), nil
}
