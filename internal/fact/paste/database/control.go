package database

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/labels"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// controlKeys are labels of pg_controldata with the facts that they name.
var controlKeys = map[string]string{
	"pg_control version number": "control.version", "Catalog version number": "control.catalog",
	"Database system identifier": "control.system_identifier", "Database cluster state": "control.state",
	"pg_control last modified": "control.modified", "Latest checkpoint location": "control.checkpoint",
	"Latest checkpoint's REDO location": "control.redo", "Latest checkpoint's REDO WAL file": "control.redo_file",
	"Latest checkpoint's TimeLineID": "control.timeline", "Latest checkpoint's NextXID": "control.next_xid",
	"Latest checkpoint's oldestXID": "control.oldest_xid", "Time of latest checkpoint": "control.checkpoint_time",
	"Database block size": "control.block_size", "Bytes per WAL segment": "control.segment_size",
	"Data page checksum version": "control.checksums", "WAL block size": "control.wal_block_size",
	"Latest checkpoint's full_page_writes": "full_page_writes", "wal_level setting": "wal_level",
	"wal_log_hints setting": "wal_log_hints", "max_connections setting": "max_connections",
	"max_worker_processes setting": "max_worker_processes", "max_wal_senders setting": "max_wal_senders",
	"max_prepared_xacts setting":     "max_prepared_transactions",
	"max_locks_per_xact setting":     "max_locks_per_transaction",
	"track_commit_timestamp setting": "track_commit_timestamp",
}

var controlOther = regex.New(
	`^(?:Prior checkpoint location|Latest checkpoint's \w[\w' ]*|Fake LSN counter for unlogged rels|Minimum reco` +
		`very ending location|Min recovery ending loc's timeline|Backup (?:start|end) location|End-of-backup rec` +
		`ord required|Maximum data alignment|Blocks per segment of large relation|Maximum (?:length of identifie` +
		`rs|columns in an index|size of a TOAST chunk)|Size of a large-object chunk|Date/time type storage|Float` +
		`[48] argument passing|Mock authentication nonce|Default char data signedness|Current \w+ setting|First ` +
		`log segment after reset|WAL (?:file|segment) size|Maximum length of locale name|LC_COLLATE|LC_CTYPE)$`)

// catalogs are the catalog versions of the releases, with the major that they tell.
var catalogs = map[int64]string{200510211: "8.1", 200611241: "8.2", 200711281: "8.3", 200904091: "8.4",
	201008051: "9.0", 201105231: "9.1", 201204301: "9.2",
	201306121: "9.3",
	201409291: "9.4", 201510051: "9.5", 201608131: "9.6", 201707211: "10", 201809051: "11", 201909212: "12",
	202007201: "13",
	202107181: "14", 202209061: "15", 202307071: "16", 202406281: "17", 202506291: "18"}

// controls are the numbers of the control file that one major alone has.
var controls = map[int64]string{812: "8.1", 822: "8.2", 833: "8.3", 843: "8.4", 922: "9.2", 937: "9.3", 960: "9.6",
	1002: "10", 1100: "11", 1201: "12", 1700: "17", 1800: "18"}

var (
	// Korean puts some values right behind the colon, French a blank before it.
	reControlLine = regex.New(`^(\S[^:：]{3,70}?)\s*[:：]\s*(\S.*)$`)
	// the parameter that a label speaks of, in any language
	reLabelParam = regex.New(
		`\b(?:wal_level|wal_log_hints|wal_log_hings|max_connections|max_worker_processes|max_wal_senders|` +
			`max_prepared_xacts|max_locks_per_xact|track_commit_timestamp|full_page_writes)\b`)
	reLSN     = regex.New(`^[0-9A-F]{1,8}/[0-9A-F]{1,8}$`)
	reWALFile = regex.New(`^[0-9A-F]{24}$`)
)

// ControlLine reads a line, and returns its label in English.
func ControlLine(t string) (key, value string, ok bool) {
	m := reControlLine.FindStringSubmatch(t)
	if m == nil {
		return "", "", false
	}
	key, value = m[1], part.Bare(" "+m[2])
	if v, _, ok := strings.Cut(value, "  --"); ok { // what its author remarks
		value = strings.TrimSpace(v)
	}
	if at := strings.LastIndex(t, ":"); at > len(key) { // Swedish has a colon within a label
		if _, ok := labels.All().Control[strings.TrimSpace(t[:at])]; ok {
			key, value = strings.TrimSpace(t[:at]), part.Bare(" "+t[at+1:])
		}
	}
	if english, ok := labels.All().Control[key]; ok {
		key = english
	}
	if p := reLabelParam.FindString(key); p != "" { // of any version and language
		if strings.Trim(key, "-+*\"' ") == p { // the parameter itself, in YAML
			return "", "", false
		}
		if p == "wal_log_hings" { // sic, in Spanish
			p = "wal_log_hints"
		}
		key = p + " setting"
		if p == "full_page_writes" {
			key = "Latest checkpoint's full_page_writes"
		}
	}
	switch { // Spanish has one label for both
	case key == "Latest checkpoint's REDO location" && reWALFile.MatchString(value):
		key = "Latest checkpoint's REDO WAL file"
	case key == "Latest checkpoint's REDO WAL file" && reLSN.MatchString(value):
		key = "Latest checkpoint's REDO location"
	}
	if controlKeys[key] == "" && !controlOther.MatchString(key) {
		return "", "", false
	}
	return key, value, true
}

// ReadControl reads pg_controldata, in the languages of PostgreSQL.
func ReadControl(w *part.Window) (f part.Found) {
	key, _, ok := ControlLine(w.Text(0))
	if !ok || key != "pg_control version number" {
		if _, _, two := ControlLine(w.Text(1)); !ok || !two && !strings.Contains(w.Command, "pg_controldata") {
			return
		}
	}
	byNumber, byCatalog := "", false
	for f.N < len(w.Lines) {
		t := w.Text(f.N)
		key, v, ok := ControlLine(t)
		if !ok {
			// what another version says, between lines that are known
			if _, _, more := ControlLine(w.Text(f.N + 1)); w.Lines[f.N].Is != part.Elided &&
				!(more && reControlLine.MatchString(t)) {
				break
			}
			f.N++
			continue
		}
		f.N++
		name := controlKeys[key]
		switch {
		case name == "":
		case !strings.HasPrefix(name, "control."):
			if english, ok := labels.All().Values[v]; ok {
				v = english
			}
			f.Add(setting.Of(name, v, ""))
		case name == "control.state":
			if english, ok := labels.All().States[v]; ok {
				v = english
			}
			f.Add(part.Word(name, "", v))
		case name == "control.system_identifier" || name == "control.redo_file" || !amount.Digits(v):
			f.Add(part.Word(name, "", v))
		default:
			n, _ := amount.Whole(v)
			x := part.Count(name, "", n)
			if strings.HasSuffix(name, "_size") {
				x.Unit = "bytes"
			}
			f.Add(x)
			switch major := catalogs[n]; {
			case name == "control.version":
				byNumber = controls[n]
			case name == "control.catalog" && major != "":
				f.Add(part.Word("server.major", "", major))
				byCatalog = true
			}
		}
	}
	if byNumber != "" && !byCatalog {
		f.Add(part.Word("server.major", "", byNumber))
	}
	return f
}
