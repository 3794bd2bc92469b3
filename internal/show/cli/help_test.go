package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// unnatural are words that no help text uses; see the house style of English.
var unnatural = regexp.MustCompile(`(?i)[«»]|\b(somebody|whoever|folder|beside|besides|anew|told|tells|of its own|` +
	`by hand|take it back|taken back|carry out|carried out|leave out|left out|processors?)\b`)

// TestHelpFits verifies that every help text fits 80 columns and that short lines and texts of flags are short.
func TestHelpFits(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := c.CommandPath()
		if typeset.Width(c.Short) > 60 || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the short line has more than 60 characters, or a period: %s", name, c.Short)
		}
		c.InitDefaultHelpFlag()
		text := c.Long + "\n\n" + c.UsageString()
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, "\n"); typeset.Width(line) > helpWidth {
				t.Errorf("%s: %d columns: %s", name, typeset.Width(line), line)
			}
		}
		if w := unnatural.FindString(text); w != "" {
			t.Errorf("%s: the help says %q", name, w)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, words := flagWords(f, nil); !f.Hidden && strings.HasSuffix(words, ".") {
				t.Errorf("%s: --%s: a period: %s", name, f.Name, words)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&Env{}))
}

// TestHelpFitsInEveryLanguage verifies that the help of every command fits 80 columns in every language, with the texts
// of its flags in one column, and that English is as it is written.
func TestHelpFitsInEveryLanguage(t *testing.T) {
	for _, lang := range say.Languages() {
		words, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		var walk func(*cobra.Command)
		walk = func(c *cobra.Command) {
			text := help(c, words)
			if words == nil && !strings.HasPrefix(text, c.Long) {
				t.Errorf("%s: the long text is not as it is written", c.CommandPath())
			}
			for line := range strings.Lines(text) {
				if line = strings.TrimRight(line, "\n"); typeset.Width(line) > helpWidth {
					t.Errorf("%s, %s: %d columns: %s", lang, c.CommandPath(), typeset.Width(line), line)
				}
			}
			begins := map[int]string{}
			for line := range strings.SplitSeq(flagList(c.LocalFlags(), words), "\n") {
				name, text := cutFlag(line)
				if at := typeset.Width(name); text != "" {
					begins[at] = line
				}
			}
			if len(begins) > 1 {
				t.Errorf("%s, %s: texts of flags begin in more than one column: %v", lang, c.CommandPath(), begins)
			}
			for _, sub := range c.Commands() {
				walk(sub)
			}
		}
		walk(newRoot(&Env{}))
	}
}

var flagLine = regexp.MustCompile(`^( {20,}|  (?:-\w, |    )--\S+(?: \S+)? {2,})(\S.*)$`)

// cutFlag divides a line of a list of flags before its text.
func cutFlag(line string) (name, text string) {
	if m := flagLine.FindStringSubmatch(line); m != nil {
		return m[1], m[2]
	}
	return line, ""
}

// TestHelpFollowsLang verifies that --help is in the language that --lang names, with its headings, and that a command
// line is repeated as it is.
func TestHelpFollowsLang(t *testing.T) {
	for lang, want := range map[string][]string{
		"fr": {"\nUtilisation\u00a0:\n  pgfettle undo ", "\nCodes de retour\u00a0:\n  0    succès\n"},
		"ru": {"\nИспользование:\n  pgfettle undo ", "\nКоды завершения:\n  0    успешно\n"},
		"en": {"\nUsage:\n  pgfettle undo ", "\nExit codes:\n  0    success\n"},
	} {
		out, _, code := run(t, "undo", "--help", "--lang", lang)
		for _, w := range want {
			if code != exitFine || !strings.Contains(out, w) {
				t.Errorf("%s: exit code %d, no %q in\n%s", lang, code, w, out)
			}
		}
	}
}

// TestErrorsFollowLang verifies that errors, hints and their prefixes are in one language.
func TestErrorsFollowLang(t *testing.T) {
	for lang, want := range map[string]string{
		"fr": "pgfettle\u00a0: erreur\u00a0: option inconnue --bogus\n" +
			"pgfettle\u00a0: conseil\u00a0: Listez les options\u00a0: pgfettle check --help\n",
		"ru": "pgfettle: ошибка: неизвестный ключ --bogus\npgfettle: подсказка: Список ключей: pgfettle check --help\n",
		"en": "pgfettle: error: unknown flag --bogus\npgfettle: hint: List the flags: pgfettle check --help\n",
	} {
		_, talk, code := run(t, "check", "--lang", lang, "--bogus")
		if code != exitUsage || talk != want {
			t.Errorf("%s: exit code %d\n%swant\n%s", lang, code, talk, want)
		}
	}
}

// TestFlagsAreAligned verifies that texts of flags begin in one column, which characters count for and not bytes, and
// that the name of a value is not repeated.
func TestFlagsAreAligned(t *testing.T) {
	f := pflag.NewFlagSet("x", pflag.ContinueOnError)
	f.String("for", "", "`KEY=VALUE,…` plan for the described host")
	f.String("format", "text", "`FORMAT` output format: text, json")
	f.BoolP("yes", "y", false, "do not ask")
	f.Duration("watch", 0, "`INTERVAL` refresh until interrupted, with more words than a line of eighty columns takes")
	f.Lookup("watch").NoOptDefVal = "5s"
	f.String("a-name-that-is-much-too-long-for-it", "", "`NAME` text")
	want := strings.Join([]string{
		"      --a-name-that-is-much-too-long-for-it NAME",
		"                          text",
		"      --for KEY=VALUE,…   plan for the described host",
		"      --format FORMAT     output format: text, json (default text)",
		"      --watch[=INTERVAL]  refresh until interrupted, with more words than a line",
		"                          of eighty columns takes",
		"  -y, --yes               do not ask",
	}, "\n")
	if got := flagList(f, nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestUnquotedConninfo verifies that a conninfo that the shell has split gets a hint with the command to type, and that
// no password is repeated in it.
func TestUnquotedConninfo(t *testing.T) {
	for _, c := range []struct {
		args []string
		hint string
	}{
		{[]string{"check", "host=db1", "user=x"}, "Quote the conninfo: pgfettle check 'host=db1 user=x'"},
		{[]string{"plan", "host=db1", "user=x", "password=secret"},
			"Quote the conninfo: pgfettle plan 'host=db1 user=x password=PASSWORD'"},
		{[]string{"explain", "pg:work_mem", "host=db1", "port=5433"},
			"Quote the conninfo: pgfettle explain pg:work_mem 'host=db1 port=5433'"},
		{[]string{"diagnose", "oom", "host=db1", "user=x"},
			"Quote the conninfo: pgfettle diagnose oom 'host=db1 user=x'"},
		{[]string{"diagnose", "log", "host=db1", "user=x"},
			"Quote the conninfo: pgfettle diagnose log 'host=db1 user=x'"},
		{[]string{"diagnose", "slow", "--sample", "host=db1", "user=x"},
			"Quote the conninfo: pgfettle diagnose slow --sample 'host=db1 user=x'"},
		{[]string{"move-wal", "/srv/wal", "host=db1", "user=x"},
			"Quote the conninfo: pgfettle move-wal /srv/wal 'host=db1 user=x'"},
		{[]string{"check", "a", "b"}, "pgfettle check takes at most one TARGET."},
	} {
		_, talk, code := run(t, c.args...)
		if code != exitUsage || !strings.HasSuffix(talk, "pgfettle: hint: "+c.hint+"\n") {
			t.Errorf("%v: exit code %d, %s", c.args, code, talk)
		}
		if strings.Contains(talk, "secret") {
			t.Errorf("%v: the password is shown: %s", c.args, talk)
		}
	}
}

// TestOutputToStdout verifies that "-o -" is stdout.
func TestOutputToStdout(t *testing.T) {
	var out, talk bytes.Buffer
	if code := Main(t.Context(), []string{"read", "-o", "-", "-"}, strings.NewReader("MemTotal:  16384000 kB\n"), &out,
		&talk, nil); code != 0 || !strings.HasPrefix(out.String(), "pgfettle evidence") {
		t.Errorf("exit code %d, stdout %.40q, stderr %.200q", code, out.String(), talk.String())
	}
}
