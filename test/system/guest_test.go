package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/pgfettle/pgfettle/test/system/agent"
)

// The machine: two nodes of 1.5 GB and a CPU each. Memory that it does not touch costs nothing here.
const (
	nodeMB = 1536
	nodes  = 2
)

// bootTime bounds the way from power on to PostgreSQL: 20 s on an idle machine, some minutes on one whose CPUs thirty
// others want as well.
const bootTime = 8 * time.Minute

// guest is a virtual machine that runs.
type guest struct {
	console string // file with what it wrote to its serial line
	qemu    *exec.Cmd
	ended   chan struct{} // closed when qemu has
	agent   *agent.Client
	stopped bool
}

// boot switches a machine on and waits until systemd has started everything. It
// is switched off hard at the end of the test, where it still runs then.
func boot(t *testing.T, img image, tools string) *guest {
	t.Helper()
	dir, err := os.MkdirTemp("", "guest-") // short: the path of a socket has 107 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	g := &guest{console: filepath.Join(dir, "console")}
	socket := filepath.Join(dir, "agent")
	argv := []string{"qemu-system-x86_64", "-accel", "tcg,thread=multi", "-machine", "q35", "-cpu", "Nehalem",
		"-smp", fmt.Sprint(nodes), "-m", fmt.Sprint(nodes * nodeMB),
		"-nodefaults", "-no-user-config", "-display", "none", "-nic", "none", "-no-reboot", "-kernel", img.grub(),
		"-chardev", "file,id=console,path=" + g.console, "-serial", "chardev:console",
		"-device", "virtio-rng-pci", // so that nothing waits for entropy
		"-device", "virtio-serial-pci", "-chardev", "socket,id=agent,server=on,wait=off,path=" + socket,
		"-device", "virtserialport,chardev=agent,name=" + agent.Port,
		"-drive", "if=none,id=root,format=raw,cache=unsafe,file=" + img.disk(), "-device",
		"nvme,drive=root,serial=root,bootindex=1",
		"-drive", "if=none,id=tools,format=raw,readonly=on,file=" + tools, "-device", "nvme,drive=tools,serial=tools"}
	for n := range nodes {
		argv = append(argv, "-object", fmt.Sprintf("memory-backend-ram,id=node%d,size=%dM", n, nodeMB),
			"-numa", fmt.Sprintf("node,nodeid=%d,memdev=node%d,cpus=%d", n, n, n))
	}
	var said strings.Builder
	runtime.LockOSThread() // the kernel takes the end of the thread that started it for ours
	t.Cleanup(runtime.UnlockOSThread)
	begun := time.Now()
	t.Cleanup(func() {
		if g.qemu != nil && !g.stopped {
			if t.Failed() {
				t.Logf("the machine's console ended with:\n%s", g.last(40))
			}
			_ = g.qemu.Process.Kill() // it has ended where this fails
			<-g.ended
		}
		if g.agent != nil {
			g.agent.Close()
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	fail := func(err error) {
		t.Helper()
		t.Fatalf("the machine's console ended with:\n%s\n%s\nboot: %v", g.last(60), said.String(), err)
	}
	for attempt := 1; ; attempt++ {
		err := g.start(t.Context(), argv, socket, &said)
		if err == nil {
			break
		}
		if !errors.Is(err, errStuck) || attempt == attempts {
			fail(err)
		}
		t.Logf("attempt %d: %v\nthe console ended with:\n%s", attempt, err, g.last(5))
		_ = g.qemu.Process.Kill() // it has ended where this fails
		<-g.ended
		g.agent.Close()
		for _, name := range []string{socket, g.console} {
			if err := os.Remove(name); err != nil {
				fail(err)
			}
		}
	}
	if r := g.try(t, bootTime, "", "systemctl", "is-system-running", "--wait"); r.Stdout != "running\n" {
		failed := g.try(t, time.Minute, "", "sh", "-c",
			"systemctl --no-pager --failed --plain; journalctl --no-pager -p warning -b | tail -40")
		fail(fmt.Errorf("systemd says it is %q\n%s", r.Stdout, failed.Stdout))
	}
	t.Logf("up after %s", time.Since(begun).Round(100*time.Millisecond))
	return g
}

// QEMU's threads of several CPUs sometimes wait for each other forever, in the kernel's first seconds: once in some 250
// boots. Such a machine is started again: nothing of its disk was written yet, and nothing that is tested has run.
const (
	attempts  = 3
	quietTime = 2 * time.Minute // a kernel that is alive writes its first lines within seconds of each other
)

var errStuck = errors.New("the emulator has stopped in the first lines of the kernel")

// start switches the machine on and waits for its agent. The error is errStuck where the emulator has to be started
// again.
func (g *guest) start(ctx context.Context, argv []string, socket string, said io.Writer) error {
	g.qemu, g.ended = exec.Command(argv[0], argv[1:]...), make(chan struct{})
	g.qemu.Stdout, g.qemu.Stderr = said, said
	g.qemu.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a test that dies leaves no machine behind
	if err := g.qemu.Start(); err != nil {
		close(g.ended)
		return err
	}
	go func(qemu *exec.Cmd, ended chan struct{}) {
		_ = qemu.Wait() // how is in what it said and in its state
		close(ended)
	}(g.qemu, g.ended)
	ctx, cancel := context.WithTimeoutCause(ctx, bootTime, fmt.Errorf("it is not up after %s", bootTime))
	defer cancel()
	port, err := g.dial(ctx, socket)
	if err != nil {
		return err
	}
	g.agent = agent.Dial(port)
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for size, quiet := int64(-1), time.Duration(0); ; quiet += time.Second {
		select {
		case <-g.agent.Started():
			return nil
		case <-g.ended:
			return errors.New("QEMU has ended")
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-look.C:
		}
		text, err := os.ReadFile(g.console)
		if err != nil {
			return err
		}
		if int64(len(text)) != size || firstProgram.Match(text) {
			size, quiet = int64(len(text)), 0
		}
		if quiet >= quietTime {
			return errStuck
		}
	}
}

// firstProgram is what the kernel writes when it is done with itself.
var firstProgram = regexp.MustCompile(`Run /\S+ as init process`)

// dial connects to the socket that QEMU makes when it starts.
func (g *guest) dial(ctx context.Context, socket string) (io.ReadWriteCloser, error) {
	for {
		c, err := net.Dial("unix", socket)
		if err == nil {
			return c, nil
		}
		select {
		case <-g.ended:
			return nil, errors.New("QEMU did not start")
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

var (
	colours = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]|\x1bM")
	waiting = regexp.MustCompile(`(?m)^.*Job \S+ running \(.*\n`) // systemd says so twice a second
)

// last returns the last lines of the console, without what moves a cursor.
func (g *guest) last(n int) string {
	b, err := os.ReadFile(g.console)
	if err != nil {
		return err.Error()
	}
	text := waiting.ReplaceAllString(colours.ReplaceAllString(string(b), ""), "")
	return lastLines(strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text), n)
}

// off switches the machine off as a person would, so that its disk is whole.
func (g *guest) off(t *testing.T) {
	t.Helper()
	g.stopped = true
	ctx, cancel := context.WithTimeout(t.Context(), bootTime)
	defer cancel()
	// The agent is among what is then ended, and may not have answered before: only whether the machine has powered off
	// counts.
	_, asked := g.agent.Run(ctx, agent.Request{Argv: []string{"systemctl", "poweroff", "--no-block"}, Seconds: 60})
	select {
	case <-g.ended:
	case <-ctx.Done():
		_ = g.qemu.Process.Kill()
		<-g.ended
		t.Fatalf("the machine's console ended with:\n%s\nthe machine did not switch itself off; the agent: %v",
			g.last(40), asked)
	}
	if !g.qemu.ProcessState.Success() {
		t.Fatalf("QEMU: %v", g.qemu.ProcessState)
	}
}

// patience bounds a command: seconds at most on an idle machine.
const patience = 5 * time.Minute

// try runs a command and returns how it ended.
func (g *guest) try(t *testing.T, limit time.Duration, stdin string, argv ...string) agent.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit+10*time.Second, errors.New("the agent does not answer"))
	defer cancel()
	r, err := g.agent.Run(ctx, agent.Request{Argv: argv, Stdin: stdin, Seconds: int(limit / time.Second)})
	if err != nil {
		t.Fatalf("the machine's console ended with:\n%s\n%s%s\n%s: %v", g.last(40), r.Stdout, r.Stderr,
			strings.Join(argv, " "), err)
	}
	return r
}

// sh runs a shell script that has to succeed, and returns what it printed.
func (g *guest) sh(t *testing.T, script string) string {
	t.Helper()
	r := g.try(t, patience, "", "sh", "-c", script)
	if r.Code != 0 {
		t.Fatalf("exit status %d: %s\n%s%s", r.Code, script, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// line is sh for a script that prints one line.
func (g *guest) line(t *testing.T, script string) string {
	t.Helper()
	return strings.TrimSpace(g.sh(t, script))
}

// fettle runs the program, which has to end with a code.
func (g *guest) fettle(t *testing.T, code int, args ...string) agent.Reply {
	t.Helper()
	return g.fettleWithin(t, patience, code, args...)
}

// fettleWithin is fettle with a bound of its own.
func (g *guest) fettleWithin(t *testing.T, limit time.Duration, code int, args ...string) agent.Reply {
	t.Helper()
	r := g.try(t, limit, "", append([]string{"pgfettle"}, args...)...)
	if r.Code != code {
		t.Fatalf("pgfettle %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), r.Code, code,
			r.Stdout, r.Stderr)
	}
	return r
}

// bin is where the programs of the server are: Debian's psql and pgbench in /usr/bin are scripts that
// take ten times as long to find these.
const bin = "/usr/lib/postgresql/15/bin"

// psql runs what it reads as the server's owner.
var psql = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", bin + "/psql", "-X", "-A",
	"-t", "-q", "-d", "postgres"}

// sql asks the server as its owner.
func (g *guest) sql(t *testing.T, query string) string {
	t.Helper()
	r := g.try(t, patience, query, append(slices.Clone(psql), "-v", "ON_ERROR_STOP=1")...)
	if r.Code != 0 {
		t.Fatalf("%s\n%s%s", query, r.Stdout, r.Stderr)
	}
	return strings.TrimSpace(r.Stdout)
}

// put writes a file.
func (g *guest) put(t *testing.T, name, text string) {
	t.Helper()
	if r := g.try(t, patience, text, "tee", name); r.Code != 0 {
		t.Fatalf("%s: %s", name, r.Stderr)
	}
}
