// Package prompt finds the prompts and the commands between outputs, and says what a command asks.
package prompt

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

var (
	reBracketed = regex.New(
		`^(?:\([^)]{1,40}\) ?)*\[([\w.-]{1,64})@([\w.-]{1,255})(?:[ :][^\]]{0,255})?\] ?[#$%>](?: (.*)|([a-z/].*))?$`)
	// the same without a host
	reNoHost   = regex.New(`^\[[a-z_][\w.-]{0,63} [~/][^\]]{0,255}\] ?[#$%](?: (.*))?$`)
	reUserHost = regex.New(
		`^(?:\([^)]{1,40}\) ?)*([a-zA-Z_][\w.-]{0,63})@([\w.-]{1,255}):?\s?([~/][^#$%>]{0,255}?)? ?[#$%>](?:\s+(.*)|)$`)
	reHostPath = regex.New(`^([\w.-]{1,255}):([~/][^\s#$%>]{0,255}) ?[#$%>](?: (.*))?$`)
	// a shell of Gentoo, and busybox in a container
	rePath  = regex.New(`^(?:([\w.-]{1,255}) )?([~/][^\s#$%>]{0,255}) ?[#$%>] (\S.*)$`)
	reNamed = regex.New(`^[\w.-]{1,64}\[[~/][^\]]{0,255}\] ?[#$%>]\s+(\S.*)$`)
	// a folder alone, as themes of shells show it; and a shell of macOS
	reFolder = regex.New(`^~(?:/[\w./-]{0,200})?\s+(?:(?:[\w./-]{1,60} |\([\w./-]{1,60}\) )?[❯➜λ»›] ?)?(\S.*)$`)
	reMac    = regex.New(`^([\w.-]{1,255}):(?:[~/]\S{0,200}|\w[\w.-]{0,60}) [\w.-]{1,64}[$#](?: (.*))?$`)
	// zsh of macOS names the folder without its path
	reZsh   = regex.New(`^[\w.-]{1,64}@([\w.-]{1,255}) [\w.-]{1,64} %(?: (\S.*))?$`)
	reDrive = regex.New(`^(?:PS )?[A-Za-z]:\\[^<>|"]{0,200}>\s?(.*)$`) // a shell of Windows
	rePgcli = regex.New(`^[\w.-]{1,63}@[\w.-]{1,255}:[\w.-]{1,63}> ?(.*)$`)
	rePsql  = regex.New(`^((?:\[[\w.@:]{1,64}\] ?)?(?:[\w.-]{1,63}|[\w.-]{1,63}@[\w.:/\[\]-]{1,127}))([=\-*` +
		`('"^!$])[#>](?:\s+(.*)|)$`)
	reArrow = regex.New(`^(?:[⇒❯➜›»λ]|->)\s+(?:[~/]\S*\s+)?(.*)$`)
	// the second line of a prompt that has two, and what a theme writes at the right edge
	reElbow  = regex.New(`^(?:╰─+|└─+)[❯➜λ»›>]?[$#%]?\s*(\S.*?)(?:\s{8,}\S{1,12}(?: \S{1,3})?)?$`)
	reAbove  = regex.New(`^(?:╭─+|┌─+)\s*\(?(?:[\w.-]{1,64}@([\w.-]{1,255}))?\)?[\s\-\[~/(].*$`)
	reDollar = regex.New(`^(?:(?:=|[a-zA-Z_][\w.:@~/-]{0,63}) ?\$|(?:~ ?)?[$%]) *(\S.*)$`)
	// what psql and kubectl say between outputs
	reChatter = regex.New(`^(?:Time: \d[\d.,]* ?m?s(?: \([\d:.,]+\))?|` +
		`SHOW|SET|SELECT \d+|RESET|BEGIN|COMMIT|ROLLBACK|CHECKPOINT|VACUUM|ANALYZE|ALTER SYSTEM|ALTER (?:DATABAS` +
		`E|ROLE)|` +
		`command terminated with exit code \d+|\[exit=\d+\]|waiting for server to (?:start|shut down|promote)\.+(?: ` +
		`?done)?|` +
		`server (?:started|stopped|promoted|signaled|starting|shutting down)|Timing is o(?:n|ff)\.|Pager usage is ` +
		`off\.|` +
		`Pager is used for long output\.|Expanded display is (?:on|off|used automatically)\.|Null display is ".*"\.|` +
		`Output format is [\w-]+\.|Border style is \d\.|Tuples only is o(?:n|ff)\.|Line style is [\w-]+\.|` +
		`You are now connected to database ".*|Type "help" for help\.|SSL connection \(protocol: .*|` +
		`Defaulted container ".*|Defaulting container name to .*|Password for user \S+:|\[sudo\] password for \S+:|` +
		`(?:Время|Temps|Zeit|Tiempo|Tempo|Czas)\s?: \d[\d.,]* (?:мс|ms).*|Секундомер включён\.|Chronométrage act` +
		`ivé\.|` +
		`Zeitmessung ist an\.)$`)
	// the new side of a diff, whose lines follow
	reNewFile  = regex.New(`^\+\+\+ (?:b/)?(\S+)`)
	reShell    = regex.New(`^(?:-?bash|sh|ash|zsh)-\d[\d.]*[#$] ?(.*)$`)
	reHash     = regex.New(`^#{1,6} {0,2}(\S.*)$`)
	reTicked   = regex.New("^(?:[-*] )?`([^`]{1,300})`\\s*[:.]?$")
	reTitle    = regex.New(`^[*_ ]*\p{Lu}\p{Ll}+[*_: ]*$`) // one word with a capital letter is a title: "## Date"
	reRemarked = regex.New(`^(?:# )?(?:Collection )?[Cc]ommand:\s+(\S.*)$`)
	reSQL      = regex.New(`(?i)^(?:select|show|explain|with|table|\\[a-z])\b`)
	reQuit     = regex.New(`^-?(?:ba|z|da|a)?sh: |^sudo: |: command not found$`)
)

// programs are commands whose outputs are pasted, and the words that stand before them.
var programs = map[string]bool{}

func init() {
	for _, w := range strings.Fields(
		`free cat lscpu numactl numastat lsblk df mount findmnt sysctl ulimit ps top htop vmstat iostat ` +
			`uname uptime pg_controldata pg_config pg_test_fsync pg_test_timing fio pgbench sysbench journalctl ` +
			`dmesg ` +
			`systemctl psql nproc getconf hostnamectl lsb_release swapon tuned-adm grep egrep zgrep head tail mo` +
			`re less sar mpstat ipcs docker ` +
			`kubectl sudo su watch bash sh docker-compose free.sh hostname arch dmidecode blkid du ls echo cd date ` +
			`env export postgres pg_lsclusters patronictl smartctl mdadm zfs zpool tune2fs xfs_info timedatectl w ` +
			`pidstat pgrep pmap slabtop ss netstat find awk gawk sed sort ssh podman oc crictl service rpm dpkg ` +
			`blockdev ansible pssh parallel-ssh clush chronyc swapoff pg_ctl pg_ctlcluster initctl virsh lspci n` +
			`vme vgs lvs pvs time dd hdparm fdisk dstat iotop atop stat perf strace k microk8s helm doas runuser ` +
			`gosu timeout wc lsof sw_vers vm_stat system_profiler systeminfo qm pct pveversion lsmem lshw hwinfo ` +
			`systemd-cgtop systemd-cgls systemd-detect-virt nvidia-smi ` +
			`prlimit cpupower ethtool multipath dmsetup growpart resize2fs xfs_growfs lvextend mkswap fallocate ` +
			`pgbackrest repmgr barman ` +
			`pg_basebackup initdb while for tree printenv pg_isready smem pgcli inxi neofetch taskset`) {
		programs[w] = true
	}
}

// Mark marks the prompts and the commands that stand bare, and says of each line
// where a part that begins there ends at the latest.
func Mark(lines []part.Line) {
	for i := 0; i < len(lines); i++ {
		l := &lines[i]
		if l.Is != part.Content {
			continue
		}
		if reChatter.MatchString(l.Text) {
			l.Is = part.Command
			continue
		}
		if m := reNewFile.FindStringSubmatch(l.Text); m != nil {
			l.Is, l.Command = part.Command, "cat "+m[1]
			continue
		}
		if i > 0 && PgCtlStatus.MatchString(lines[i-1].Text) { // it shows how the server was started
			continue
		}
		if m := reAbove.FindStringSubmatch(l.Text); m != nil && i+1 < len(lines) {
			if e := reElbow.FindStringSubmatch(lines[i+1].Text); e != nil && isCommand(e[1]) {
				l.Is = part.Command
				next := &lines[i+1]
				next.Is, next.Command, next.Typed = part.Command, strings.TrimSpace(e[1]), true
				if !PodRun(e[1]) {
					next.Host = m[1]
				}
				i++
				continue
			}
		}
		host, cmd, sql, typed := prompted(l.Text)
		if !typed {
			ok := false
			if cmd, ok = alone(l.Text); !ok {
				continue
			}
			sql = reSQL.MatchString(cmd)
		}
		l.Is, l.Host, l.Command, l.Typed = part.Command, host, cmd, typed
		if m := reHereDoc.FindStringSubmatch(cmd); m != nil {
			hereEnd(lines[i+1:], m[1])
			continue
		}
		i += goesOn(lines[i+1:], l, sql)
	}
	end := len(lines)
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Closes {
			end = i + 1
		}
		lines[i].End = end
		if lines[i].Opens {
			end = i
			continue
		}
		switch lines[i].Is {
		case part.Command, part.Fence:
			end = i
		case part.Rule: // of a table it is a part; a rule of = or / parts what stands around it
			if c := lines[i].Text[0]; c != '-' && c != '#' {
				end = i
			}
		}
	}
}

// PgCtlStatus is the answer of pg_ctl status, in any language.
var PgCtlStatus = regex.New(`^pg_ctl: [^()]{4,80}\(PID ?[:：] ?(\d{1,10})\)$`)

// reHereDoc is a command that writes what stands below it, up to a word, into a file.
var reHereDoc = regex.New(`^(?:sudo +)?(?:\S*/)?(?:cat|tee)\b[^|]*<<-? ?["'\\]?([A-Za-z_]\w{0,30})["']?(?:\s*(?:>|` +
	`\|).*)?$`)

// Writes says whether a command writes what stands below it into a file.
func Writes(command string) bool { return reHereDoc.MatchString(command) }

const mostHere = 2000 // lines of such a text

// hereEnd marks the word that ends it.
func hereEnd(rest []part.Line, word string) {
	for i := range rest[:min(len(rest), mostHere)] {
		switch l := &rest[i]; {
		case l.Is == part.Fence:
			return
		case l.Text == word:
			l.Is, l.Command = part.Command, HereEnd
			return
		}
	}
}

// HereEnd stands for the word that ends such a text.
const HereEnd = ":"

// MaxCommand is how many bytes a command has at most.
const MaxCommand = 4096 // bytes

const mostCommand = 60 // lines of a command or query that goes over several

// goesOn marks the lines that belong to a command that one line does not hold.
func goesOn(rest []part.Line, l *part.Line, sql bool) int {
	text, n := l.Command, 0
	open := func() bool {
		switch {
		case strings.HasSuffix(text, `\`):
			return true
		case sql:
			t := strings.TrimSpace(text)
			return t != "" && t[0] != '\\' && !strings.HasSuffix(t, ";") && !strings.HasSuffix(t, `\gx`)
		}
		return strings.Count(text, `"`)%2 == 1
	}
	for n < len(rest) && n < mostCommand && open() {
		r := &rest[n]
		if r.Is == part.Fence || r.Is == part.Command || r.Is == part.Rule {
			break
		}
		if sql && n+1 < len(rest) && rest[n+1].Is == part.Rule { // the head of the answer
			break
		}
		if sql && (n+1 < len(rest) && part.TableRule.MatchString(rest[n+1].Text) || strings.HasPrefix(r.Text, "+-")) {
			break
		}
		if sql && r.Is == part.Blank && n > 0 {
			break
		}
		if _, _, _, ok := prompted(r.Text); ok && !rePsql.MatchString(r.Text) {
			break
		}
		t := r.Text
		if m := rePsql.FindStringSubmatch(t); m != nil {
			if m[2] == "=" {
				break
			}
			t = m[3]
		}
		text += "\n" + t
		n++
	}
	if n > 0 && open() && !sql { // an apostrophe in prose, and no command
		return 0
	}
	if sql && n > 0 && open() && !part.TableRule.MatchString(next(rest, n+1)) &&
		!strings.HasPrefix(next(rest, n), "+-") {
		return 0
	}
	for i := range n {
		if rest[i].Is != part.Blank {
			rest[i].Is = part.Command
		}
	}
	l.Command = text
	return n
}

func next(rest []part.Line, i int) string {
	if i < len(rest) {
		return rest[i].Text
	}
	return ""
}

// prompted reads a prompt with what was typed behind it.
func prompted(t string) (host, cmd string, sql, ok bool) {
	if m := reFileHead.FindStringSubmatch(t); m != nil { // of head and tail, between files
		return "", "cat " + m[1], false, true
	}
	if m := reAnsible.FindStringSubmatch(t); m != nil {
		return m[1], ForAll, false, true
	}
	if m := rePssh.FindStringSubmatch(t); m != nil {
		return m[1], ForAll, false, true
	}
	if m := reBracketed.FindStringSubmatch(t); m != nil && (m[4] == "" || isCommand(m[4])) {
		return m[2], strings.TrimSpace(m[3] + m[4]), false, true
	}
	if m := reNoHost.FindStringSubmatch(t); m != nil && (m[1] == "" || isCommand(m[1])) {
		return "", strings.TrimSpace(m[1]), false, true
	}
	if m := reUserHost.FindStringSubmatch(t); m != nil && !strings.Contains(m[2], "..") {
		if m[3] == "" && reSQL.MatchString(strings.TrimSpace(m[4])) { // user@database of psql
			return "", strings.TrimSpace(m[4]), true, true
		}
		return m[2], strings.TrimSpace(m[4]), false, true
	}
	if m := reHostPath.FindStringSubmatch(t); m != nil && (m[3] == "" || isCommand(m[3])) {
		return m[1], strings.TrimSpace(m[3]), false, true
	}
	if m := reZsh.FindStringSubmatch(t); m != nil && (m[2] == "" || isCommand(m[2])) {
		return m[1], strings.TrimSpace(m[2]), false, true
	}
	if m := reMac.FindStringSubmatch(t); m != nil && m[2] != "" && isCommand(m[2]) {
		return m[1], strings.TrimSpace(m[2]), false, true
	}
	if m := reFolder.FindStringSubmatch(t); m != nil && isCommand(m[1]) && !strings.HasSuffix(t, ".") {
		return "", strings.TrimSpace(m[1]), false, true
	}
	if m := rePath.FindStringSubmatch(t); m != nil && isCommand(m[3]) {
		return m[1], strings.TrimSpace(m[3]), false, true
	}
	if m := reNamed.FindStringSubmatch(t); m != nil && isCommand(m[1]) {
		return "", strings.TrimSpace(m[1]), false, true
	}
	if m := reDrive.FindStringSubmatch(t); m != nil {
		return "", strings.TrimSpace(m[1]), false, true
	}
	if m := rePgcli.FindStringSubmatch(t); m != nil {
		return "", strings.TrimSpace(m[1]), true, true
	}
	if m := rePsql.FindStringSubmatch(t); m != nil {
		return "", strings.TrimSpace(m[3]), true, true
	}
	for _, re := range []*regex.Regex{reShell, reArrow, reDollar} {
		if m := re.FindStringSubmatch(t); m != nil && (re == reShell || isCommand(m[1])) {
			return "", strings.TrimSpace(m[1]), false, true
		}
	}
	return "", "", false, false
}

// alone reads a command that stands without a prompt: as a heading, in backquotes, as a
// remark, or bare. Then all of its words have to be those of a command.
func alone(t string) (string, bool) {
	if strings.HasSuffix(t, "}") && strings.Contains(t, `{"`) { // a log in JSON, behind the name of its program
		return "", false
	}
	// a row of ps, behind the name of the user
	if strings.HasPrefix(t, "postgres ") && (PsRow.MatchString(t) || rePsShort.MatchString(t)) {
		return "", false
	}
	if m := reRemarked.FindStringSubmatch(t); m != nil && isCommand(m[1]) {
		return strings.Join(strings.Fields(m[1]), " "), true
	}
	if reHereDoc.MatchString(t) {
		return t, true
	}
	ticked := false
	if c := said(t); c != "" {
		return c, true
	}
	if m := reTicked.FindStringSubmatch(t); m != nil {
		t, ticked = m[1], true
	} else if m := reHeading.FindStringSubmatch(t); m != nil && isCommand(m[1]) && !reTitle.MatchString(m[1]) {
		t = strings.Trim(m[1], "`: ")
	} else if m := reHash.FindStringSubmatch(t); m != nil && !reTitle.MatchString(m[1]) {
		t = strings.Trim(m[1], "`: ")
	}
	if len(t) > 300 || !isCommand(t) {
		if reSQL.MatchString(t) && sqlAlone(t) {
			return t, true
		}
		return "", false
	}
	words := strings.Fields(reQuoted.ReplaceAllString(t, "'q'"))
	if ticked && len(words) > 1 && len(words) < 12 { // its author says that it is code
		return t, true
	}
	return t, whole(words)
}

// whole says whether all words of a command are those of one.
func whole(words []string) bool {
	for i, w := range words {
		if i > 0 && !argument(words[i-1], w) && !(takesNames[words[0]] && reName.MatchString(w)) {
			return false
		}
	}
	return true
}

var (
	// an item or a heading that is a command, with what its author remarks: "3. free -m: the memory"
	reRemarkBehind = regex.New(`^(?:#{1,6} +|[-*+•] +|\(?\d{1,2}[.)、] ?)+[*_]{0,2}` + "`?" + `([a-z/][^:：` + "`" +
		`]{1,120}?)` + "`?" + `[*_]{0,2}\s*(?:[:：]|[—–]|\s-)(?:\s*[^\x00-\x7F].*|\s+[A-Za-z].*|\s*)$`)
	reOptioned = regex.New(`^\S.*\s[-|/$]|^(?:\w*stat|sar)\s+\d`)
	// a sentence that ends with a colon and says what follows: "`free -m` shows:"
	reShows = regex.New("^(?:[^`]{0,60}[\\s*_(])?`([^`]{1,200})`[*_]{0,2}\\s*(?:(?:command |also |now |then |here |" +
		"still " +
		"|only |just |currently )*(?:shows?|showed|says?|prints?|printed|returns?|returned|gives?|gave|outputs?|" +
		"reports?|reported|lists?|yields?|results?|показывает|выводит|выдаёт|выдает|zeigt|liefert|affiche|donne|" +
		"muestra|devuelve|の結果|の出力|的结果|的输出|输出|结果)[^`]{0,60})?[:：]$")
	reOutputOf = regex.New("(?i)(?:^|[\\s*_(])(?:outputs?|results?|вывод|результат|ausgabe|sortie|salida)\\s(?:of|" +
		"from|" +
		"for|von|de|команды)?[^`]{0,30}`([^`]{1,200})`[^`]{0,60}[:：]$")
)

// said is the command that a line with other words names for what follows; "": it names none.
func said(t string) string {
	if len(t) > 300 {
		return ""
	}
	if m := reRemarkBehind.FindStringSubmatch(t); m != nil && isCommand(m[1]) {
		if c := strings.TrimSpace(m[1]); reOptioned.MatchString(c) &&
			whole(strings.Fields(reQuoted.ReplaceAllString(c, "'q'"))) {
			return c
		}
	}
	for _, re := range []*regex.Regex{reShows, reOutputOf} {
		if m := re.FindStringSubmatch(t); m != nil && isCommand(m[1]) {
			return m[1]
		}
	}
	return ""
}

var reSQLAlone = regex.New(
	`(?i)^(?:select\b.*(?:\bfrom\b|\(|$)|show\s+[\w."]+\s*;?$|show\s+all\s*;?$|explain\b.*\b(?:select|insert|upd` +
		`ate|delete|with)\b|\\(?:pset|x|timing|d)\b)`)

func sqlAlone(t string) bool { return reSQLAlone.MatchString(t) && !strings.HasSuffix(t, ".") }

// isCommand says whether a line begins with a program whose output is pasted.
func isCommand(t string) bool {
	if len(t) > MaxCommand {
		return false
	}
	w := strings.Fields(t)
	for i := 0; i < len(w) && i < 3; i++ {
		name := w[i][strings.LastIndexByte(w[i], '/')+1:]
		if programs[strings.ToLower(name)] && (i > 0 || name == w[i] || strings.HasPrefix(w[i], "/") ||
			strings.HasPrefix(w[i], "./")) {
			return true
		}
		if w[i] != "sudo" && !strings.Contains(w[i], "=") && !strings.HasPrefix(w[i], "-") {
			return false
		}
	}
	return false
}

var (
	reQuoted      = regex.New(`'[^']*'|"[^"]*"`)
	reShortOption = regex.New(`^-[a-zA-Z]$`)
	reName        = regex.New(`^[\w@.:/-]{1,64}$`)
	// what runs one command on several hosts says before the output of each
	reAnsible = regex.New(`^([\w.-]{1,255}) \| (?:CHANGED|SUCCESS|FAILED) ?!? ?(?:\| rc=-?\d+ )?>>$`)
	rePssh    = regex.New(`^\[\d+\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] (?:\w+@)?([\w.-]{1,255})`)
	reHeading = regex.New(`^(?:[=#*~]{2,}|-{2,}|>{2,}|\++)\s*(?:\[|<)?\s*([^\s=#*~-].*?)\s*(?:\]|>)?\s*(?:[=#*~` +
		`]{2,}|-{2,}|<{2,})?:?$`)
	reFileHead = regex.New(`^==> (\S.{0,300}) <==$`)
)

// ForAll stands for the command that was run on several hosts.
const ForAll = "\x00"

// takesNames are commands that name things: units, containers, folders.
var takesNames = map[string]bool{"systemctl": true, "docker": true, "kubectl": true, "cd": true, "service": true,
	"podman": true, "oc": true, "tuned-adm": true, "pg_ctlcluster": true, "patronictl": true}

var reAssigned = regex.New(`^[a-zA-Z_][\w-]{0,40}=\S`)

var reArgument = regex.New(`^(?:[-+/|'"$>{}\\*~.&;]|\d)`)

// pronouns are words that commands have and that begin no option.
var arguments = map[string]bool{"show": true, "status": true, "all": true, "vm": true, "postgres": true, "active": true,
	"exec": true, "run": true, "postgresql": true, "list": true, "kernel": true, "dirty": true, "Mem": true,
	"wc": true, "MemTotal": true, "sort": true, "uniq": true, "aux": true, "auxw": true, "auxf": true, "axu": true,
	"stats": true, "PAGESIZE": true, "PAGE_SIZE": true, "tail": true, "head": true, "grep": true, "awk": true,
	"sed": true, "cut": true, "cat": true, "huge": true, "Huge": true, "xfs": true}

func argument(before, w string) bool {
	return reArgument.MatchString(w) || reAssigned.MatchString(w) ||
		arguments[w] || before == "|" || before == "sudo" ||
		reShortOption.MatchString(before) || programs[w] || part.KernelParam.MatchString(w) ||
		strings.HasSuffix(w, ".service") || strings.HasSuffix(w, ".conf") || strings.Contains(w, "/")
}

// PsRow is a row of ps with a few columns, of a server.
var PsRow = regex.New(`^([\w+.-]{1,32})\s+(\d{1,10})\s+(\d{1,3}\.\d)\s+(\d{1,3}\.\d)\s+` +
	`((?:/\S*/)?(?:postgres|postmaster)(?::|\s).*)$`)

// rePsShort is one with a user and a process.
var rePsShort = regex.New(`^postgres\s+\d{1,10}\s+\S`)

// NotSeen is the note of what a command sets.
const NotSeen = "a command sets these values; the input does not show whether it was run"
