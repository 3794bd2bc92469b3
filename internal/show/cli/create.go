package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/app/creating"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/export/instances"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	showterm "github.com/pgfettle/pgfettle/internal/show/term"
)

type createOptions struct {
	place       placeOptions
	policy      policyOptions
	name        string
	profile     string
	profileSaid bool
	connections int
	storage     string
	share       float64
	memory      string
	order       creation.Order
	port        string
	segment     string
	noChecksums bool
	allow       []string
	accept      []string
	firewall    string
	start       string
	via         string
	passwordIn  string
	like        string
	standbyOf   string
	mappings    []string
	ask         bool
	pgpass      bool
	planOnly    bool
	format      string
	list        bool
	drop        bool
	yes         bool
	wait        bool
}

var createFormats = append([]string{"text", "json"}, instances.Names()...)

// openNetwork is what --accept-risk takes for --allow 0.0.0.0/0.
const openNetwork = "open-network"

func newCreate(env *Env) *cobra.Command {
	o := &createOptions{}
	cmd := &cobra.Command{
		Use:   "create [[VERSION/]NAME]",
		Short: "Create an instance that is configured for its host",
		Long: `Create a PostgreSQL instance: directories, initdb, configuration, pg_hba.conf,
service, and start. The plan is shown first: memory before and after with all
instances of the host, each setting with its reason, and every step. Then it is
asked about, made, recorded in a journal, and read back. If a step fails,
everything is reverted. pgfettle undo removes the instance again while it is as
it was made; so does --drop.

VERSION is the major version (default: the newest that is installed; for the
profile 1c, of 18 and earlier), NAME the name of the cluster (default main). The
programs must be installed: pgfettle explain packages has the repositories and
commands.

pg_createcluster makes the cluster where postgresql-common is installed. Where
the PGDG packages for RHEL are installed, and elsewhere, initdb does, and a
systemd unit is written.

The new instance gets what the other instances leave of the memory, and an equal
part at most; --share and --memory set another bound. The others keep their
settings. What they would have if the memory were divided among all is proposed.
Without --kernel, nothing of the kernel is changed, and no huge pages are
planned. --kernel also sets readahead and noatime where they help on this host,
and reserves huge pages at boot; --layers chooses parts of it. A swap file is
only made if --layers names swap, and the host has none.

Encoding UTF8 and data checksums are the default. The locale is C.UTF-8, of the
builtin provider from 17 on; it is never taken from the environment. Only the
Unix socket (peer) and loopback (scram-sha-256) can connect. --allow lets a
network in, sets listen_addresses, and prints what opens the firewall.

With --standby-of, the instance is a physical standby of a running server: it is
read first, and the connection of a standby is tried. Then a replication slot is
made there, pg_basebackup copies it, and the server follows it. CONNINFO has no
password: that is in ~/.pgpass of the account that the standby runs as, or in a
file of it that passfile= names. Locale, encoding, checksums and passwords come
with the copy. Each tablespace of the primary needs a separate directory here:
--tablespace-mapping OLD=NEW, as of pg_basebackup. undo drops the slot again.

With --like, the settings of another instance are taken over first: what is set
there stays as long as it fits this host, and is planned again where it does
not. What belongs to the other instance alone, such as its archive, is not, and
is listed.

--format script, ansible, cloud-init, pg_createcluster and pglift write the plan
for other hands, and nothing is done.

A password is read from the terminal or a file; only its SCRAM verifier is
given to the server, and it is in no journal, log or argument. --pgpass appends
it to the .pgpass of the user who runs the command (root's with sudo): the
account that the server runs as needs none, as the socket lets it in.

` + strings.Replace(placeHelp, "\nWith --root they are below that directory.", "", 1),
		Example: `  pgfettle create
  pgfettle create 17/sales --profile oltp --connections 300 --plan-only
  pgfettle create 17/sales --datadir /srv/pg/17/sales --waldir /wal/17/sales
  pgfettle create 18/main --kernel --allow 10.1.0.0/16 --ask-password
  pgfettle create 16/test --memory 2GB --port 5440 --start manual --yes
  pgfettle create 17/copy --like db1.evidence
  pgfettle create 17/copy --standby-of 'host=db1 user=replicator'
  pgfettle create --list
  pgfettle create --drop 16/test`,
		Args: atMost(1, "at most one name"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if !o.drop || len(args) > 0 { // a new name is free
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			list, err := applying.Created(o.place.place(env))
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = strings.Join(args, "")
			o.profileSaid = cmd.Flags().Changed("profile")
			if err := counts(cmd); err != nil {
				return err
			}
			if err := o.readStandby(cmd); err != nil {
				return err
			}
			switch {
			case o.list && (o.drop || o.name != ""):
				return say.Usage(say.M("--list takes no name"), say.M("Use: pgfettle create --list"))
			case o.list:
				return runCreateList(cmd.Context(), env, o)
			case o.drop:
				return runCreateDrop(cmd.Context(), env, o)
			}
			return runCreate(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.profile, "profile", string(rule.Mixed), profileHelp)
	f.IntVar(&o.connections, "connections", 0, "`N` number of connections to plan for (default 100)")
	f.Int("active", 0, "")
	_ = f.MarkHidden("active")
	f.StringVar(&o.storage, "storage", "", "`TYPE` storage type: nvme, ssd, hdd, san (default detected)")
	f.Float64Var(&o.share, "share", 0, "`PART` of the memory of the host, such as 0.4 (default an equal part)")
	f.StringVar(&o.memory, "memory", "", "`SIZE` of memory that it may have, such as 24GB")
	f.StringVar(&o.order.DataDir, "datadir", "", "`DIR` data directory (default that of the packages)")
	f.StringVar(&o.order.WALDir, "waldir", "", "`DIR` directory of the WAL, on another device")
	f.StringVar(&o.order.Socket, "socket-dir", "", "`DIR` directory of the Unix socket")
	f.StringVar(&o.order.Bin, "bin", "", "`DIR` use the programs in DIR")
	f.StringVar(&o.order.Owner, "owner", "", "`USER` account that it runs as (default postgres)")
	f.StringVar(&o.port, "port", "auto", "`PORT` or auto: the first free one, from 5432")
	f.StringVar(&o.order.Locale.Provider, "locale-provider", "", "`NAME` builtin, icu or libc")
	f.StringVar(&o.order.Locale.Name, "locale", "", "`NAME` locale (default C.UTF-8)")
	f.StringVar(&o.order.Locale.Encoding, "encoding", "", "`NAME` encoding (default UTF8)")
	f.StringVar(&o.segment, "wal-segsize", "", "`SIZE` of WAL segments in MB, 1 to 1024 (default from max_wal_size)")
	f.BoolVar(&o.noChecksums, "no-checksums", false, "without data checksums")
	f.BoolVar(&o.order.Group, "group-access", false, "let the group of the owner read the data directory")
	f.StringVar(&o.order.AuthLocal, "auth-local", "", "`METHOD` for the Unix socket (default peer)")
	f.StringVar(&o.order.AuthHost, "auth-host", "", "`METHOD` over TCP (default scram-sha-256)")
	f.StringSliceVar(&o.allow, "allow", nil, "`CIDR,…` networks that may connect")
	f.StringSliceVar(&o.accept, acceptRisk, nil, "`LIST` also make these high-risk changes of --kernel (addresses, "+
		"or all); open-network: allow a network of all addresses")
	f.StringVar(&o.firewall, "firewall", "", "`NAME` open the port: firewalld, nft, print, none (default print with "+
		"--allow)")
	f.StringVar(&o.passwordIn, "password-file", "", "`FILE` read the password of the superuser from FILE (- is stdin)")
	f.BoolVar(&o.ask, "ask-password", false, "ask for the password of the superuser")
	f.BoolVar(&o.pgpass, "pgpass", false, "also append the password to your ~/.pgpass")
	f.StringVar(&o.like, "like", "", "`TARGET` take over the settings of another instance: evidence, conninfo or "+
		"directory")
	f.StringVar(&o.standbyOf, "standby-of", "", "`CONNINFO` make a physical standby of this server")
	f.StringVar(&o.order.Slot, "slot", "", "`NAME` of its replication slot on the primary (default pgfettle_NAME)")
	f.StringArrayVar(&o.mappings, "tablespace-mapping", nil, "`OLD=NEW` directory here of a tablespace of the primary "+
		"(repeatable)")
	f.BoolVar(&o.order.Fast, "fast-checkpoint", false, "request a checkpoint on the primary instead of waiting for one")
	f.StringVar(&o.start, "start", "auto", "`WHEN` auto (now and at boot), manual (now), disabled")
	f.BoolVar(&o.order.Kernel, "kernel", false, "also change the kernel: huge pages, overcommit, writeback, …")
	f.StringSliceVar(&o.order.Layers, "layers", nil, "`LIST` only these parts of --kernel: "+
		strings.Join(creation.HostLayers, ", "))
	f.StringVar(&o.order.SwapFile, "swap-file", "", "`FILE` swap file of --layers swap (default "+creation.DefaultSwap+
		")")
	f.StringVar(&o.via, "via", "auto", "`TOOL` debian (pg_createcluster), rpm, initdb, or auto")
	f.BoolVar(&o.planOnly, "plan-only", false, "show the plan without changing anything")
	f.StringVar(&o.format, "format", "text", "`FORMAT` of the plan: "+strings.Join(createFormats, ", "))
	f.BoolVar(&o.list, "list", false, "list all instances of this host")
	f.BoolVar(&o.drop, "drop", false, "remove an instance that pgfettle created and nobody has used")
	f.BoolVar(&o.yes, "yes", false, yesHelp)
	f.BoolVar(&o.wait, "wait", false, waitHelp)
	f.StringVar(&o.place.dir, "journal", "", journalHelp)
	o.policy.flags(cmd)
	complete(cmd, "profile", "web", "oltp", "dw", "mixed", "desktop", "1c")
	complete(cmd, "storage", "nvme", "ssd", "hdd", "san")
	complete(cmd, "locale-provider", "builtin", "icu", "libc")
	complete(cmd, "firewall", "none", "print", "firewalld", "nft")
	complete(cmd, "layers", creation.HostLayers...)
	complete(cmd, "start", "auto", "manual", "disabled")
	complete(cmd, "via", "auto", "debian", "rpm", "initdb")
	complete(cmd, "format", createFormats...)
	complete(cmd, acceptRisk, append(highRisks(), acceptAll, openNetwork)...)
	complete(cmd, "auth-local", "peer", "scram-sha-256", "pam")
	complete(cmd, "auth-host", "scram-sha-256", "gss", "pam", "reject")
	return cmd
}

func runCreate(ctx context.Context, env *Env, o *createOptions) error {
	if err := o.read(); err != nil {
		return err
	}
	site, err := o.policy.load(env, true)
	if err != nil {
		return err
	}
	ask := app.PlanAsk{Connections: o.connections, Storage: o.storage}
	if o.profileSaid {
		ask.Profile = o.profile
	}
	options, err := ask.With(site, nil)
	if err != nil {
		return err
	}
	password, err := o.password(env)
	if err != nil {
		return err
	}
	o.order.Password = password != ""
	if o.pgpass && password == "" {
		return say.Usage(say.M("--pgpass needs a password"), say.M("Use it with --ask-password or --password-file."))
	}
	planned, err := creating.Plan(ctx, env.host(), creating.Request{Order: o.order, Plan: ask, Policy: options,
		Like: o.like, StandbyOf: o.standbyOf, Pgpass: o.pgpass})
	if err != nil {
		return err
	}
	_, form := instances.Find(o.format)
	if err := o.show(env, planned); err != nil || o.planOnly || form {
		return err // a form is for other hands
	}
	if !o.yes {
		if err := askCreate(ctx, env); err != nil {
			return err
		}
	}
	place := o.place.place(env)
	if password != "" {
		if o.pgpass {
			place.Password = password
		}
		if place.Verifier, err = creating.Verifier(password); err != nil {
			return err
		}
	}
	fmt.Fprintln(env.Stderr)
	j, err := applying.Create(ctx, applying.CreateRequest{Place: place, Session: planned.Session, Plan: planned.Plan,
		Wait: o.wait})
	if o.format == "json" { // which stays alone on the standard output
		env.Stdout = env.Stderr
	}
	if err := showApplied(env, j, err); err != nil {
		return err
	}
	text := say.Template("The instance was created. Connect with: {command}")
	if planned.Plan.Start == creation.Disabled {
		text = "The instance was created and not started. Once it runs, connect with: {command}"
	}
	_, err = fmt.Fprintln(env.Stdout, env.say(text, "command", planned.Plan.Connection))
	return err
}

func (o *createOptions) show(env *Env, p creating.Planned) error {
	if form, ok := instances.Find(o.format); ok {
		return form.Write(env.Stdout, p.Plan)
	}
	if o.format == "json" {
		return json.Write(env.Stdout, p.Plan)
	}
	host, _ := p.Session.Snapshot.Host.Name.Get()
	return showterm.Write(env.Stdout, outline.Create(p.Plan, host, env.words), env.Style())
}

// read turns the flags into an order.
func (o *createOptions) read() error {
	if err := o.readName(); err != nil {
		return err
	}
	if err := choice("format", o.format, createFormats...); err != nil {
		return err
	}
	if o.format == "json" && !o.planOnly && !o.yes {
		return say.Usage(say.M("--format json needs --plan-only or --yes"), say.M("Nothing can be asked between JSON."))
	}
	for _, name := range o.order.Layers {
		if err := choice("layers", name, creation.HostLayers...); err != nil {
			return err
		}
		o.order.Kernel = true
	}
	if o.order.SwapFile != "" && !slices.Contains(o.order.Layers, creation.LayerSwap) {
		return say.Usage(say.M("--swap-file needs --layers swap"), say.M("Name all parts that you want, such as "+
			"--layers sysctl,hugepages,swap."))
	}
	if err := choice("start", o.start, "auto", "manual", "disabled"); err != nil {
		return err
	}
	o.order.Start = creation.Start(o.start)
	if err := choice("via", o.via, "auto", "debian", "rpm", "initdb"); err != nil {
		return err
	}
	if o.via != "auto" {
		o.order.Hand = newcluster.Hand(o.via)
	}
	if o.firewall != "" {
		if err := choice("firewall", o.firewall, "none", "print", "firewalld", "nft"); err != nil {
			return err
		}
		o.order.Firewall = creation.Firewall(o.firewall)
	}
	if o.port != "auto" {
		n, err := strconv.ParseUint(o.port, 10, 16)
		if err != nil || n == 0 {
			return say.Usage(say.M("invalid value for --port: {value}", "value", say.Quoted(o.port)),
				say.M("Use a number from 1 to 65535, or auto."))
		}
		o.order.Port = int(n)
	}
	if o.noChecksums {
		o.order.NoChecksums = true
	}
	for _, text := range o.mappings {
		m, ok := newcluster.ParseMapping(text)
		if !ok {
			return say.Usage(say.M("invalid value for --tablespace-mapping: {value}", "value", say.Quoted(text)),
				say.M("Use two absolute paths, such as /srv/fast=/ssd/17/fast."))
		}
		o.order.Tablespaces = append(o.order.Tablespaces, m)
	}
	for _, text := range o.allow {
		n, err := netip.ParsePrefix(text)
		if a, e := netip.ParseAddr(text); err != nil && e == nil {
			n, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || n != n.Masked() {
			return say.Usage(say.M("invalid value for --allow: {value}", "value", say.Quoted(text)),
				say.M("Use a network such as 10.1.0.0/16 or fd00:1::/32, with no bits beyond its length."))
		}
		o.order.Allow = append(o.order.Allow, n)
	}
	for _, risk := range o.accept {
		if risk == openNetwork {
			o.order.OpenNetwork = true
			continue
		}
		if _, err := whichOf(acceptRisk, []string{risk}); err != nil && risk != acceptAll {
			return err
		}
		o.order.Accepted = append(o.order.Accepted, knob.Address(risk))
	}
	return o.readSizes()
}

// notOfStandby are flags of what a standby has from its primary.
var notOfStandby = []string{"locale", "locale-provider", "encoding", "wal-segsize", "no-checksums", "group-access",
	"ask-password", "password-file", "pgpass"}

// readStandby holds the flags of a standby together.
func (o *createOptions) readStandby(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if !flags.Changed("standby-of") {
		for _, name := range []string{"slot", "tablespace-mapping", "fast-checkpoint"} {
			if flags.Changed(name) {
				return say.Usage(say.M("--{flag} needs --standby-of", "flag", name), say.M("Use: pgfettle create NAME "+
					"--standby-of CONNINFO"))
			}
		}
		return nil
	}
	for _, name := range notOfStandby {
		if flags.Changed(name) {
			return say.Usage(say.M("--{flag} cannot be used with --standby-of", "flag", name),
				say.M("A standby has it from "+
					"its primary: omit it."))
		}
	}
	return nil
}

// readName reads [VERSION/]NAME.
func (o *createOptions) readName() error {
	name := o.name
	if version, rest, ok := strings.Cut(name, "/"); ok {
		n, err := strconv.Atoi(version)
		if err != nil || n < 1 || rest == "" {
			return say.Usage(say.M("invalid name of an instance: {name}", "name", say.Quoted(name)),
				say.M("Write NAME or VERSION/NAME, such as 17/main."))
		}
		o.order.Major, name = n, rest
	} else if n, err := strconv.Atoi(name); err == nil {
		o.order.Major, name = n, "" // 'create 17'
	}
	o.order.Name = name
	return nil
}

func (o *createOptions) readSizes() (err error) {
	if o.share < 0 || o.share > 1 {
		return say.Usage(say.M("value out of range for --share: {value}", "value", fmt.Sprint(o.share)),
			say.M("Use a part of the memory, such as 0.4."))
	}
	o.order.Share = o.share
	if o.memory != "" {
		if o.order.Memory, err = unit.ParseBytes(o.memory); err != nil || o.order.Memory <= 0 {
			return say.Usage(say.M("invalid value for --memory: {value}", "value", say.Quoted(o.memory)),
				say.M("Use a size such as 24GB."))
		}
		if o.share > 0 {
			return say.Usage(say.M("--memory cannot be used with --share"), say.M("Use only one of them."))
		}
	}
	if o.segment != "" {
		n, err := strconv.Atoi(strings.TrimSuffix(o.segment, "MB"))
		if err != nil || n < 1 || n > 1024 || n&(n-1) != 0 {
			return say.Usage(say.M("invalid value for --wal-segsize: {value}", "value", say.Quoted(o.segment)),
				say.M("Use a power of two from 1 to 1024, in MB."))
		}
		o.order.Segment = unit.Bytes(n) * unit.MB
	}
	return nil
}

// maxPasswordFile bounds a file with a password: one line.
const maxPasswordFile = 4 << 10

// password reads the password of the superuser; "": none is wanted.
func (o *createOptions) password(env *Env) (string, error) {
	switch {
	case o.ask && o.passwordIn != "":
		return "", say.Usage(say.M("--ask-password cannot be used with --password-file"), say.M("Use only one of "+
			"them."))
	case o.planOnly:
		if o.ask || o.passwordIn != "" {
			return "planned", nil // nothing is read where nothing is done
		}
		return "", nil
	case o.ask:
		return askPassword(env)
	case o.passwordIn == "":
		return "", nil
	}
	in := env.Stdin
	if o.passwordIn != "-" {
		f, err := os.Open(o.passwordIn)
		if err != nil {
			return "", say.Usage(say.M("--password-file: {error}", "error", err), say.M("Name a file that you can "+
				"read."))
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxPasswordFile)).ReadString('\n')
	if line = strings.TrimRight(line, "\r\n"); line == "" || err != nil && err != io.EOF {
		return "", say.Usage(say.M("--password-file: no password on the first line"), say.M("Write the password on "+
			"the "+
			"first line of the file."))
	}
	return line, nil
}

func askPassword(env *Env) (string, error) {
	fd, ok := terminal(env.Stdin)
	if !ok {
		return "", say.Usage(say.M("--ask-password needs a terminal"), say.M("Use --password-file FILE, or - for "+
			"stdin."))
	}
	var got [2]string
	for i, question := range []say.Message{say.M("Password of the superuser:"), say.M("Once more:")} {
		fmt.Fprint(env.Stderr, question.In(env.words), " ")
		b, err := term.ReadPassword(fd)
		fmt.Fprintln(env.Stderr)
		if err != nil {
			return "", err
		}
		got[i] = string(b)
	}
	if got[0] != got[1] || got[0] == "" {
		return "", &say.Problem{Message: say.M("nothing was changed: the passwords differ, or are empty"),
			Code: exitRefused}
	}
	return got[0], nil
}

func askCreate(ctx context.Context, env *Env) error {
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: say.M("nothing was changed: cannot ask for confirmation without a terminal"),
			Hint: say.M("Review the steps above, then run the command with --yes."), Code: exitRefused}
	}
	answer, err := newLines(env.Stdin).choose(ctx, env, say.M("Create the instance?").In(env.words), answerYes,
		answerNo)
	if err == nil && answer != "yes" {
		err = &say.Problem{Message: say.M("nothing was changed: canceled"), Code: exitRefused}
	}
	return err
}
