package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// The documents of an experiment, in the directory that the user chose.
const (
	resultName = experiment.ResultFile // the document; replaced as a whole after each block
	// every run as it was measured, those of blocks that were never finished too; only added to
	rawName  = "runs.jsonl"
	planName = "experiment.json" // what was asked for: what a resumed one has to agree with
)

// documents is where the documents go.
type documents interface {
	read(name string) ([]byte, error) // fs.ErrNotExist if there is none
	put(name string, b []byte) error
	add(name string, line []byte) error
}

// Stored is an experiment as its directory holds it, for resuming it.
type Stored struct {
	Schema      string                      `json:"schema"`
	Name        string                      `json:"experiment,omitempty"`
	A           experiment.Configuration    `json:"a"`
	B           experiment.Configuration    `json:"b,omitzero"`
	Design      string                      `json:"design"`
	Metric      string                      `json:"metric"`
	Spec        experiment.Spec             `json:"spec"`
	Workload    experiment.MeasuredWorkload `json:"workload"`
	Identity    string                      `json:"workload_identity"`
	Asked       loadgen.Asked               `json:"workload_asked,omitzero"`
	Restore     string                      `json:"restore"`
	Scratch     string                      `json:"scratch"`
	Binaries    string                      `json:"binaries"`             // bin directory
	Second      string                      `json:"binaries_b,omitempty"` // of configuration B, if not those of A
	Database    string                      `json:"database,omitempty"`   // existing one of A, without a password
	DatabaseB   string                      `json:"database_b,omitempty"`
	Fills       []string                    `json:"loaded_databases,omitempty"` // those that were empty
	Server      string                      `json:"server"`                     // its version, of both
	Program     string                      `json:"server_sha256"`              // of the postgres executable, of both
	Host        experiment.Host             `json:"host"`
	Fingerprint string                      `json:"fingerprint"`
}

const storedSchema = "pgfettle.experiment/1"

// stored is an experiment as it will be kept; program is the hash of postgres.
func (e *Order) stored(program string) Stored {
	s := Stored{Schema: storedSchema, Name: e.Name, A: e.A, B: e.B, Design: e.Design, Metric: e.Metric, Spec: e.Spec,
		Workload: e.Load.Describe(e.Scale),
		Identity: e.Load.Identity(), Asked: e.Asked, Restore: e.Restore, Scratch: e.Scratch, Binaries: e.Binaries.Dir,
		Server: e.Binaries.Version.String(), Program: program, Host: e.Host}
	if e.Second.Dir != "" {
		s.Second, s.Server = e.Second.Dir, s.Server+" "+e.Second.Version.String()
	}
	if e.On != nil {
		s.Database, s.DatabaseB, s.Fills, s.Server = e.Database, e.DatabaseB, e.Fills, e.On.Version.String()
	}
	s.Fingerprint = s.print()
	return s
}

// print is a hash over everything that makes two runs comparable. Where the scratch directory and the binaries lie does
// not: what they are does.
func (s Stored) print() string {
	b, err := json.Marshal([]any{s.A, s.B, s.Design, s.Metric, s.Spec, s.Workload.Name, s.Workload.Scale, s.Identity,
		s.Restore, s.Server, s.Program,
		s.Host.Kernel, s.Host.CPUs, s.Host.Memory})
	if err != nil {
		panic(err) // numbers and words; a rate that is not a number is refused before
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// differs names the first thing in which two experiments differ; "": none.
func (s Stored) differs(t Stored) string {
	js := func(v any) string {
		b, _ := json.Marshal(v)
		return string(b)
	}
	for _, p := range []struct {
		what string
		a, b any
	}{
		{"the PostgreSQL program", s.Server + s.Program, t.Server + t.Program},
		{"the settings of configuration A", s.A, t.A}, {"the settings of configuration B", s.B, t.B},
		{"the workload or its data", []any{s.Identity, s.Workload.Name, s.Workload.Scale, s.Restore},
			[]any{t.Identity, t.Workload.Name, t.Workload.Scale, t.Restore}},
		{"the design", []any{s.Design, s.Metric}, []any{t.Design, t.Metric}},
		{"clients, duration or another number of the experiment", s.Spec, t.Spec},
		{"the host", []any{s.Host.Kernel, s.Host.CPUs, s.Host.Memory},
			[]any{t.Host.Kernel, t.Host.CPUs, t.Host.Memory}},
	} {
		if js(p.a) != js(p.b) {
			return p.what
		}
	}
	return ""
}

// mostStored bounds experiment.json: two configurations of all 380 parameters are 40 kB, and
// 40 statements with a hundred values for each parameter some megabytes.
const mostStored = 32 << 20

// ReadStored reads what an experiment's directory says that it is.
func ReadStored(dir string) (Stored, error) { return readStored(folder{path: dir}) }

func readStored(s documents) (Stored, error) {
	var st Stored
	b, err := s.read(planName)
	if err != nil {
		return st, err
	}
	if len(b) > mostStored {
		return st, say.Named(planName, say.Err("{n} bytes, more than {most}", "n", strconv.Itoa(len(b)),
			"most", strconv.Itoa(mostStored)))
	}
	if err := json.Unmarshal(b, &st); err != nil {
		return st, say.Named(planName, err)
	}
	if st.Schema != storedSchema {
		return st, say.Named(planName, say.Err("schema {value}, not {other}", "value", say.Quoted(st.Schema),
			"other", say.Quoted(storedSchema)))
	}
	if st.Fingerprint != st.print() {
		return st, say.Named(planName, say.Err("was changed since it was written"))
	}
	return st, nil
}

// document returns the document to go on with: a new one, or where an experiment
// is resumed the one that is kept.
func document(e *Order, s documents, program string, resume bool) (*experiment.Result, error) {
	want := e.stored(program)
	have, err := readStored(s)
	switch {
	case errors.Is(err, fs.ErrNotExist) && resume:
		return nil, &say.Problem{Message: say.M("there is no experiment to resume in {dir}", "dir", e.Dir),
			Code: say.CodeUsage}
	case err == nil && !resume:
		return nil, &say.Problem{Message: say.M("there is an experiment in {dir} already", "dir", e.Dir),
			Hint: say.M("resume it, or choose another directory"), Code: say.CodeUsage}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil:
		if what := have.differs(want); what != "" {
			return nil, &say.Problem{Message: say.M("the experiment in {dir} cannot continue: {what} differs from "+
				"its first run", "dir", e.Dir, "what", what),
				Hint: say.M("runs under different conditions are not one experiment; start a new one in another " +
					"directory"),
				Code: say.CodeRefused}
		}
	default:
		b, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			return nil, err
		}
		if err := s.put(planName, append(b, '\n')); err != nil {
			return nil, err
		}
	}
	b, err := s.read(resultName)
	if err == nil {
		return continued(b, e.Spec)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	spec := e.Spec
	spec.Restore = e.Restore
	r := &experiment.Result{Schema: experiment.ResultSchema, Program: e.Program, Name: e.Name, Design: e.Design,
		Metric: e.Metric, A: e.A.Measured(),
		Workload: want.Workload, Spec: spec, Host: e.Host, Blocks: []experiment.Block{},
		Notes: notesOf(e.Notes)}
	if e.Design != experiment.DesignSingle {
		r.B = e.B.Measured()
	}
	switch {
	case e.Second.Dir != "":
		r.A.Server, r.B.Server = e.Binaries.Version.String(), e.Second.Version.String()
	case e.On != nil:
		r.A.Database, r.B.Database = e.Database, e.DatabaseB
		if e.OnB != nil && e.OnB.Version != e.On.Version {
			r.A.Server, r.B.Server = e.On.Version.String(), e.OnB.Version.String()
		}
	}
	return r, nil
}

// continued is a document that is there, with the blocks that were added to its experiment since.
func continued(b []byte, spec experiment.Spec) (*experiment.Result, error) {
	r, err := experiment.DecodeResult(b)
	if err != nil {
		return nil, err
	}
	if r.Spec.Extended < spec.Extended {
		r.Spec.Blocks, r.Spec.Extended, r.Ended = spec.Blocks, spec.Extended, ""
		r.Judge()
	}
	return r, nil
}

// extend adds blocks to an experiment that did not decide: to what is kept of it first, from which the document
// follows.
func extend(s documents, st Stored, more int) (Stored, error) {
	refuse := func(m, hint say.Message) (Stored, error) {
		return st, &say.Problem{Message: m, Hint: hint, Code: say.CodeRefused}
	}
	b, err := s.read(resultName)
	if err != nil {
		return st, err
	}
	r, err := continued(b, st.Spec)
	switch {
	case err != nil:
		return st, err
	case r.Ended == "":
		return refuse(say.M("the experiment has not come to its end"), say.M("resume it without --more first"))
	case r.Design == experiment.DesignSingle:
		return refuse(say.M("nothing is compared, so there is nothing to decide"), say.M("begin a new one"))
	case r.Word == stat.Improved || r.Word == stat.Regressed || r.Word == stat.Equivalent:
		return refuse(say.M("the experiment has its verdict: {verdict}", "verdict", string(r.Word)),
			say.M("more blocks are for one that did not decide; to confirm it, run it again with another --seed"))
	case r.Spec.Extended >= experiment.MostExtended:
		return refuse(say.M("blocks were added to the experiment {n} times already", "n", r.Spec.Extended),
			say.M("begin a new one, with more blocks or longer runs"))
	}
	st.Spec.Blocks = r.N + more
	st.Spec.Extended++
	st.Fingerprint = st.print()
	if b, err = json.MarshalIndent(st, "", "  "); err != nil {
		return st, err
	}
	return st, s.put(planName, append(b, '\n'))
}

// notesOf are notes as the document has them: in English, and none if there are none. What shows the document knows
// them again, by gapwords.
func notesOf(list []say.Message) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.English())
	}
	return out
}

// save judges a document and writes it.
func save(s documents, r *experiment.Result) error {
	r.Judge()
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return s.put(resultName, append(b, '\n'))
}

// raw is a line of runs.jsonl.
type raw struct {
	Block int            `json:"block"`
	Order string         `json:"order"`
	Seed  uint64         `json:"seed"`
	Run   experiment.Run `json:"run"`
}

// privately is the mode of what no other user may read.
const privately = 0o600

// folder is a folder on disk that documents are in.
type folder struct {
	path string
	mode fs.FileMode // of the files
}

// folderOf is the folder of an experiment; scripts that contain values from the user's tables are readable by that user
// only.
func folderOf(e *Order) folder { return folder{e.Dir, modeOf(e.Load)} }

func modeOf(load loadgen.Load) fs.FileMode {
	if p, ok := load.(interface{ Private() bool }); ok && p.Private() {
		return privately
	}
	return 0o644
}

func (f folder) read(name string) ([]byte, error) {
	return (&target.Local{}).ReadFile(filepath.Join(f.path, name), 64<<20) // a document is at most half of it
}

func (f folder) put(name string, b []byte) error {
	return (&target.Local{}).Put(filepath.Join(f.path, name), b, f.mode, os.Geteuid(), os.Getegid())
}

func (f folder) add(name string, line []byte) error {
	w, err := os.OpenFile(filepath.Join(f.path, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, f.mode)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return errors.Join(err, w.Sync(), w.Close())
}
