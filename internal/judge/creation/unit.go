package creation

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// openFiles is what packagers of servers settled on for LimitNOFILE; max_files_per_process is planned below it.
	openFiles = 65536
	// oomAdjust keeps the postmaster from being the OOM killer's choice, as the packages of Debian have it; its
	// children
	// get 0 again by PG_OOM_ADJUST_FILE.
	oomAdjust = -900
	// stopTimeout is how long systemd waits for the shutdown checkpoint before it kills: an hour, as Debian's unit has
	// it. A kill in the middle of it means crash recovery at the next start.
	stopTimeout = "1h"
	// statsSize bounds the files of the statistics collector in memory: 150 bytes a table, twice while they are
	// written, are 256 MB with 900,000 tables.
	statsSize = "256M"
)

// statistics are the lines that keep pg_stat_tmp in memory; "" where that is not asked for, or helps nothing. The
// collector of 13 and 14 writes its files there again and again, later versions have none, and pg_createcluster puts
// them into /run itself. The mount is of the service alone: without it, the directory is an ordinary one.
func (l Layout) statistics() string {
	if !l.Order.asks(LayerStats) || l.Major >= 15 || strings.ContainsAny(l.Data, ":%") { // which have a meaning there
		return ""
	}
	return "# The files of the statistics collector, in memory. At a shutdown they are saved to pg_stat.\n" +
		"TemporaryFileSystem=" + word(l.Data+"/pg_stat_tmp:mode=0700,uid="+strconv.Itoa(l.Owner.UID)+",gid="+
		strconv.Itoa(l.Owner.GID)+",size="+statsSize) + "\n"
}

// unit is the text of the service, or of a drop-in where the packages have one; "" if systemd does not start it.
func (l Layout) unit(p *Plan) string {
	if l.Unit == "" {
		return ""
	}
	mounts := word(l.Data)
	if l.WAL != "" {
		mounts += " " + word(l.WAL)
	}
	for _, f := range l.Spaces {
		mounts += " " + word(f.Path)
	}
	var b strings.Builder
	b.WriteString("# Written by 'pgfettle create'.\n")
	if l.UnitFile == "" {
		b.WriteString("[Unit]\nRequiresMountsFor=" + mounts + "\n\n[Service]\nOOMPolicy=continue\nLimitNOFILE=" +
			strconv.Itoa(openFiles) + "\n")
		return b.String()
	}
	b.WriteString("[Unit]\nDescription=PostgreSQL " + strconv.Itoa(l.Major) + " database server (" + l.Name + ")\n" +
		"After=network-online.target\nWants=network-online.target\nRequiresMountsFor=" + mounts + "\n\n" +
		"[Service]\nType=notify\nUser=" + l.Owner.Name + "\nGroup=" + l.Owner.Group + "\n" +
		"Environment=" + word("PGDATA="+l.Data) + "\n" +
		"Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj PG_OOM_ADJUST_VALUE=0\n" +
		"OOMScoreAdjust=" + strconv.Itoa(oomAdjust) + "\nOOMPolicy=continue\n" +
		"ExecStart=" + word(l.Programs.Bin+"/postgres") + " -D ${PGDATA}\nExecReload=/bin/kill -HUP $MAINPID\n" +
		"KillMode=mixed\nKillSignal=SIGINT\nTimeoutStartSec=infinity\nTimeoutStopSec=" + stopTimeout +
		"\nLimitNOFILE=" +
		strconv.Itoa(openFiles) + "\n")
	if dir, ok := strings.CutPrefix(l.Socket, "/var/run/"); ok {
		b.WriteString("RuntimeDirectory=" + dir + "\nRuntimeDirectoryPreserve=yes\nRuntimeDirectoryMode=2775\n")
	} else if dir, ok := strings.CutPrefix(l.Socket, "/run/"); ok {
		b.WriteString("RuntimeDirectory=" + dir + "\nRuntimeDirectoryPreserve=yes\nRuntimeDirectoryMode=2775\n")
	}
	b.WriteString(l.statistics())
	b.WriteString("\n[Install]\nWantedBy=multi-user.target\n")
	return b.String()
}

// word is a word of a line of a unit, in quotes where systemd would make two of it.
func word(s string) string {
	if !strings.ContainsAny(s, " \t\"\\;#") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// firewallValue is what the step of the firewall has: which one, and the networks.
func (l Layout) firewallValue() string {
	return string(l.Firewall) + " " + networks(l.Order.Allow)
}

func networks(list []netip.Prefix) string {
	var out []string
	for _, n := range list {
		out = append(out, n.String())
	}
	return strings.Join(out, ",")
}

// openings are the commands that open the port, of the firewalls that hosts have most.
func (l Layout) openings() (out []string) {
	port := strconv.Itoa(l.Port)
	var nft, ufw []string
	for _, n := range l.Order.Allow {
		family, ip := "ipv4", "ip"
		if n.Addr().Is6() {
			family, ip = "ipv6", "ip6"
		}
		out = append(out, "firewall-cmd --permanent --add-rich-rule='rule family="+family+" source address="+n.String()+
			" port port="+port+" protocol=tcp accept'")
		nft = append(nft, "nft add rule inet filter input "+ip+" saddr "+n.String()+" tcp dport "+port+" accept")
		ufw = append(ufw, "ufw allow proto tcp from "+n.String()+" to any port "+port)
	}
	return slices.Concat(out, []string{"firewall-cmd --reload"}, nft, ufw) // permanent rules are in force only then
}

// ParseFirewall reads the value of a step of the firewall.
func ParseFirewall(value string) (Firewall, []netip.Prefix, error) {
	name, list, _ := strings.Cut(value, " ")
	f := Firewall(name)
	if f != Firewalld && f != NFT {
		return "", nil, say.Err("{value} is not the value of a firewall", "value", say.Quoted(value))
	}
	var out []netip.Prefix
	for _, text := range strings.Split(list, ",") {
		n, err := netip.ParsePrefix(text)
		if err != nil {
			return "", nil, say.Err("{value} is not the value of a firewall", "value", say.Quoted(value))
		}
		out = append(out, n)
	}
	return f, out, nil
}
