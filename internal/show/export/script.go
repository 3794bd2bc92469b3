package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var scriptForm = Form{
	Name: "script", What: "a script for a POSIX shell",
	Label: "shell script", Suffix: ".sh", Write: whole(Script),
}

// Script writes the whole plan as a script for a POSIX shell, for hosts that
// pgfettle itself does not get to. It does not restart: it says what to restart
// and what to do after.
func Script(w io.Writer, p document.Plan, s *snapshot.Snapshot) error {
	d := carry(p, s, inOrder)
	if err := shellable("script", ofHost(d)); err != nil {
		return err
	}
	for _, key := range Keys(d.Plan) {
		if err := shellable("script", spelledOut(changesOf(d, key))); err != nil {
			return err
		}
	}
	sc := &script{d: d, s: s}
	sc.line("#!/bin/sh")
	comment(&sc.b, "#", fmt.Sprintf("pgfettle: %s, profile %s, snapshot %s",
		typeset.Count(len(d.Changes), "change", "changes"), d.Profile, typeset.Clean(shortHash(d.Snapshot))),
		commentWidth)
	d.leftOut(&sc.b, "#", anyChange)
	assumedNotes(&sc.b, "#", d)
	for _, c := range d.spacesBeside() {
		comment(&sc.b, "#", "manually, with psql: "+spaceLine(c), 200)
	}
	if len(d.Changes) == 0 {
		sc.line("exit 0")
		_, err := io.WriteString(w, sc.b.String())
		return err
	}
	comment(&sc.b, "#",
		"Read it, then run it as root on the host that it was planned for. It stops at the first thing that does "+
			"not work, and run again it goes on from there. What it replaces is kept below /var/lib/pgfettle. "+
			"'pgfettle apply' does the same with every step checked and taken back on request.", commentWidth)
	for _, key := range Keys(d.Plan) {
		d.hugeFirst(&sc.b, "#", s, key, "the host")
	}
	comment(&sc.b, "#", "shellcheck disable=SC1003,SC2016 # what stands between single quotes is meant as it stands",
		200)
	sc.b.WriteString(scriptHead)
	sc.devices()
	sc.needs()
	sc.line("kept=/var/lib/pgfettle/script-" + shell.Quote(safeKey(shortHash(d.Snapshot))))
	for i, key := range Keys(d.Plan) {
		sc.instance(i+1, key)
	}
	for _, c := range withPrefix(d, "sysctl") {
		if c.Address.Name() == "vm.nr_hugepages" {
			sc.line("\nroom " + shell.Quote(c.ToBase))
		}
	}
	sc.b.WriteString(scriptBegin)
	sc.files()
	sc.changes()
	sc.end()
	_, err := io.WriteString(w, sc.b.String())
	return err
}

// spelledOut is the changes as their SQL has them, where the control characters
// of ASCII are escapes already.
func spelledOut(list []plan.Change) []plan.Change {
	out := append([]plan.Change{}, list...)
	for i := range out {
		out[i].To, out[i].ToBase = conf.SQLString(out[i].To), ""
	}
	return out
}

type script struct {
	b strings.Builder
	d carried
	s *snapshot.Snapshot
}

func (sc *script) line(s string) { sc.b.WriteString(s + "\n") }

// scriptHead holds what the steps call. "local" is no word of POSIX, so
// functions keep to their arguments and to names of their own. A step that was
// made already is not made again, and what was kept first stays: the script may
// be run again.
const scriptHead = `set -eu
umask 022

say() { printf '%s\n' "$*"; }
die() { printf 'pgfettle: %s\n' "$*" >&2; exit 1; }

# keep FILE: copy what is there before it is replaced for the first time.
keep() {
	if [ -e "$kept/files$1" ] || grep -qxF -e "$1" "$kept/was-not-there"; then
		return 0
	fi
	if [ -e "$1" ]; then
		mkdir -p "$kept/files${1%/*}"
		cp -p "$1" "$kept/copy"
		mv "$kept/copy" "$kept/files$1"
	else
		printf '%s\n' "$1" >>"$kept/was-not-there"
	fi
}

# note LIST NAME VALUE: write down a value before it is changed for the first time.
note() {
	grep -qF -e "$2 = " "$kept/$1" || printf '%s = %s\n' "$2" "$3" >>"$kept/$1"
}

# line FILE START LINE: have LINE in a file, in the place of those that begin
# with START when their blanks are left out. The file is replaced as a whole.
line() {
	keep "$1"
	mkdir -p "${1%/*}"
	line_new=$(mktemp "$1.XXXXXX")
	if [ -e "$1" ]; then
		cp -p "$1" "$line_new" # for its owner and mode
		START=$2 LINE=$3 awk '{ s = $0; gsub(/[ \t]/, "", s) }
			index(s, ENVIRON["START"]) != 1 { print; next }
			!there { print ENVIRON["LINE"]; there = 1 }
			END { if (!there) print ENVIRON["LINE"] }' "$1" >"$line_new"
	else
		printf '%s\n' "$3" >"$line_new"
		chmod 644 "$line_new"
	fi
	if cmp -s "$1" "$line_new"; then
		rm -f "$line_new"
	else
		mv -f "$line_new" "$1"
		say "$1: $3"
	fi
	line_new=
}
line_new=
trap '[ -z "$line_new" ] || rm -f "$line_new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# kernel NAME VALUE PAIR: set a kernel parameter and read it back. PAIR is the
# parameter that the kernel sets to 0 by it.
kernel() {
	kernel_was=$(sysctl -n "$1")
	if [ "$kernel_was" = "$2" ]; then
		return 0
	fi
	kernel_back="$1=$kernel_was"
	if [ -n "${3-}" ] && [ "$kernel_was" = 0 ]; then
		kernel_back="$3=$(sysctl -n "$3")"
	fi
	note sysctl "${kernel_back%%=*}" "${kernel_back#*=}"
	sysctl -q -w "$1=$2" || die "$1: the kernel does not take $2"
	kernel_now=$(sysctl -n "$1")
	if [ "$kernel_now" != "$2" ]; then
		sysctl -q -w "$kernel_back"
		die "$1: the kernel took $kernel_now instead of $2; it is $kernel_was again"
	fi
	say "$1 = $2 (was $kernel_was)"
}

# room PAGES: whether so many huge pages can be had. The kernel would take nearly
# all memory for a pool that does not fit.
room() {
	awk -v pages="$1" '/^MemAvailable:/ { free = $2 } /^HugePages_Total:/ { pool = $2 } /^Hugepagesize:/ { size = $2 }
		END { exit (pages - pool) * size > free - 131072 }' /proc/meminfo ||
		die "there is no room for $1 huge pages: stop the server first, or reserve them at boot with hugepages=$1"
}

# switch FILE WORD: choose one of the words of a file of /sys.
switch() {
	switch_was=$(cat "$1")
	case $switch_was in
	"$2" | *"[$2]"*) return 0 ;;
	esac
	note sys "$1" "$switch_was"
	printf '%s' "$2" >"$1"
	say "$1 = $2"
}

# server OWNER SOCKET PORT: SQL from stdin, as the owner of the data directory.
server() {
	server_owner=$1
	set -- -X -q -A -t -v ON_ERROR_STOP=1 -d postgres ${2:+-h "$2"} ${3:+-p "$3"}
	if [ "$server_owner" = root ]; then
		psql "$@"
	else
		runuser -u "$server_owner" -- psql "$@"
	fi
}

[ "$(id -u)" -eq 0 ] || die 'this needs root'
`

// devices writes the functions that only few plans call.
func (sc *script) devices() {
	if len(withPrefix(sc.d, "mount")) > 0 {
		sc.b.WriteString(scriptMounts)
	}
	for _, c := range withPrefix(sc.d, "block") {
		if q, ok := queueOf(c); ok && q.mapped {
			sc.b.WriteString(scriptQueue)
			return
		}
	}
}

const scriptQueue = `
# queue NAME: the folder of the queue of a volume of device mapper.
queue() {
	queue_at=$(readlink -e "/dev/mapper/$1") || die "/dev/mapper/$1: there is no such volume"
	printf '/sys/block/%s/queue\n' "${queue_at##*/}"
}
`

const scriptMounts = `
# options POINT OPTIONS: have these options in the one line of /etc/fstab that
# mounts something at a place, which is spelled as there. Nothing else changes.
options() {
	keep /etc/fstab
	line_new=$(mktemp /etc/fstab.XXXXXX)
	cp -p /etc/fstab "$line_new"
	POINT=$1 OPTIONS=$2 awk '{ at = $2; if (length(at) > 1) sub(/\/+$/, "", at) }
		substr($1, 1, 1) != "#" && at == ENVIRON["POINT"] && NF > 3 {
			n++
			match($0, /^[ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+/)
			front = substr($0, 1, RLENGTH); back = substr($0, RLENGTH + 1)
			sub(/^[^ \t]+/, "", back)
			$0 = front ENVIRON["OPTIONS"] back
		}
		{ print }
		END { exit n != 1 }' /etc/fstab >"$line_new" || die "/etc/fstab: not one line mounts $1"
	if cmp -s /etc/fstab "$line_new"; then
		rm -f "$line_new"
	else
		mv -f "$line_new" /etc/fstab
		say "/etc/fstab: $1 with $2"
	fi
	line_new=
}

# remount POINT WORD: mount a place anew with another word for the times of access.
remount() {
	remount_now=$(findmnt -n -o VFS-OPTIONS -M "$1") || die "$1: nothing is mounted there"
	case ,$remount_now, in
	*",$2,"*) return 0 ;;
	*,relatime,* | *,noatime,*) ;;
	*) [ "$2" != strictatime ] || return 0 ;;
	esac
	case $2 in
	strictatime) mount -o remount,strictatime "$1" ;;
	*) mount -o "remount,nostrictatime,$2" "$1" ;;
	esac
	say "$1 is mounted with $2"
}
`

// scriptBegin is where the checks are over.
const scriptBegin = `
mkdir -p "$kept"
chmod 700 "$kept"
exec 9>"$kept/lock"
flock -n 9 || die 'another run of this script is at work'
touch "$kept/was-not-there" "$kept/sysctl" "$kept/sys"
say "what is replaced is kept in $kept"
`

// pairOf is the parameter that the kernel sets to 0 when one is set, and which
// rules where that one is 0 (mm/page-writeback.c, mm/util.c).
func pairOf(name string) string {
	for _, p := range [][2]string{{"vm.dirty_bytes", "vm.dirty_ratio"},
		{"vm.dirty_background_bytes", "vm.dirty_background_ratio"}, {"vm.overcommit_kbytes", "vm.overcommit_ratio"}} {
		switch name {
		case p[0]:
			return p[1]
		case p[1]:
			return p[0]
		}
	}
	return ""
}

// needs asks for the programs that the steps call.
func (sc *script) needs() {
	programs := "awk cmp flock"
	if len(withPrefix(sc.d, "sysctl")) > 0 {
		programs += " sysctl"
	}
	if len(withPrefix(sc.d, "mount")) > 0 {
		programs += " mount findmnt"
	}
	if len(Keys(sc.d.Plan)) > 0 {
		programs += " psql runuser"
	}
	sc.line("for program in " + programs +
		"; do\n\tcommand -v \"$program\" >/dev/null || die \"this needs $program\"\ndone")
}

// instance asks a server whether it will take the settings, before anything is
// written.
func (sc *script) instance(n int, key string) {
	socket, port := connection(sc.s, key)
	label, data := "the server", ""
	if in := sc.s.Instance(key); in != nil {
		label = in.Label()
		data, _ = in.DataDirectory.Get()
	}
	sc.line("")
	comment(&sc.b, "#", label, commentWidth)
	if data != "" {
		sc.line(fmt.Sprintf("data%d=%s", n, shell.Quote(data)))
		sc.line(fmt.Sprintf("[ -f \"$data%d/PG_VERSION\" ] || die \"$data%d is no data directory\"", n, n))
		sc.line(fmt.Sprintf("owner%d=$(stat -c %%U \"$data%d\")", n, n))
	} else {
		sc.line(fmt.Sprintf("owner%d=postgres", n))
	}
	sc.line(fmt.Sprintf("server%d() { server \"$owner%d\" %s %s; }", n, n, shell.Quote(socket),
		shell.Quote(port)))
	sc.line(
		fmt.Sprintf("[ \"$(printf '%%s\\n' \"select current_setting('is_superuser')\" | server%d)\" = on ] || die %s",
			n, shell.Quote(typeset.Clean(label)+": no superuser there")))
	if data == "" {
		sc.line(fmt.Sprintf("data%d=$(printf '%%s\\n' 'show data_directory' | server%d)", n, n))
	}
}

// files writes what lasts over a restart of the host. Lines of earlier plans
// stay: only those of the same knobs are replaced.
func (sc *script) files() {
	unit := "/etc/systemd/system/" + unitName(sc.s) + ".d/60-pgfettle.conf"
	units := false
	sc.line("")
	for _, c := range ofHost(sc.d) {
		name := c.Address.Name()
		switch c.Address.Prefix() {
		case "sysctl":
			sc.inFile(sysctlPlace, name+"=", name+" = "+c.ToBase)
		case "thp":
			sc.inFile(tmpfilesPlace, "w"+thpFolder+name+"-", tmpfilesLine(c))
		case "block":
			if q, ok := queueOf(c); ok {
				sc.inFile(udevPlace, strings.ReplaceAll(q.rule(), " ", ""), q.line())
			}
		case "mount":
			if m, ok := mountOf(c); ok {
				sc.line("options " + shell.Quote(m.point) + " " + shell.Quote(m.options))
			}
		case "unit":
			if !units {
				units = true
				sc.inFile(unit, "[Service]", "[Service]")
			}
			for _, a := range host.Assignments(name, c.ToBase) {
				sc.inFile(unit, a[0]+"=", a[0]+"="+a[1])
			}
		}
	}
	if units {
		sc.line("if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi")
	}
}

func (sc *script) inFile(file, start, line string) {
	sc.line("line " + shell.Quote(file) + " " + shell.Quote(start) + " " + shell.Quote(line))
}

// changes makes the plan's changes in the plan's order; what has to wait for a restart of a server is only reported.
func (sc *script) changes() {
	number := map[string]int{}
	for i, key := range Keys(sc.d.Plan) {
		number[key] = i + 1
	}
	restart, saved := false, map[string]bool{}
	var later []plan.Change
	for _, c := range sc.d.Changes {
		if c.Layer != knob.Instance && restart {
			later = append(later, c)
			continue
		}
		sc.line("")
		comment(&sc.b, "#", string(c.Address)+", "+changeComment(c), commentWidth)
		switch c.Address.Prefix() {
		case "pg":
			n := number[c.Key]
			if !saved[c.Key] {
				saved[c.Key] = true
				sc.line(fmt.Sprintf("keep \"$data%d/postgresql.auto.conf\"", n))
			}
			for _, note := range rivals(sc.s, c) {
				if !strings.HasPrefix(note, "postgresql.auto.conf") { // this form writes there itself
					comment(&sc.b, "#", "BEWARE: "+note, commentWidth)
				}
			}
			sc.line(fmt.Sprintf("printf '%%s\\n' %s | server%d",
				shell.Quote(alterSystem(c.Address.Name(), c.To)), n))
			restart = restart || c.Effect >= knob.Restart
		case "sysctl":
			for _, note := range laterFiles(sc.s, c.Address.Name()) {
				comment(&sc.b, "#", "BEWARE: "+note, commentWidth)
			}
			sc.line(strings.TrimRight("kernel "+shell.Quote(c.Address.Name())+" "+shell.Quote(c.ToBase)+
				" "+pairOf(c.Address.Name()), " "))
		case "thp":
			sc.line("switch " + shell.Quote(thpFolder+c.Address.Name()) + " " + shell.Quote(c.ToBase))
		case "unit":
			sc.line("# in the drop-in above")
		case "block":
			sc.queue(c)
		case "mount":
			if m, ok := mountOf(c); ok {
				sc.line("remount " + shell.Quote(m.path) + " " + m.atime)
			} else {
				sc.byHand(c)
			}
		default:
			sc.byHand(c)
		}
	}
	for i, key := range Keys(sc.d.Plan) {
		sc.spaces(i+1, key)
	}
	for i := range Keys(sc.d.Plan) {
		sc.line(fmt.Sprintf("printf '%%s\\n' 'select pg_reload_conf()' | server%d >/dev/null", i+1))
	}
	sc.after(later)
}

// queue sets a block device's queue now: the rule of udev is for the next boot.
func (sc *script) queue(c plan.Change) {
	q, ok := queueOf(c)
	switch {
	case !ok:
		sc.byHand(c)
	case q.mapped:
		sc.line("queue_of=$(queue " + shell.Quote(q.device) + ")\nswitch \"$queue_of/" + q.attr + "\" " +
			shell.Quote(q.value))
	default:
		sc.line("switch " + shell.Quote("/sys/block/"+q.device+"/queue/"+q.attr) +
			" " + shell.Quote(q.value))
	}
}

func (sc *script) byHand(c plan.Change) { sc.line("say " + shell.Quote("manually: "+how(c))) }

// after lists what has to be done manually, in order.
func (sc *script) after(later []plan.Change) {
	for _, key := range Keys(sc.d.Plan) {
		n := 0
		for _, c := range changesOf(sc.d, key) {
			if c.Effect >= knob.Restart {
				n++
			}
		}
		if n > 0 {
			sc.line("say " + shell.Quote(typeset.Count(n, "setting waits", "settings wait")+
				" for a restart: systemctl restart "+typeset.Clean(unitOf(sc.s, key))))
		}
	}
	for _, c := range later {
		sc.line("say " + shell.Quote("after the restart: "+afterRestart(c)))
	}
}

func afterRestart(c plan.Change) string {
	if c.Address.Prefix() == "sysctl" {
		return "sysctl -w " + shell.Quote(c.Address.Name()+"="+c.ToBase) + "   (" + sysctlPlace +
			" has it for the next boot)"
	}
	return how(c)
}

func (sc *script) end() {
	sc.line("")
	sc.line(`say "done; what was replaced is in $kept"`)
}
