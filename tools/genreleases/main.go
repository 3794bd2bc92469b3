// Genreleases writes the table of PostgreSQL's releases from what the registries offer today: the versions of the
// server archives that pgfettle fetches, and the packages of Debian's suites. The newest of each major version wins.
//
//	go run ./genreleases -o ../internal/fact/pg/releases/releases.tsv
package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
)

func main() {
	file := flag.String("o", "", "file to rewrite, whose last days are kept")
	script := flag.String("debian", "debianreleases.sh", "script that lists the packages of Debian's suites")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *file, *script); err != nil {
		fmt.Fprintln(os.Stderr, "genreleases:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, file, script string) error {
	if file == "" {
		return errors.New("name the file with -o")
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var offered []string
	for _, ask := range []func(context.Context) ([]string, error){
		registry, func(ctx context.Context) ([]string, error) { return debian(ctx, script) },
	} {
		list, err := ask(ctx)
		if err != nil {
			return err
		}
		offered = append(offered, list...)
	}
	text, err := table(string(old), offered, time.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// caught is a transport that sends nothing: it keeps the address of the first request.
type caught struct{ first *url.URL }

var errCaught = errors.New("only the address was wanted")

func (c *caught) RoundTrip(req *http.Request) (*http.Response, error) {
	if c.first == nil {
		c.first = req.URL
	}
	return nil, errCaught
}

// maxList bounds the list of versions, which has some kilobytes.
const maxList = 4 << 20

// registry lists the versions in the registry that the servers are fetched from. Its address is known to what fetches
// them: that is started, and what it asks for first is two steps below the list of all versions.
func registry(ctx context.Context) ([]string, error) {
	dir, err := os.MkdirTemp("", "genreleases-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := &caught{}
	known := http.DefaultTransport
	http.DefaultTransport = c
	majors := scratch.Fetchable()
	_, err = scratch.Fetch(ctx, majors[len(majors)-1], scratch.FetchOptions{Dir: dir, AllowUnpinned: true})
	http.DefaultTransport = known
	if c.first == nil {
		return nil, fmt.Errorf("nothing was asked for: %w", err)
	}
	at := *c.first
	at.Path, at.RawPath, at.RawQuery = path.Join(path.Dir(path.Dir(at.Path)), "maven-metadata.xml"), "", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the registry answers %s", resp.Status)
	}
	var list struct {
		Versions []string `xml:"versioning>versions>version"`
	}
	if err := xml.NewDecoder(io.LimitReader(resp.Body, maxList)).Decode(&list); err != nil {
		return nil, fmt.Errorf("list of the registry: %w", err)
	}
	if len(list.Versions) == 0 {
		return nil, errors.New("the registry lists no version")
	}
	fmt.Fprintf(os.Stderr, "registry: %d versions\n", len(list.Versions))
	return list.Versions, nil
}

// debian lists the versions of the packages in Debian's suites.
func debian(ctx context.Context, script string) ([]string, error) {
	if !strings.Contains(script, "/") {
		script = "./" + script
	}
	cmd := exec.CommandContext(ctx, script)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", script, err)
	}
	list := strings.Fields(out.String())
	fmt.Fprintf(os.Stderr, "debian: %d versions\n", len(list))
	return list, nil
}
