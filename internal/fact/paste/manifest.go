package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// The version of a server as compose files, manifests of operators, and clouds name it: by the image of a container, or
// by a key of its own.
var (
	reImage = regex.New(`^(?:- )?["']?(?:(?:PostgreSQL )?[iI]mage(?: Name)?|imageName|dockerImage|` +
		`container_image|IMAGE)["']?\s*[:=]\s*["']?([\w./:@-]{4,255})["']?,?$`)
	reManaged = regex.New(`^(?:- )?["']?(?:postgresVersion|postgresqlVersion|pgVersion|postgres(?:ql)?_version|` +
		`pg_version|PG_MAJOR|PG_VERSION|POSTGRES(?:QL)?_VERSION)["']?\s*[:=]\s*["']?(\d{1,2}(?:\.\d{1,2}){0,2})` +
		`(?:-[\w.+~-]{1,40})?["']?,?$`)
	reVersionKey = regex.New(`^["']?version["']?\s*:\s*["']?(\d{1,2}(?:\.\d{1,2})?)["']?,?$`)
	reOfCloud    = regex.New(`^["']?(?:engine_version|EngineVersion|engineVersion|database_version|databaseVersion)` +
		`["']?\s*[:=]\s*["']?(POSTGRES_)?(\d{1,2}(?:[._]\d{1,2})?)["']?,?$`)
	// an image within a command or a cell
	reImageIn = regex.New("(?:^|[\\s`\"'|])((?:[\\w.-]+(?::\\d+)?/)*(?:postgres|postgresql|postgis|timescaledb|" +
		"timescaledb-ha|pgvector):[\\w.-]{1,100})(?:[\\s`\"'|]|$)")
	reTagPlain = regex.New(`^v?(\d{1,2}(?:\.\d{1,2}){0,2})(?:[.-].*)?$`)
	reTagPG    = regex.New(`^(?:.*[-_])?pg(\d{2}(?:\.\d{1,2})?)(?:[-_.].*)?$`)
	reTagMajor = regex.New(`^(\d{2}(?:\.\d{1,2})?)-\d.*$`)
	reTagOf    = regex.New(`^(?:ubi|centos|rhel)\d{1,2}-(\d{2}\.\d{1,2})-.*$`)
	reNamedTag = regex.New(`^postgres(?:ql)?-?(\d{2})(?:-(?:centos|rhel|el|c|ubi)\w{1,8})?$`)
)

// taggedImages are images of servers with the form of the version in their tag. Those of Spilo hold several majors.
var taggedImages = map[string]*regex.Regex{"postgres": reTagPlain, "postgresql": reTagPlain,
	"postgresql-repmgr": reTagPlain, "crunchy-postgres": reTagOf, "crunchy-postgres-gis": reTagOf,
	"postgis": reTagMajor, "cloudnative-vectorchord": reTagMajor, "timescaledb": reTagPG, "timescaledb-ha": reTagPG,
	"pgvector": reTagPG, "pgvecto-rs": reTagPG, "vchord-postgres": reTagPG, "citus": reTagPG, "paradedb": reTagPG}

// imageVersion is the fact of the version that an image holds.
func imageVersion(image string) (Fact, bool) {
	image, _, _ = strings.Cut(image, "@")
	name, tag, _ := strings.Cut(strings.ToLower(image[strings.LastIndexByte(image, '/')+1:]), ":")
	if m := reNamedTag.FindStringSubmatch(name); m != nil {
		return versionFact(m[1])
	}
	re := taggedImages[name]
	if re == nil {
		return Fact{}, false
	}
	m := re.FindStringSubmatch(tag)
	if m == nil {
		return Fact{}, false
	}
	return versionFact(m[1])
}

// versionFact is a version of PostgreSQL or the major alone, where no more was said.
func versionFact(s string) (Fact, bool) {
	c := strings.Split(s, ".")
	n, ok := whole(c[0])
	parts := 2 // of a whole version
	if n < 10 {
		parts = 3
	}
	switch {
	case !ok || n < 8 || n > 30 || len(c) < parts-1:
		return Fact{}, false
	case len(c) < parts:
		return word("server.major", "", s), true
	}
	return word("server.version", "", strings.Join(c[:parts], ".")), true
}

// readManifest reads a line that names the version of a server.
func readManifest(w *window) (f found) {
	t := w.t(0)
	if len(t) > 300 || !strings.ContainsAny(t, ":=") {
		return
	}
	lower := strings.ToLower(t)
	image := strings.Contains(lower, "image")
	if !image && !strings.Contains(lower, "version") && !strings.Contains(t, "PG_") {
		return
	}
	t = bare(t)
	var fact Fact
	ok := false
	switch {
	case image:
		if m := reImage.FindStringSubmatch(t); m != nil {
			fact, ok = imageVersion(m[1])
		}
	default:
		if m := reManaged.FindStringSubmatch(t); m != nil {
			fact, ok = versionFact(m[1])
		} else if m := reVersionKey.FindStringSubmatch(t); m != nil {
			if w.in(1, "postgresql", "postgres", "postgresqlVersion") {
				fact, ok = versionFact(m[1])
			}
		} else if m := reOfCloud.FindStringSubmatch(t); m != nil && (m[1] != "" || ofPostgres(w)) {
			fact, ok = versionFact(strings.ReplaceAll(m[2], "_", "."))
		}
	}
	if !ok {
		return
	}
	return found{n: 1, kind: Version, sure: Likely, facts: []Fact{fact}}
}

const engineNear = 12 // lines between the engine of a cloud's database and its version

var reEngine = regex.New(`(?i)\bengine\b["']?\s*[:=]\s*["']?(?:aurora-)?postgres`)

// ofPostgres says whether the database that a cloud describes is one.
func ofPostgres(w *window) bool {
	for i := 1; i < len(w.lines) && i < engineNear; i++ {
		if strings.Contains(w.t(i), "ngine") && reEngine.MatchString(w.t(i)) {
			return true
		}
	}
	for i := len(w.before) - 1; i >= 0 && i >= len(w.before)-engineNear; i-- {
		if strings.Contains(w.before[i].t, "ngine") && reEngine.MatchString(w.before[i].t) {
			return true
		}
	}
	return false
}

// image adds the version of a server's image that stands somewhere in a line.
func (f *found) image(t string) bool {
	if m := reImageIn.FindStringSubmatch(t); m != nil {
		if v, ok := imageVersion(m[1]); ok {
			f.add(v)
			return true
		}
	}
	return false
}

// what docker run lets a container have
var reRunFlag = regex.New(`\s(--memory|-m|--shm-size|--cpus)[= ]["']?(\d[\d.]*)([bkmgBKMG]?)[bB]?\b`)

// runFlags adds what a command lets the container of a server have.
func (f *found) runFlags(command string) {
	for _, m := range reRunFlag.FindAllStringSubmatch(command, 10) {
		if m[1] == "--cpus" {
			if v, ok := decimal(m[2]); ok && m[3] == "" {
				f.add(Fact{Name: "container.cpu_limit", Value: v})
			}
			continue
		}
		if a, ok := amountOf(m[2]+strings.ToUpper(m[3]), 1); ok {
			a.step = 0
			name := "container.memory_limit"
			if m[1] == "--shm-size" {
				name = "container.shm_size"
			}
			f.add(a.fact(name, ""))
		}
	}
}
