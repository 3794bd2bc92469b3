// Command dates prints how the locales of glibc abbreviate weekdays and months, for the tests of
// readers of logs: a line a locale, its name, seven weekdays, and twelve months, with tabs between.
//
//	go run ./internal/gen/dates /usr/share/i18n/locales > internal/fact/kernlog/testdata/locales.tsv
//
// The directory is of Debian's package locales.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: dates DIR")
		os.Exit(2)
	}
	entries, err := os.ReadDir(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	seen := map[string]bool{} // many locales have the words of another
	for _, e := range entries {
		days, months, err := words(os.Args[1], e.Name())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		line := strings.Join(slices.Concat(days, months), "\t")
		if len(days) == 7 && len(months) == 12 && !seen[line] {
			seen[line] = true
			fmt.Printf("%s\t%s\n", e.Name(), line)
		}
	}
}

var (
	section = regexp.MustCompile(`(?ms)^LC_TIME$(.*?)^END LC_TIME$`)
	copied  = regexp.MustCompile(`(?m)^copy\s+"([^"]+)"`)
	list    = regexp.MustCompile(`(?m)^(abday|abmon)\s+((?:"[^"]*"\s*;?\s*/?\s*)+)`)
	quoted  = regexp.MustCompile(`"([^"]*)"`)
	escaped = regexp.MustCompile(`<U([0-9A-Fa-f]{4,8})>`)
	folded  = regexp.MustCompile(`/\n\s*`)
)

// words are the abbreviations of a locale; none if it has none of its own or of another's.
func words(dir, name string) (days, months []string, err error) {
	b, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
	if err != nil {
		return nil, nil, err
	}
	m := section.FindSubmatch(b)
	if m == nil {
		return nil, nil, nil
	}
	if c := copied.FindSubmatch(m[1]); c != nil {
		return words(dir, string(c[1]))
	}
	for _, l := range list.FindAllSubmatch(m[1], -1) {
		var found []string
		for _, w := range quoted.FindAllSubmatch(l[2], -1) {
			whole := folded.ReplaceAllString(string(w[1]), "")
			found = append(found, escaped.ReplaceAllStringFunc(whole, func(s string) string {
				n, _ := strconv.ParseInt(s[2:len(s)-1], 16, 32) // the expression leaves nothing else
				return string(rune(n))
			}))
		}
		if string(l[1]) == "abday" {
			days = found
		} else {
			months = found
		}
	}
	return days, months, nil
}
