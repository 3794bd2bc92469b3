package containers

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
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
func imageVersion(image string) (part.Fact, bool) {
	image, _, _ = strings.Cut(image, "@")
	name, tag, _ := strings.Cut(strings.ToLower(image[strings.LastIndexByte(image, '/')+1:]), ":")
	if m := reNamedTag.FindStringSubmatch(name); m != nil {
		return setting.Version(m[1])
	}
	re := taggedImages[name]
	if re == nil {
		return part.Fact{}, false
	}
	m := re.FindStringSubmatch(tag)
	if m == nil {
		return part.Fact{}, false
	}
	return setting.Version(m[1])
}

// ReadManifest reads a line that names the version of a server.
func ReadManifest(w *part.Window) (f part.Found) {
	t := w.Text(0)
	if len(t) > 300 || !strings.ContainsAny(t, ":=") {
		return
	}
	lower := strings.ToLower(t)
	image := strings.Contains(lower, "image")
	if !image && !strings.Contains(lower, "version") && !strings.Contains(t, "PG_") {
		return
	}
	t = part.Bare(t)
	var fact part.Fact
	ok := false
	switch {
	case image:
		if m := reImage.FindStringSubmatch(t); m != nil {
			fact, ok = imageVersion(m[1])
		}
	default:
		if m := reManaged.FindStringSubmatch(t); m != nil {
			fact, ok = setting.Version(m[1])
		} else if m := reVersionKey.FindStringSubmatch(t); m != nil {
			if w.In(1, "postgresql", "postgres", "postgresqlVersion") {
				fact, ok = setting.Version(m[1])
			}
		} else if m := reOfCloud.FindStringSubmatch(t); m != nil && (m[1] != "" || ofPostgres(w)) {
			fact, ok = setting.Version(strings.ReplaceAll(m[2], "_", "."))
		}
	}
	if !ok {
		return
	}
	return part.Found{N: 1, Kind: part.Version, Sure: part.Likely, Facts: []part.Fact{fact}}
}

const engineNear = 12 // lines between the engine of a cloud's database and its version

var reEngine = regex.New(`(?i)\bengine\b["']?\s*[:=]\s*["']?(?:aurora-)?postgres`)

// ofPostgres says whether the database that a cloud describes is one.
func ofPostgres(w *part.Window) bool {
	for i := 1; i < len(w.Lines) && i < engineNear; i++ {
		if strings.Contains(w.Text(i), "ngine") && reEngine.MatchString(w.Text(i)) {
			return true
		}
	}
	for i := len(w.Before) - 1; i >= 0 && i >= len(w.Before)-engineNear; i-- {
		if strings.Contains(w.Before[i].Text, "ngine") && reEngine.MatchString(w.Before[i].Text) {
			return true
		}
	}
	return false
}

// Image adds the version of a server's image that stands somewhere in a line.
func Image(f *part.Found, t string) bool {
	if m := reImageIn.FindStringSubmatch(t); m != nil {
		if v, ok := imageVersion(m[1]); ok {
			f.Add(v)
			return true
		}
	}
	return false
}

// what docker run lets a container have
var reRunFlag = regex.New(`\s(--memory|-m|--shm-size|--cpus)[= ]["']?(\d[\d.]*)([bkmgBKMG]?)[bB]?\b`)

// RunFlags adds what a command lets the container of a server have.
func RunFlags(f *part.Found, command string) {
	for _, m := range reRunFlag.FindAllStringSubmatch(command, 10) {
		if m[1] == "--cpus" {
			if v, ok := amount.Decimal(m[2]); ok && m[3] == "" {
				f.Add(part.Fact{Name: "container.cpu_limit", Value: v})
			}
			continue
		}
		if a, ok := amount.Of(m[2]+strings.ToUpper(m[3]), 1); ok {
			a.Step = 0
			name := "container.memory_limit"
			if m[1] == "--shm-size" {
				name = "container.shm_size"
			}
			f.Add(a.Fact(name, ""))
		}
	}
}
