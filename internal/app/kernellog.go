package app

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
)

const (
	// maxKernelLog bounds what is read of the kernel's log: a ring buffer has at
	// most some MB, and a journal of a year some ten.
	maxKernelLog = 64 << 20
	// kernelLines are the last of the journal that are read: about 2,000 reports.
	kernelLines = 200_000
	logTime     = time.Minute
)

// KernelLog reads the kernel's log: from the journal, which keeps earlier boots
// and knows the clock, with what systemd says about kills; else the ring buffer.
func KernelLog(ctx context.Context, t target.Target) ([]byte, *known.Gap) {
	// message ids of systemd
	const killed, failed = "fe6faa94e7774663a0da52717891d8ef", "d9b373ed55a64feb8242e02dbe79a49c"
	out, err := t.Run(ctx, target.Command{Argv: []string{"journalctl", "--no-pager", "--quiet",
		"--output=short-iso-precise", "--lines=" + strconv.Itoa(kernelLines),
		"_TRANSPORT=kernel", "+", "MESSAGE_ID=" + killed, "+", "MESSAGE_ID=" + failed}, Timeout: logTime,
		Limit: maxKernelLog})
	if (err == nil || errors.Is(err, target.ErrTooLarge)) && bytes.Contains(out.Stdout, []byte(" kernel: ")) {
		return out.Stdout, nil
	}
	out, err = t.Run(ctx, target.Command{Argv: []string{"dmesg"}, Timeout: logTime, Limit: maxKernelLog})
	switch {
	case err == nil && out.Code == 0 && len(out.Stdout) > 0:
		return out.Stdout, nil
	case err != nil && !errors.Is(err, target.ErrTooLarge):
		return nil, &known.Gap{Fact: "kernel log", Reason: "neither journalctl nor dmesg could be run",
			Reveal: "save the kernel log on the host and name the file as FILE"}
	case out.Code != 0:
		reason, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		return nil, &known.Gap{Fact: "kernel log", Reason: "dmesg failed: " + reason,
			Reveal: "run pgfettle as root, or as a member of the group adm or systemd-journal"}
	}
	return out.Stdout, &known.Gap{Fact: "kernel log", Reason: "dmesg printed nothing",
		Reveal: "in a container, read the kernel log on the host"}
}
