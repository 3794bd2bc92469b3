package findings

import (
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The parts of SARIF 2.1.0 that are used here.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string      `json:"id"`
		URI    string      `json:"helpUri,omitempty"`
		Short  sarifText   `json:"shortDescription"`
		Full   sarifText   `json:"fullDescription"`
		Help   sarifText   `json:"help"`
		Config sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID     string             `json:"ruleId"`
		RuleIndex  int                `json:"ruleIndex"`
		Level      string             `json:"level"`
		Message    sarifText          `json:"message"`
		Locations  []sarifLocation    `json:"locations"`
		Suppressed []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

var sarifLevel = map[check.Severity]string{check.Critical: "error", check.Warning: "warning", check.Notice: "note",
	check.Info: "note"}

// FileSARIF writes the report in the Static Analysis Results Interchange Format,
// which code hosts and editors read. version is the program's.
func FileSARIF(w io.Writer, d document.File, version string) error {
	s := newSarif(version)
	for _, f := range d.Findings {
		at := sarifLocation{Physical: &sarifPhysical{Artifact: sarifArtifact{URI: fileURI(f.File)}}}
		if f.Line > 0 {
			at.Physical.Region = &sarifRegion{StartLine: f.Line}
		}
		s.add(f.Finding, at)
	}
	for _, a := range d.Accepted {
		at := sarifLocation{Physical: &sarifPhysical{Artifact: sarifArtifact{URI: fileURI(a.File)}}}
		if a.Line > 0 {
			at.Physical.Region = &sarifRegion{StartLine: a.Line}
		}
		s.add(a.Finding.Finding, at)
		s.suppress(check.Accepted{Expires: a.Expires, Reason: a.Reason})
	}
	return json.Write(w, s)
}

// CheckSARIF writes a report on a host: its findings are in no file. What the policy accepts is a suppressed result.
func CheckSARIF(w io.Writer, d document.Check, version string) error {
	s := newSarif(version)
	for _, f := range d.Findings {
		s.add(f, sarifLocation{Logical: []sarifLogical{{Name: outline.Words{}.Place(f), Kind: "resource"}}})
	}
	for _, a := range d.Accepted {
		s.add(a.Finding, sarifLocation{Logical: []sarifLogical{{Name: outline.Words{}.Place(a.Finding),
			Kind: "resource"}}})
		s.suppress(a)
	}
	return json.Write(w, s)
}

// suppress marks the last result as accepted.
func (s *sarifLog) suppress(a check.Accepted) {
	r := s.Runs[0].Results
	r[len(r)-1].Suppressed = []sarifSuppression{{Kind: "external",
		Justification: typeset.Clean(outline.Until(a).String() + ": " + a.Reason)}}
}

func newSarif(version string) *sarifLog {
	return &sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{Driver: sarifDriver{Name: "pgfettle", Version: version,
			Rules: []sarifRule{}}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}}}
}

func (s *sarifLog) add(f check.Finding, at sarifLocation) {
	run := &s.Runs[0]
	index := -1
	for i, r := range run.Tool.Driver.Rules {
		if r.ID == f.ID {
			index = i
		}
	}
	if index < 0 {
		index = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: f.ID, URI: helpURI(f.Sources),
			Short:  sarifText{f.Title},
			Full:   sarifText{f.Why},
			Help:   sarifText{"More: pgfettle explain " + f.ID + ". Sources: " + sourcesOf(f.Sources) + "."},
			Config: sarifConfig{sarifLevel[f.Severity]}})
	}
	run.Results = append(run.Results, sarifResult{RuleID: f.ID, RuleIndex: index, Level: sarifLevel[f.Severity],
		Message:   sarifText{typeset.Clean(f.Seen.String()) + " " + typeset.Clean(f.Do.String())},
		Locations: []sarifLocation{at}})
}

// helpURI is the first source that has an address: what a code host links the name of the check to.
func helpURI(sources []say.Source) string {
	for _, s := range sources {
		if s.URL != "" {
			return s.URL
		}
	}
	return ""
}

func sourcesOf(sources []say.Source) string {
	var out []string
	for _, s := range sources {
		if s.Publisher != "" { // a known one
			out = append(out, s.Publisher+", "+s.Title)
		}
	}
	return strings.Join(out, "; ")
}

// fileURI makes a URI of a path: relative ones stay so, as code hosts resolve
// them against the checkout.
func fileURI(p string) string {
	u := url.URL{Path: path.Clean(p)}
	if path.IsAbs(p) {
		u.Scheme = "file"
	}
	return u.String()
}
