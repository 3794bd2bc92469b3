// Package findings writes findings in the forms that other programs read: annotations of GitHub Actions, and SARIF.
package findings

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// FileGitHub writes the report as workflow commands of GitHub Actions, one line a
// finding, which appear as annotations beside the lines of the file.
func FileGitHub(w io.Writer, d document.File) error {
	var b strings.Builder
	for _, f := range d.Findings {
		props := []string{"file=" + githubProperty(f.File)}
		if f.Line > 0 {
			props = append(props, fmt.Sprintf("line=%d", f.Line))
		}
		annotate(&b, f.Finding, props, "")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// CheckGitHub writes a report on a host as annotations without a place.
func CheckGitHub(w io.Writer, d document.Check) error {
	var b strings.Builder
	for _, f := range d.Findings {
		annotate(&b, f, nil, outline.Words{}.Place(f)+": ")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func annotate(b *strings.Builder, f check.Finding, props []string, lead string) {
	props = append(props, "title="+githubProperty(f.Title+" ["+f.ID+"]"))
	fmt.Fprintf(b, "::%s %s::%s\n", githubLevel[f.Severity], strings.Join(props, ","),
		githubData(lead+f.Seen.String()+"\n"+f.Do.String()))
}

var githubLevel = map[check.Severity]string{check.Critical: "error", check.Warning: "warning", check.Notice: "notice",
	check.Info: "notice"}

// githubData escapes what follows the second colon of a workflow command, as
// GitHub's own toolkit does; what a terminal would act upon is made visible, so
// that nothing in a file can begin a command of its own.
func githubData(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = typeset.Clean(l)
	}
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(strings.Join(lines, "\n"))
}

// githubProperty escapes a value before the second colon.
func githubProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(typeset.Clean(s))
}
