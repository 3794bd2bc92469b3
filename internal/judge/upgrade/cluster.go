package upgrade

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// What initdb and a build have by default, which pg_upgrade compares with the old cluster.
const (
	defaultSegment = 16 * unit.MB
	defaultBlock   = 8 * unit.KB
	// checksumsFrom is the first version whose initdb turns data checksums on.
	checksumsFrom = 18
	// slotsFrom is the first version whose logical slots and subscriptions pg_upgrade keeps.
	slotsFrom = 17
	// defaultSlots is the default of max_replication_slots.
	defaultSlots = 10
)

// listed bounds how many names of a kind an item has.
const listed = 8

// cluster judges what the whole cluster has: its control file, its role, its transactions, its shared catalogs.
func (j *judge) cluster() {
	if c, ok := need(j, j.in.Server.Control); ok {
		if c.InRecovery {
			j.stop("standby", say.M("This server is a standby."), say.M("Upgrade the primary. Afterwards, create the "+
				"standbys again, or copy them with rsync as the manual of pg_upgrade describes."))
		}
		switch {
		case !c.Checksums && j.to >= checksumsFrom:
			j.stop("checksums", say.M("Data checksums are off. initdb of {major} turns them on, and pg_upgrade needs "+
				"the same in both clusters.", "major", j.to),
				say.M("Create the new cluster with initdb --no-data-checksums. Or enable checksums first, with the "+
					"server stopped: pg_checksums --enable"))
		case c.Checksums && j.to < checksumsFrom:
			j.stop("checksums", say.M("Data checksums are on. initdb of {major} leaves them off, and pg_upgrade needs "+
				"the same in both clusters.", "major", j.to),
				say.M("Create the new cluster with initdb --data-checksums."))
		}
		if c.WALSegment != 0 && c.WALSegment != defaultSegment {
			j.stop("wal_segment", say.M("WAL segments have {size}, and initdb makes them of {default}.", "size",
				c.WALSegment, "default", defaultSegment),
				say.M("Create the new cluster with initdb --wal-segsize={mb}.", "mb",
					fmt.Sprint(int64(c.WALSegment/unit.MB))))
		}
		if c.BlockSize != 0 && c.BlockSize != defaultBlock {
			j.stop("block_size", say.M("This build has blocks of {size}, not {default}.", "size", c.BlockSize,
				"default", defaultBlock),
				say.M("Use programs of {major} that were built with the same block size.", "major", j.to))
		}
	}
	if list, ok := need(j, j.in.Server.Prepared); ok && len(list) > 0 {
		j.stop("prepared", say.N(len(list), "{n} prepared transaction.", "{n} prepared transactions."),
			say.M("Commit or roll back each of them, with its gid from pg_prepared_xacts: COMMIT PREPARED or ROLLBACK "+
				"PREPARED."))
	}
	j.connections()
	j.shared()
}

// connections judges which databases let pg_upgrade in.
func (j *judge) connections() {
	list, ok := need(j, j.in.Server.Databases)
	if !ok {
		return
	}
	for _, d := range list {
		switch {
		case d.Invalid():
			j.stop("invalid_database", say.M("Database {database} is invalid: its DROP DATABASE was interrupted.",
				"database", d.Name), say.M("Drop it."), check.SQL("DROP DATABASE "+conf.SQLName(d.Name)+";"))
		case d.Name == "template0" && d.AllowConn:
			j.stop("template0", say.M("template0 allows connections."), say.M("Forbid them."),
				check.SQL("ALTER DATABASE template0 ALLOW_CONNECTIONS false;"))
		case d.Name != "template0" && !d.AllowConn:
			j.stop("closed_database", say.M("Database {database} allows no connections.", "database", d.Name),
				say.M("Allow them for the upgrade, or drop the database."),
				check.SQL("ALTER DATABASE "+conf.SQLName(d.Name)+" ALLOW_CONNECTIONS true;"))
		}
	}
}

// shared judges what the shared catalogs hold.
func (j *judge) shared() {
	u, ok := need(j, j.in.Server.Upgrade)
	if !ok {
		return
	}
	if j.crosses(19) {
		for _, n := range u.Names {
			j.stop("name", say.M(oddNames[n.Object], "name", say.Quoted(n.Name), "major", MajorOf(19)),
				say.M("Rename it."))
		}
		for _, e := range u.Encodings {
			if e.Word == "MULE_INTERNAL" {
				j.stop("encoding", say.N(e.Databases,
					"{n} database with the encoding {encoding} ({database}), which was removed in PostgreSQL {major}.",
					"{n} databases with the encoding {encoding} (such as {database}), which was removed in PostgreSQL "+
						"{major}.", "encoding", e.Word, "database", e.Example, "major", MajorOf(19)),
					say.M("Before the upgrade, dump the database and restore it into one with the encoding UTF8."))
			}
		}
	}
	j.slots()
}

// oddNames are texts on a name with a line feed or carriage return.
var oddNames = map[string]say.Template{
	"database":   "Name of a database with a line feed or carriage return: {name}. PostgreSQL {major} rejects it.",
	"role":       "Name of a role with a line feed or carriage return: {name}. PostgreSQL {major} rejects it.",
	"tablespace": "Name of a tablespace with a line feed or carriage return: {name}. PostgreSQL {major} rejects it.",
}

// plugins are the output plugins that output_plugin_libraries allows by default.
var plugins = map[string]bool{"pgoutput": true, "test_decoding": true}

// slots judges logical replication.
func (j *judge) slots() {
	u, _ := j.in.Server.Upgrade.Get()
	var names []string
	for _, s := range u.Slots {
		names = append(names, s.Name)
	}
	if j.from < slotsFrom {
		if len(names) > 0 {
			j.change("slots_lost", say.M("Logical replication slots are not kept: {slots}.", "slots",
				say.Names(names, listed)), say.M("Stop writes, let the subscribers catch up, and after the upgrade "+
				"create "+
				"the slots again before the first write."))
		}
		if u.Subscriptions > 0 {
			j.change("subscriptions", say.N(u.Subscriptions,
				"{n} subscription, whose state pg_upgrade keeps only since PostgreSQL 17.",
				"{n} subscriptions, whose state pg_upgrade keeps only since PostgreSQL 17."),
				say.M("Disable each subscription before the upgrade. Afterwards, refresh it without copying the data: "+
					"ALTER SUBSCRIPTION SUBSCRIPTION_NAME REFRESH PUBLICATION WITH (copy_data = false);"))
		}
		return
	}
	if n := len(u.Slots); n > 0 && (j.to < 19 || n > defaultSlots) {
		j.stop("slots", say.N(n, "{n} logical replication slot needs settings that a new cluster does not have.",
			"{n} logical replication slots need settings that a new cluster does not have."),
			say.M("Set in the new cluster before pg_upgrade: wal_level = logical, and max_replication_slots of at "+
				"least "+
				"{slots}. Let each slot consume all WAL before the old server stops.", "slots", max(n, defaultSlots)))
	}
	for _, s := range u.Slots {
		if !plugins[s.Plugin] && s.Plugin != "" {
			j.stop("slot_plugin", say.M("Slot {slot} uses the output plugin {plugin}.", "slot", s.Name, "plugin",
				s.Plugin), say.M("Install the plugin for {major}, and name it in output_plugin_libraries of the new "+
				"cluster if that has the setting.", "major", j.to))
		}
		if s.Name == "pg_conflict_detection" && j.crosses(19) {
			j.stop("slot_name", say.M("The slot name {slot} is reserved in PostgreSQL {major}.", "slot", s.Name,
				"major", MajorOf(19)), say.M("Drop the slot, and create it with another name."))
		}
	}
	if list, ok := need(j, j.in.Server.Slots); ok {
		for _, s := range list {
			if s.Kind == "logical" && s.WALStatus == "lost" {
				j.stop("slot_invalid", say.M("The logical slot {slot} is invalid (wal_status = lost).", "slot", s.Name),
					say.M("Drop it."), check.SQL("SELECT pg_drop_replication_slot('"+s.Name+"');"))
			}
		}
	}
	if u.Subscriptions > defaultSlots {
		j.stop("subscriptions", say.N(u.Subscriptions, "{n} subscription.", "{n} subscriptions."),
			say.M("Set in the new cluster before pg_upgrade: max_replication_slots, and in 18 and later "+
				"max_active_replication_origins, of at least {n}.", "n", u.Subscriptions))
	}
}
