package live

import (
	"strings"
	"testing"
)

func TestParseProfile(t *testing.T) {
	const script = `postgres  4711 [003]  1234.567890:     250000 cycles:P: 
	    55d5c7a6b123 s_lock+0x63 (/usr/lib/postgresql/16/bin/postgres)
	    55d5c7a6c000 StrategyGetBuffer+0x1a0 (/usr/lib/postgresql/16/bin/postgres)
	    55d5c7a6c100 main (/usr/lib/postgresql/16/bin/postgres)

postgres  4712 [001]  1234.567990:     250000 cycles:P: 
	ffffffff9a0b1c2d clear_page_erms+0x7 ([kernel.kallsyms])
	ffffffff9a0b1c2d handle_mm_fault+0x10 ([kernel.kallsyms])
	    55d5c7a6c000 StrategyGetBuffer+0x1a0 (/usr/lib/postgresql/16/bin/postgres)

`
	const stacks = `postgres;main;ExecScan;heapgettup 30
postgres;main;s_lock 60
postgres;main;asm_exc_page_fault_[k];handle_mm_fault_[k] 10
`
	const tree = `- 87.79% .schedule_timeout
+ 99.99% .unix_stream_recvmsg
`
	for _, c := range []struct {
		name, text, format string
		first              Symbol
		samples            int64
		callers            int
	}{
		{"script", script, "script", Symbol{Percent: 50, Command: "postgres", Kernel: true, Name: "clear_page_erms"},
			2, 5},
		{"folded", stacks, "folded", Symbol{Percent: 60, Command: "postgres", Name: "s_lock"}, 100, 6},
		{"tree", tree, "report", Symbol{Percent: 99.99, Name: "unix_stream_recvmsg"}, 0, 0},
	} {
		p, err := ParseProfile([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.Format != c.format || p.Samples != c.samples || len(p.Callers) != c.callers || p.Symbols[0] != c.first {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	for _, text := range []string{"", "nothing", "a;b", "SELECT 1; 2"} {
		if p, err := ParseProfile([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

// FuzzParseProfile verifies that no text breaks the reader, and that shares are shares.
func FuzzParseProfile(f *testing.F) {
	f.Add([]byte("postgres;main;s_lock 60\n"))
	f.Add([]byte("postgres  4711 [003]  1234.5: 250 cycles:P: \n\t 55 s_lock+0x63 (/bin/postgres)\n\n"))
	f.Add([]byte("# Samples: 1K of event 'cpu-clock'\n 6.30%  postgres  postgres  [.] s_lock\n"))
	f.Add([]byte("- 87.79% .schedule_timeout\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseProfile(b)
		if err != nil {
			return
		}
		for _, s := range append(p.Symbols, p.Callers...) {
			if !(s.Percent >= 0 && s.Percent <= 100.01) {
				t.Errorf("%+v", s)
			}
		}
	})
}

// TestReports verifies that a report is the same quoted, indented, and with columns more or fewer.
func TestReports(t *testing.T) {
	const both = `# Samples: 48K of event 'cycles:P'
# Children      Self  Command   Shared Object      Symbol
    61.20%     0.00%  postgres  [kernel.kallsyms]  [k] asm_exc_page_fault
            |
            ---asm_exc_page_fault
                --60.88%--handle_mm_fault
    44.81%    44.02%  postgres  [kernel.kallsyms]  [k] clear_page_erms
`
	const own = `# Samples: 211  of event 'cpu-clock'
# Overhead  Command   Shared Object      Symbol
    44.02%  postgres  [kernel.kallsyms]  [k] clear_page_erms
     0.61%  postgres  postgres           [.] LWLockAcquire
`
	each := func(prefix, text string) string {
		return prefix + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+prefix) + "\n"
	}
	command := Symbol{Percent: 44.02, Command: "postgres", Kernel: true, Name: "clear_page_erms"}
	object := command
	object.Command = ""
	for name, c := range map[string]struct {
		text    string
		first   Symbol
		callers int
	}{
		"both":           {both, command, 2},
		"both, quoted":   {each("> ", both), command, 2},
		"own":            {own, command, 0},
		"quoted twice":   {each(">> ", own), command, 0},
		"indented":       {each("        ", own), command, 0},
		"samples":        {strings.ReplaceAll(own, "%  postgres", "%    93  postgres"), command, 0},
		"without object": {strings.ReplaceAll(own, "[kernel.kallsyms]  ", ""), command, 0},
		"without command": {strings.NewReplacer("Command   ", "", "postgres  [kernel", "[kernel",
			"postgres  postgres", "postgres").Replace(own), object, 0},
	} {
		p, err := ParseProfile([]byte(c.text))
		if err != nil || p.Format != "report" || p.Symbols[0] != c.first || len(p.Callers) != c.callers {
			t.Errorf("%s: %v %+v", name, err, p)
		}
	}
}
