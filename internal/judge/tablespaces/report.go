package tablespaces

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Schema names the version of the JSON form of Report.
const Schema = "pgfettle.tablespace/1"

// Report is the tablespaces of one instance: where they are, what they hold, what their devices cost, and which
// filesystems hold nothing of the instance. An unknown amount is omitted, and Unknown says why.
type Report struct {
	Schema   string    `json:"schema"`
	TakenAt  int64     `json:"taken_at"` // seconds since the epoch, by the host's clock
	Instance string    `json:"instance"`
	Version  string    `json:"version,omitempty"`
	Temp     *string   `json:"temp_tablespaces,omitempty"`
	Spaces   []Space   `json:"tablespaces"`
	Unused   []Volume  `json:"unused"` // filesystems on devices that hold nothing of the instance, the most free first
	Findings []Finding `json:"findings"`
	Unknown  []gap.Gap `json:"unknown"`
}

// Space is one tablespace.
type Space struct {
	Name     string      `json:"name"`
	Location string      `json:"location,omitempty"` // real directory; "" if it is not known
	Volume   *Volume     `json:"filesystem,omitempty"`
	Size     *unit.Bytes `json:"bytes,omitempty"`
	Costs    []Cost      `json:"costs"`
	Contents []Content   `json:"contents"` // of each database that has something there
	Default  []string    `json:"default_of"`
	ForTemp  bool        `json:"for_temporary_files"`
	Temp     *Amount     `json:"temporary_files,omitempty"` // that are there now
}

// Volume is a filesystem.
type Volume struct {
	Point  string      `json:"point"`
	Type   string      `json:"type"`
	Source string      `json:"source"`
	Total  *unit.Bytes `json:"total_bytes,omitempty"`
	Free   *unit.Bytes `json:"free_bytes,omitempty"`
}

// Amount is a number of things and their size.
type Amount struct {
	Count int64      `json:"count"`
	Bytes unit.Bytes `json:"bytes"`
}

// Content is what one database has in a tablespace.
type Content struct {
	Database  string `json:"database"`
	Tables    Amount `json:"tables"` // and materialized views
	Indexes   Amount `json:"indexes"`
	Toast     Amount `json:"toast"`     // with its indexes
	Temporary Amount `json:"temporary"` // temporary tables of sessions
	System    Amount `json:"system"`    // catalogs and sequences
}

// Finding is a finding of a check that is about tablespaces.
type Finding struct {
	ID       string      `json:"id"`
	Severity string      `json:"severity"`
	Title    string      `json:"title"`
	Seen     say.Message `json:"seen"`
}

// checksOf are the checks that are about tablespaces.
var checksOf = []string{"tablespace_in_pgdata", "pgdata_is_mount_point", "tablespaces_same_device",
	"temp_tablespaces_place", "tablespace_costs"}

// Holding is what a server was asked about its tablespaces, by their oid. What is missing in a map is unknown.
type Holding struct {
	Sizes    map[int64]unit.Bytes
	Temp     map[int64]Amount
	Contents map[int64][]Content
	Default  map[int64][]string
	Unknown  []gap.Gap
}

// Input is what Look rests on beside the snapshot.
type Input struct {
	Holding Holding
	Rooms   []host.Space // of filesystems that hold nothing of the instance
	Checks  []check.Check
	Rules   []rule.Rule
	Options rule.Options
}

// Look puts together what is known of the tablespaces of an instance.
func Look(s *snapshot.Snapshot, in *snapshot.Instance, l Input) (*Report, error) {
	r := &Report{Schema: Schema, TakenAt: s.TakenAt, Instance: in.Label(), Version: in.Version(), Spaces: []Space{},
		Unused: []Volume{}, Findings: []Finding{}, Unknown: append([]gap.Gap{}, l.Holding.Unknown...)}
	if set, ok := in.Server.Settings.Get(); ok {
		if temp, ok := set.Text("temp_tablespaces"); ok {
			r.Temp = &temp
		}
	}
	spaces, ok := in.Server.Tablespaces.Get()
	if !ok {
		r.Unknown = gap.Add(r.Unknown, gap.Of(in.Server.Tablespaces.Gap()))
	}
	places, ok := in.Places.Get()
	if !ok {
		r.Unknown = gap.Add(r.Unknown, gap.Of(in.Places.Gap()))
	}
	out, err := rule.Decide(s, l.Rules, l.Options)
	if err != nil {
		return nil, err
	}
	rooms, _ := s.Host.Spaces.Get()
	for _, t := range spaces {
		r.Spaces = append(r.Spaces, r.space(s, t, places, rooms, &l.Holding))
		sp := &r.Spaces[len(r.Spaces)-1]
		sp.Costs = costsOf(out, in.Key, t.Name)
	}
	r.Unused = unused(s, places, l.Rooms)
	for _, f := range check.Run(s, l.Checks, check.Options{Only: checksOf}).Findings {
		if f.Instance == in.Label() {
			r.Findings = append(r.Findings, Finding{f.ID, f.Severity.String(), f.Title, f.Seen})
		}
	}
	return r, nil
}

// space is what is known of one tablespace.
func (r *Report) space(s *snapshot.Snapshot, t pg.Tablespace, places []snapshot.Place, rooms []host.Space,
	h *Holding) Space {
	sp := Space{Name: t.Name, Location: t.Location, Contents: append([]Content{}, h.Contents[t.OID]...),
		Default: append([]string{}, h.Default[t.OID]...), Costs: []Cost{}}
	if b, ok := h.Sizes[t.OID]; ok {
		sp.Size = &b
	}
	if a, ok := h.Temp[t.OID]; ok {
		sp.Temp = &a
	}
	sp.ForTemp = r.Temp != nil && slices.Contains(conf.SplitList(*r.Temp), t.Name)
	i := slices.IndexFunc(places, func(p snapshot.Place) bool {
		if t.Location == "" {
			return p.Role == snapshot.DataPlace
		}
		return p.Role == snapshot.TablespacePlace && p.Tablespace == strconv.FormatInt(t.OID, 10)
	})
	if i < 0 {
		r.Unknown = gap.Add(r.Unknown, gap.Gap{Fact: say.M("filesystem of tablespace {name}", "name",
			say.Quoted(t.Name)),
			Reason: say.M("its directory could not be read"),
			Reveal: say.M("run pgfettle as root or as the owner of the data directory")})
		return sp
	}
	sp.Location = places[i].Path
	if m, ok := s.MountOf(places[i].Path); ok {
		v := volume(m)
		if room, ok := s.SpaceAt(rooms, places[i].Path); ok {
			v.Total, v.Free = &room.Total, &room.Free
		}
		sp.Volume = &v
	}
	return sp
}

func volume(m host.Mount) Volume { return Volume{Point: m.Point, Type: m.FSType, Source: m.Source} }

// keeping are the filesystems that could hold tables.
var keeping = []string{"ext4", "ext3", "ext2", "xfs", "btrfs", "zfs", "f2fs", "jfs", "bcachefs"}

// Candidates are the mounts that could hold a tablespace and hold nothing of the instance, each device once.
func Candidates(s *snapshot.Snapshot, in *snapshot.Instance) (out []host.Mount) {
	mounts, _ := s.Host.Mounts.Get()
	places, _ := in.Places.Get()
	used := map[string]bool{}
	for _, p := range places {
		used[p.Device] = true
		if m, ok := s.MountOf(p.Path); ok {
			used[m.Device], used[m.Source] = true, true
		}
	}
	for _, m := range mounts {
		system := slices.ContainsFunc([]string{"/boot", "/efi", "/snap", "/run", "/proc", "/sys", "/dev"},
			func(top string) bool { return below(m.Point, top) })
		if used[m.Device] || used[m.Source] || system || m.Has("ro") || !slices.Contains(keeping, m.FSType) {
			continue
		}
		used[m.Device], used[m.Source] = true, true
		out = append(out, m)
	}
	return out
}

// unused are the filesystems of Candidates whose room is known.
func unused(s *snapshot.Snapshot, places []snapshot.Place, rooms []host.Space) []Volume {
	out := []Volume{}
	if len(places) == 0 {
		return out // what is in use is not known
	}
	for _, room := range rooms {
		m, ok := s.MountOf(room.Path)
		if !ok {
			continue
		}
		v := volume(m)
		v.Total, v.Free = &room.Total, &room.Free
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b Volume) int { return cmp.Compare(*b.Free, *a.Free) })
	return out
}

// Changes are the options that the devices want otherwise.
func (r *Report) Changes() (out []Change) {
	for _, sp := range r.Spaces {
		for _, c := range sp.Costs {
			if c.Changes() {
				out = append(out, Change{sp.Name, c})
			}
		}
	}
	return out
}

// Change is an option of a tablespace that should be another.
type Change struct {
	Space string
	Cost
}

// Unasked is the holding of a server that could not be asked.
func Unasked(reason, reveal say.Message) Holding {
	return Holding{Unknown: []gap.Gap{{Fact: say.M("contents of the tablespaces"), Reason: reason, Reveal: reveal}}}
}

// In returns the report in the language of a catalog.
func (r *Report) In(c *say.Catalogue) *Report {
	if c == nil {
		return r
	}
	out := *r
	out.Unknown, out.Findings, out.Spaces = gap.In(r.Unknown, c), slices.Clone(r.Findings), slices.Clone(r.Spaces)
	for i := range out.Findings {
		f := &out.Findings[i]
		f.Title, f.Seen = c.Text(f.Title), f.Seen.Translated(c)
	}
	for i := range out.Spaces {
		sp := &out.Spaces[i]
		sp.Costs = slices.Clone(sp.Costs)
		for j := range sp.Costs {
			sp.Costs[j].Reason = sp.Costs[j].Reason.Translated(c)
		}
	}
	return &out
}

// Addresses are those of the options that should be changed, for apply --only.
func Addresses(list []Change) (out []string) {
	for _, c := range list {
		out = append(out, string(knob.Tablespace(c.Space, c.Option)))
	}
	return out
}
