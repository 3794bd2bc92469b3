package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// The bounds of a plan that is read from a file. A plan has some fifty changes
// an instance and a host some dozens of instances at most; a reason is a
// sentence or two.
const (
	MaxFile    = 8 << 20
	maxChanges = 10_000
	maxText    = 64 << 10
)

// ErrNewCluster is that a plan is for the new cluster of an upgrade: its values are not for the server that is there.
var ErrNewCluster = say.Err("it is for the new cluster of an upgrade, and the server of this host is the old one")

// Decode reads the JSON that 'plan --format json' writes. Its author may have been careless or hostile, and it will be
// applied: what this program would not have written is an error that names it. Keys of instances are no part of a file;
// Bind finds them. about names the instances that were inspected, by their labels, changed or not.
func Decode(b []byte) (p *Plan, about []string, err error) {
	if len(b) > MaxFile {
		return nil, nil, say.Err("larger than {size}", "size", unit.Bytes(MaxFile))
	}
	if !utf8.Valid(b) {
		return nil, nil, errors.New("not valid UTF-8")
	}
	var head struct {
		Schema  *string         `json:"schema"`
		Upgrade json.RawMessage `json:"upgrade_to"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, nil, say.Err("not valid JSON: {error}", "error", err)
	}
	if head.Schema == nil {
		return nil, nil, errors.New("no schema name")
	}
	if *head.Schema != Schema {
		return nil, nil, say.Err("schema {schema}, but this program reads {known}",
			"schema", say.Quoted(short(*head.Schema)),
			"known", Schema)
	}
	if head.Upgrade != nil {
		return nil, nil, ErrNewCluster
	}
	var file struct {
		*Plan
		Subject struct {
			Host      string `json:"host"`
			HostSeen  bool   `json:"host_seen"`
			Instances []struct {
				Label   string `json:"label"`
				Version string `json:"version"`
				State   string `json:"state"`
				Asked   bool   `json:"asked"`
			} `json:"instances"`
		} `json:"subject"`
	}
	file.Plan = &Plan{}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("data after the end of the plan")
	}
	if err := file.Plan.valid(); err != nil {
		return nil, nil, err
	}
	if len(file.Subject.Instances) > maxChanges {
		return nil, nil, say.Err("more than {n} instances", "n", strconv.Itoa(maxChanges))
	}
	for _, in := range file.Subject.Instances {
		about = append(about, in.Label)
	}
	return file.Plan, about, nil
}

func (p *Plan) valid() error {
	if len(p.Snapshot) != 64 || strings.Trim(p.Snapshot, "0123456789abcdef") != "" {
		return errors.New("no snapshot hash")
	}
	if len(p.Changes) > maxChanges {
		return say.Err("more than {n} changes", "n", strconv.Itoa(maxChanges))
	}
	if _, err := rule.ParseProfile(string(p.Profile)); err != nil {
		return err
	}
	type place struct {
		address  knob.Address
		instance string
	}
	seen := map[place]bool{}
	for i := range p.Changes {
		c := &p.Changes[i]
		if err := c.valid(); err != nil {
			return say.Err("change {n}: {error}", "n", strconv.Itoa(i+1), "error", err)
		}
		at := place{c.Address, c.Instance}
		if seen[at] {
			return say.Err("change {n}: duplicate address {address}", "n", strconv.Itoa(i+1),
				"address", string(c.Address))
		}
		seen[at] = true
	}
	return nil
}

func (c *Change) valid() error {
	if _, err := knob.Parse(string(c.Address)); err != nil {
		return err
	}
	if c.Layer != c.Address.Layer() {
		return say.Err("{address} belongs to layer {layer}, not {other}", "address", string(c.Address),
			"layer", string(c.Address.Layer()), "other", say.Quoted(short(string(c.Layer))))
	}
	if (c.Layer == knob.Instance) != (c.Instance != "") && c.Layer != knob.Units {
		return say.Err("{address} and instance {instance} do not match", "address", string(c.Address),
			"instance", say.Quoted(short(c.Instance)))
	}
	switch c.Risk {
	case knob.Low, knob.Medium, knob.High:
	default:
		return say.Err("invalid risk {value}", "value", say.Quoted(short(string(c.Risk))))
	}
	for _, v := range []string{string(c.Address), c.Instance, c.From, c.To, c.FromBase, c.ToBase, c.Unit, c.Title,
		c.Reason.String()} {
		if len(v) > maxText {
			return say.Err("{address}: text is too long ({size})", "address", short(string(c.Address)),
				"size", say.Number(strconv.Itoa(len(v)>>10)+" kB"))
		}
		if strings.ContainsRune(v, 0) {
			return say.Err("{address}: NUL byte in a text", "address", short(string(c.Address)))
		}
	}
	return nil
}

// short is enough of a text to find it in a file.
func short(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

// Bind finds the instances of a plan that was read from a file, by their labels, among those of a snapshot. The error
// names one that does not exist.
func (p *Plan) Bind(s *snapshot.Snapshot) error {
	key := map[string]string{}
	for i := range s.Instances {
		key[s.Instances[i].Label()] = s.Instances[i].Key
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		k, ok := key[c.Instance]
		if c.Instance != "" && !ok {
			return say.Err("instance {instance} not found", "instance", c.Instance)
		}
		c.Key = k
	}
	for i := range p.Shared {
		p.Shared[i].Key = key[p.Shared[i].Instance]
	}
	return nil
}
