package upgrade

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/releases"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// What a command names that is not known yet.
const (
	newData = "NEW_DATA_DIRECTORY"
	oldData = "OLD_DATA_DIRECTORY"
	newBin  = "NEW_BIN_DIRECTORY"
	oldBin  = "OLD_BIN_DIRECTORY"
)

// swapFrom is the first version whose pg_upgrade has --swap and keeps statistics.
const swapFrom = 18

// collations says what an upgrade does to the order of texts.
func (j *judge) collations() {
	add := func(id string, seen say.Message, do say.Message) {
		j.out.Collations = append(j.out.Collations, Item{ID: id, Seen: seen, Do: do})
	}
	dbs, _ := j.in.Server.Databases.Get()
	var differ []string
	for _, d := range dbs {
		if d.CollationMismatch && d.AllowConn {
			differ = append(differ, d.Name)
		}
	}
	if len(differ) > 0 {
		add("collation_mismatch", say.M("The recorded collation version already differs from the library in: {names}.",
			"names", say.Names(differ, listed)),
			say.M("Rebuild the indexes before the upgrade. Steps: pgfettle explain collation_mismatch"))
	}
	add("collation_library", say.M("pg_upgrade copies indexes as they are. On the same operating system, the order of "+
		"texts stays the same."), say.M("If the new server gets another version of glibc or ICU (another operating "+
		"system, container image or package source), rebuild indexes on text after the upgrade: pgfettle explain "+
		"collation_mismatch"))
	u, ok := j.in.Server.Upgrade.Get()
	if !ok {
		return
	}
	words := map[string]string{"c": "libc", "i": "ICU", "b": "builtin"}
	var groups []say.Message
	for _, p := range u.Providers {
		name, ok := words[p.Word]
		if !ok {
			continue
		}
		groups = append(groups, say.N(p.Databases, "{provider}: {n} database", "{provider}: {n} databases", "provider",
			name))
	}
	if len(groups) > 0 {
		add("locale_provider", say.M("Locale providers: {groups}. Databases keep their provider.", "groups",
			say.List{Items: groups}), say.Message{})
	}
}

func (j *judge) step(id string, text say.Message, commands ...check.Command) {
	j.out.Steps = append(j.out.Steps, Item{ID: id, Do: text, Commands: commands})
}

// steps says how the upgrade is done, with the directories that are known.
func (j *judge) steps() {
	if r, ok := releases.Of(j.to); ok && j.s.TakenAt > 0 && r.Last.Before(time.Unix(j.s.TakenAt, 0)) {
		j.step("end_of_life", say.M("PostgreSQL {major} has been out of support since {day}. Choose a later version: "+
			"pg_upgrade needs no version in between.", "major", j.to, "day", r.Last.Format(time.DateOnly)))
	}
	if m, ok := j.in.Manager.Get(); ok && m != "" {
		j.step("manager", say.M("This server is managed by {manager}. Follow its own procedure for major upgrades; "+
			"the "+
			"steps below are those of plain PostgreSQL.", "manager", m))
	}
	if p := j.in.Server.Product; p.Name != "" {
		j.step("product", say.M("This server is {product}. Follow its vendor's procedure for major upgrades, with "+
			"the vendor's programs of both versions; the steps below are those of PostgreSQL.", "product", p.String()))
	}
	to, here := j.found()
	bin := newBin
	if here {
		bin = to.Path
	} else {
		j.step("install", say.M("Install PostgreSQL {major} with the packages of all extensions. It was not found on "+
			"this host.", "major", j.to))
	}
	old, ok := j.in.BinDir.Get()
	if !ok {
		old = oldBin
	}
	j.step("initdb", j.creating(), check.Shell(strings.Join(append([]string{shell.Quote(path.Join(bin, "initdb")),
		"-D", newData}, j.initdb()...), " ")))
	j.step("configure", say.M("Correct the copied configuration as listed above, and check it."),
		check.Shell("pgfettle check --conf "+newData+"/postgresql.conf --pg "+say.Spell(j.to)))
	run := j.command(bin, old)
	j.step("check", say.M("Let pg_upgrade check both clusters. The old server can keep running. Its result is "+
		"decisive."), check.Shell(run+" --check"))
	j.mode()
	j.step("run", say.M("Stop the old server, and run pg_upgrade with the chosen mode and one job per CPU."),
		check.Shell(run+" --jobs=N --MODE"))
	j.standbys()
	if j.to >= swapFrom {
		j.step("statistics", say.M("Statistics are kept, except extended ones. After the start, collect what is "+
			"missing."), check.Shell(shell.Quote(path.Join(bin, "vacuumdb"))+" --all --analyze-in-stages "+
			"--missing-stats-only"),
			check.Shell(shell.Quote(path.Join(bin, "vacuumdb"))+" --all --analyze-only"))
	} else {
		j.step("statistics", say.M("Statistics are not kept: until they are collected, queries can be very slow. "+
			"Collect "+
			"them directly after the start."),
			check.Shell(shell.Quote(path.Join(bin, "vacuumdb"))+" --all --analyze-in-stages"))
	}
	j.step("extensions", say.M("Run the script update_extensions.sql if pg_upgrade wrote one. Keep the old cluster "+
		"until a backup of the new one is complete."))
}

// localeFrom is the first version whose pg_upgrade gives the new cluster the encoding and the locale of the old one's
// template0. Before, it compares them, and the new cluster has to be made alike.
const localeFrom = 16

// creating says how the new cluster is made.
func (j *judge) creating() say.Message {
	u, _ := j.in.Server.Upgrade.Get()
	switch {
	case j.to >= localeFrom:
		return say.M("Create the new cluster as the account that owns the old one. Do not start it. Encoding, " +
			"locale, and locale provider need no option: pg_upgrade copies them from the old cluster.")
	case u.Template == pg.Locale{}:
		return say.M("Create the new cluster as the account that owns the old one. Do not start it. pg_upgrade to "+
			"{major} requires the encoding and the locale of the old cluster, which are unknown: add -E, "+
			"--lc-collate, and --lc-ctype with those of template0.", "major", j.to)
	}
	return say.M("Create the new cluster as the account that owns the old one. Do not start it. pg_upgrade to {major} "+
		"requires the encoding and the locale of the old cluster.", "major", j.to)
}

// initdb are the options that make the new cluster like the old one.
func (j *judge) initdb() (out []string) {
	if u, ok := j.in.Server.Upgrade.Get(); ok && u.Superuser != "" {
		out = append(out, "-U", shell.Quote(u.Superuser))
	}
	if u, ok := j.in.Server.Upgrade.Get(); ok && j.to < localeFrom && u.Template != (pg.Locale{}) {
		out = append(out, "-E", shell.Quote(u.Template.Encoding), "--lc-collate="+shell.Quote(u.Template.Collate),
			"--lc-ctype="+shell.Quote(u.Template.Ctype))
	}
	c, ok := j.in.Server.Control.Get()
	if !ok {
		return out
	}
	if c.WALSegment != 0 && c.WALSegment != defaultSegment {
		out = append(out, "--wal-segsize="+say.Spell(int(c.WALSegment/unit.MB)))
	}
	switch {
	case !c.Checksums && j.to >= checksumsFrom:
		out = append(out, "--no-data-checksums")
	case c.Checksums && j.to < checksumsFrom:
		out = append(out, "--data-checksums")
	}
	return out
}

// command is pg_upgrade without its mode.
func (j *judge) command(bin, old string) string {
	data, ok := j.in.DataDirectory.Get()
	if !ok {
		data = oldData
	}
	words := []string{shell.Quote(path.Join(bin, "pg_upgrade")), "-b", shell.Quote(old), "-B", shell.Quote(bin),
		"-d", shell.Quote(data),
		"-D", newData}
	if u, ok := j.in.Server.Upgrade.Get(); ok && u.Superuser != "" {
		words = append(words, "-U", shell.Quote(u.Superuser))
	}
	set, _ := j.in.Server.Settings.Get()
	if file := set["config_file"].Value; file != "" && path.Dir(file) != data {
		words = append(words, "-o", shell.Quote("-c config_file="+file))
	}
	return strings.Join(words, " ")
}

// standbys says what becomes of them.
func (j *judge) standbys() {
	replicas, ok := j.in.Server.Replicas.Get()
	physical := slices.ContainsFunc(slotsOf(j.in), func(s pg.Slot) bool { return s.Kind == "physical" })
	if !ok || len(replicas) == 0 && !physical {
		return
	}
	j.step("standbys", say.M("A standby cannot follow across major versions. After pg_upgrade, and before the new "+
		"primary takes writes, create each standby again with pg_basebackup, or with rsync as the manual of "+
		"pg_upgrade "+
		"describes (--link only)."))
}

func slotsOf(in *snapshot.Instance) []pg.Slot {
	list, _ := in.Server.Slots.Get()
	return list
}

// notExamined names what neither this report nor its facts cover.
func (j *judge) notExamined() {
	if p := j.in.Server.Product; p.Name != "" {
		j.out.NotExamined = append(j.out.NotExamined, say.M("What {product} {major} changes itself, and the settings "+
			"that only it has. The facts above are those of PostgreSQL {major}.", "product", p.Name, "major", j.to))
	}
	if _, ok := j.in.Server.HBA.Get(); ok {
		j.out.NotExamined = append(j.out.NotExamined, say.M("Options of lines in pg_hba.conf other than "+
			"clientcert, and pg_ident.conf."))
	}
	if j.from >= 17 {
		j.out.NotExamined = append(j.out.NotExamined, say.M("Indexes and constraints that depend on the version of "+
			"Unicode: pg_upgrade --check warns of them."))
	}
}
