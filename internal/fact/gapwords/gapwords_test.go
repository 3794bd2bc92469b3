package gapwords

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

func open(t testing.TB, lang string) *say.Catalogue {
	t.Helper()
	c, err := say.Open(lang)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func every() []say.Template { return slices.Concat(kinds...) }

// filled is a template with something in each placeholder.
func filled(t say.Template) string {
	text := string(t)
	for _, name := range say.Placeholders(text) {
		fill := "/a b"
		switch {
		case slices.Contains(amounts, name):
			fill = "1.5 GB"
		case name == "time":
			fill = "5s"
		case name == "span":
			fill = "1 h 20 min"
		case name == "word":
			fill = "word"
		case name == "reason":
			fill = "permission denied"
		}
		text = strings.ReplaceAll(text, "{"+name+"}", fill)
	}
	return text
}

// TestEnglishStays verifies that every text reads in English as it was written, and is recognized.
func TestEnglishStays(t *testing.T) {
	seen := map[say.Template]bool{}
	for _, tm := range every() {
		if seen[tm] {
			t.Errorf("%q stands twice", tm)
		}
		seen[tm] = true
		text := filled(tm)
		if !Has(text) {
			t.Errorf("%q is not recognized", text)
		}
		if got := Of(text).English(); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got := In(nil, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestEveryLanguageHasThem verifies that each is worded in each language, with everything it names.
func TestEveryLanguageHasThem(t *testing.T) {
	sameAsEnglish := regexp.MustCompile(
		`^(GRANT |chmod |systemctl show |modprobe |pgfettle diagnose memory --pss$|server_version_num )`)
	for _, lang := range say.Languages() {
		if lang == say.English {
			continue
		}
		c := open(t, lang)
		for _, tm := range every() {
			text := filled(tm)
			got := In(c, text)
			if got == text && !sameAsEnglish.MatchString(text) {
				t.Errorf("%s: %q is still English", lang, text)
			}
			if strings.Contains(got, "{") {
				t.Errorf("%s: %q has a placeholder left", lang, got)
			}
		}
	}
}

func TestIn(t *testing.T) {
	const n = "\u00a0"
	for _, tt := range []struct{ english, fr, ru string }{
		{"the server runs on another host", "le serveur s'exécute sur un autre hôte",
			"сервер работает на другом хосте"},
		{"no answer within 5s", "pas de réponse en 5" + n + "s", "нет ответа за 5" + n + "с"},
		{"no answer within 2m0s", "pas de réponse en 2" + n + "min", "нет ответа за 2" + n + "мин"},
		{"add cpus=N", "ajoutez cpus=N", "добавьте cpus=N"},
		{"its end was left out: only 1.5 GB of it are read",
			"sa fin a été omise" + n + ": seuls 1,5" + n + "Go sont lus",
			"конец пропущен: читается только 1,5" + n + "ГБ"},
		{`malformed: line 3: "x" is not a whole number`,
			"contenu mal formé" + n + ": ligne 3" + n + ": «" + n + "x" + n + "» n'est pas un nombre entier",
			"неверный формат: строка 3: «x» — не целое число"},
		// As an error joins a message and its detail, also that of a server.
		{"the connection to /tmp:5432 failed: connection refused",
			"la connexion à /tmp:5432 a échoué" + n + ": connexion refusée", ""},
		{`rôle "x" inexistant: the server at /tmp:5432 refused the connection`,
			`rôle "x" inexistant` + n + ": le serveur /tmp:5432 a refusé la connexion", ""},
		// Errors that are joined.
		{"no such file\nnot ready within 10s\nxyzzy",
			"fichier inexistant\npas prêt en 10" + n + "s\nxyzzy", ""},
		// The template with the most text of its own.
		{"malformed: more than 500 entries", "contenu mal formé" + n + ": plus de 500 entrées",
			"неверный формат: число записей больше 500"},
		// Unknown text stays.
		{"Netzwerk ist unerreichbar", "Netzwerk ist unerreichbar", "Netzwerk ist unerreichbar"},
		{"only some are available, too little to take some", "only some are available, too little to take some", ""},
		{"", "", ""},
	} {
		for lang, want := range map[string]string{"fr": tt.fr, "ru": tt.ru} {
			if got := In(open(t, lang), tt.english); got != want && (want != "" || tt.english == "") {
				t.Errorf("%s: %q, want %q", lang, got, want)
			}
		}
		if got := In(nil, tt.english); got != tt.english {
			t.Errorf("%q became %q", tt.english, got)
		}
	}
}

// TestReasonsWithin verifies that a reason within a reason is examined, and not forever.
func TestReasonsWithin(t *testing.T) {
	fr := open(t, "fr")
	deep := strings.Repeat("malformed: ", 3) + "no such file"
	if got := In(fr, deep); strings.Contains(got, "malformed") || strings.Contains(got, "file") {
		t.Errorf("%q is not all French", got)
	}
	deeper := strings.Repeat("malformed: ", 9) + "no such file"
	if got := In(fr, deeper); !strings.HasSuffix(got, "no such file") || strings.HasPrefix(got, "malformed") {
		t.Errorf("%q", got)
	}
	long := "malformed: " + strings.Repeat("x", longest)
	if got := In(fr, long); got != long {
		t.Error("a very long text was looked at")
	}
}

// TestArg verifies that an argument never breaks the line of its message.
func TestArg(t *testing.T) {
	for _, text := range []string{"malformed: a\nb", "a\n\nb", "no such file\r\nb", "\n"} {
		m := say.M("{reason}.", "reason", Arg(text))
		if got := m.In(open(t, "fr")); strings.ContainsAny(got, "\r\n") {
			t.Errorf("%q", got)
		}
		if got, want := m.English(), say.M("{reason}.", "reason", text).English(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWorstCaseIsQuick verifies that no text makes the search long: the bound is far above what it takes.
func TestWorstCaseIsQuick(t *testing.T) {
	fr := open(t, "fr")
	for _, part := range []string{": ", "malformed: ", "line 1: ", "row 1: ", "x: is not a ", "1 ", "\"", "{", " is "} {
		text := strings.Repeat(part, longest/len(part))
		if got := testing.AllocsPerRun(1, func() { In(fr, text) }); got > 200_000 {
			t.Errorf("%q: %.0f allocations", fmt.Sprintf("%.20s", text), got)
		}
	}
}

func FuzzIn(f *testing.F) {
	for _, tm := range every() {
		f.Add(filled(tm))
		f.Add(string(tm))
	}
	f.Add("malformed: row 1: line 2: \"\x00\" is not a\nnumber: {reason}")
	fr, ru := open(f, "fr"), open(f, "ru")
	f.Fuzz(func(t *testing.T, text string) {
		if got := In(nil, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got := Of(text).English(); got != text {
			t.Errorf("%q is %q in English", text, got)
		}
		if len(text) > longest && In(fr, text) != text {
			t.Errorf("a text of %d bytes was looked at", len(text))
		}
		In(ru, text)
		say.M("{reason}", "reason", Arg(text)).In(fr)
	})
}
