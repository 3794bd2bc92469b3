// Command links follows the address of every source and prints those that do not answer, or that
// have moved for good: make links. It needs the web, so no test does this.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// atOnce is how many addresses are followed at once, and patience how long one may take: most
// of them are of few hosts, which are not to be hurried.
const (
	atOnce   = 4
	patience = 20 * time.Second
)

// follow says what is wrong with an address; "": nothing is.
func follow(client *http.Client, address string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// Some hosts do not answer to HEAD as they do to GET.
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err.Error()
	}
	r.Header.Set("User-Agent", "pgfettle make links")
	moved := ""
	c := *client
	c.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if next.Response != nil && (next.Response.StatusCode == http.StatusMovedPermanently ||
			next.Response.StatusCode == http.StatusPermanentRedirect) {
			moved = next.URL.String()
		}
		if len(via) > 9 {
			return errors.New("more than 9 redirections")
		}
		return nil
	}
	answer, err := c.Do(r)
	if err != nil {
		return err.Error()
	}
	if err := answer.Body.Close(); err != nil {
		return err.Error()
	}
	switch {
	case answer.StatusCode != http.StatusOK:
		return answer.Status
	case moved != "":
		return "moved to " + moved
	}
	return ""
}

func main() {
	of := map[string][]string{}
	for _, id := range say.SourceIDs() {
		if s, ok := say.SourceByID(id); ok && s.URL != "" {
			of[s.URL] = append(of[s.URL], id)
		}
	}
	var (
		wait  sync.WaitGroup
		mu    sync.Mutex
		wrong []string
		slots = make(chan struct{}, atOnce)
	)
	for address, ids := range of {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if what := follow(http.DefaultClient, address); what != "" {
				mu.Lock()
				defer mu.Unlock()
				wrong = append(wrong, fmt.Sprintf("%s (%v): %s", address, ids, what))
			}
		})
	}
	wait.Wait()
	slices.Sort(wrong)
	for _, w := range wrong {
		fmt.Println(w)
	}
	fmt.Printf("%d addresses, %d to look at\n", len(of), len(wrong))
	if len(wrong) > 0 {
		os.Exit(1)
	}
}
