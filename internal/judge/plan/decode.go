package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/knob"
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

// Decode reads the JSON that 'plan --format json' writes. Whoever wrote it may
// have been careless or hostile, and it will be carried out: what this program
// would not have written is an error that names it. Keys of instances are no
// part of a file; Bind finds them. about names the instances that were looked
// at, by their labels, changed or not.
func Decode(b []byte) (p *Plan, about []string, err error) {
	if len(b) > MaxFile {
		return nil, nil, fmt.Errorf("larger than %d MB", MaxFile>>20)
	}
	if !utf8.Valid(b) {
		return nil, nil, errors.New("not valid UTF-8")
	}
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if head.Schema == nil {
		return nil, nil, errors.New("no schema name")
	}
	if *head.Schema != Schema {
		return nil, nil, fmt.Errorf("schema %q, but this program reads %s", short(*head.Schema), Schema)
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
		return nil, nil, fmt.Errorf("more than %d instances", maxChanges)
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
		return fmt.Errorf("more than %d changes", maxChanges)
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
			return fmt.Errorf("change %d: %w", i+1, err)
		}
		at := place{c.Address, c.Instance}
		if seen[at] {
			return fmt.Errorf("change %d: duplicate address %s", i+1, c.Address)
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
		return fmt.Errorf("%s belongs to layer %s, not %q", c.Address, c.Address.Layer(), short(string(c.Layer)))
	}
	if (c.Layer == knob.Instance) != (c.Instance != "") && c.Layer != knob.Units {
		return fmt.Errorf("%s and instance %q do not match", c.Address, short(c.Instance))
	}
	switch c.Risk {
	case knob.Low, knob.Medium, knob.High:
	default:
		return fmt.Errorf("invalid risk %q", short(string(c.Risk)))
	}
	for _, v := range []string{string(c.Address), c.Instance, c.From, c.To, c.FromBase, c.ToBase, c.Unit, c.Title,
		c.Reason.String()} {
		if len(v) > maxText {
			return fmt.Errorf("%s: text is too long (%d kB)", short(string(c.Address)), len(v)>>10)
		}
		if strings.ContainsRune(v, 0) {
			return fmt.Errorf("%s: NUL byte in a text", short(string(c.Address)))
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

// Bind finds the instances of a plan that was read from a file, by their labels,
// among those of a snapshot. The error names one that is not there.
func (p *Plan) Bind(s *snapshot.Snapshot) error {
	key := map[string]string{}
	for i := range s.Instances {
		key[s.Instances[i].Label()] = s.Instances[i].Key
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		k, ok := key[c.Instance]
		if c.Instance != "" && !ok {
			return fmt.Errorf("instance %s not found", c.Instance)
		}
		c.Key = k
	}
	for i := range p.Shared {
		p.Shared[i].Key = key[p.Shared[i].Instance]
	}
	return nil
}
