package say_test

import (
	"strings"
	"testing"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

const head = "msgid \"\"\nmsgstr \"\"\n\"Language: ru\\n\"\n\"Plural-Forms: nplurals=3; plural=(n%10==1 && " +
	"n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\\n\"\n"

func russian(t *testing.T, entries string) *say.Catalogue {
	t.Helper()
	c, err := say.ReadCatalogue("ru", head+entries)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPluralForms holds the rules of the catalogs against Unicode's, for every whole number up to a hundred thousand:
// the rules look at the last two digits.
func TestPluralForms(t *testing.T) {
	forms := map[string]map[plural.Form]int{
		"fr": {plural.One: 0, plural.Other: 1},
		"ru": {plural.One: 0, plural.Few: 1, plural.Many: 2},
	}
	for lang, index := range forms {
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		msg := func(n int64) string {
			return say.N(n, "{n} finding", "{n} findings").In(c)
		}
		words := map[int]string{}
		for n := range int64(100000) {
			form := plural.Cardinal.MatchPlural(language.MustParse(lang), int(n), 0, 0, 0, 0)
			i, ok := index[form]
			if !ok {
				t.Fatalf("%s: %d has the form %v, which the catalogue does not have", lang, n, form)
			}
			_, word, _ := strings.Cut(msg(n), " ")
			if words[i] == "" {
				words[i] = word
			}
			if words[i] != word {
				t.Fatalf("%s: %q for %d, which has form %d: %q", lang, word, n, i, words[i])
			}
		}
		if len(words) != len(index) {
			t.Errorf("%s: forms %v", lang, words)
		}
	}
}

func TestIn(t *testing.T) {
	c := russian(t, `
msgid "{used} of {all}: {what}, {part}, for {age}"
msgstr "{all} — {used}: {what}, {part}, уже {age}"

msgid "it will fail"
msgstr "не "
"запустится"

msgid "{n} page"
msgid_plural "{n} pages"
msgstr[0] "{n} страница"
msgstr[1] "{n} страницы"
msgstr[2] "{n} страниц"

msgid "{n} day"
msgid_plural "{n} days"
msgstr[0] "{n} день"
msgstr[1] "{n} дня"
msgstr[2] "{n} дней"

msgid "{others} or {last}"
msgstr "{others} или {last}"

msgid "and {n} more"
msgid_plural "and {n} more"
msgstr[0] "и ещё {n}"
msgstr[1] "и ещё {n}"
msgstr[2] "и ещё {n}"
`)
	pages := func(n int) say.Message { return say.N(n, "{n} page", "{n} pages") }
	m := say.M("{used} of {all}: {what}, {part}, for {age}", "used", 1*unit.MB, "all", 12345, "what",
		say.M("it will fail"), "part", pages(3), "age", say.Span(4*86400))
	for _, c2 := range []struct {
		m           say.Message
		ru, english string
	}{
		{m, "12\u00a0345 — 1\u00a0МБ: не запустится, 3 страницы, уже 4 дня", "1 MB of 12,345: it will fail, 3 pages, " +
			"for 4 days"},
		{say.All("; ", say.M("it will fail"), say.Message{}, pages(1)), "не запустится; 1 страница",
			"it will fail; 1 page"},
		{say.M("{list}", "list", say.List{Items: []say.Message{pages(5), pages(2), pages(1)}, Most: 2}),
			"5 страниц, 2 страницы, и ещё 1", "5 pages, 2 pages, and 1 more"},
		{say.M("{x}", "x", say.OneOf([]string{"a", "b", "c"})), "a, b или c", "a, b or c"},
		{say.M("{a} {b} {c} {d}", "a", say.Number("0.4%"), "b", say.Number("16.4"), "c", "16.4", "d", 0.25),
			"0,4\u00a0% 16,4 16.4 0,25", "0.4% 16.4 16.4 0.25"},
		{say.M("{a}, {b}, {c}", "a", say.Span(119), "b", say.Span(7199), "c", say.Span(172799)),
			"119\u00a0с, 120\u00a0мин, 48\u00a0ч", "119 s, 120 min, 48 h"},
		{say.Text("it will fail"), "it will fail", "it will fail"}, // a text from elsewhere
	} {
		if got := c2.m.In(c); got != c2.ru {
			t.Errorf("%q, want %q", got, c2.ru)
		}
		if got := c2.m.String(); got != c2.english {
			t.Errorf("%q, want %q", got, c2.english)
		}
	}
	// An edited English text is not shown in the old translation.
	if got, want := say.M("{n} pages at most", "n", 3).In(c), "3 pages at most"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := say.N(1, "{n} page", "{n} leaves").In(c), "1 page"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (*say.Catalogue)(nil).Text("As it is"); got != "As it is" {
		t.Errorf("without a catalogue: %q", got)
	}
}

// TestNumbersOfEveryLanguage verifies that a language that has texts has numbers of its own too.
func TestNumbersOfEveryLanguage(t *testing.T) {
	for _, lang := range say.Languages() {
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		const english = "1,234.5 GB"
		if got := say.M("{x}", "x", say.Number(english)).In(c); (got == english) != (lang == say.English) {
			t.Errorf("%s writes %s as %q", lang, english, got)
		}
	}
}

func TestReadCatalogueRefuses(t *testing.T) {
	entry := "\nmsgid \"b\"\nmsgstr \"c\"\n"
	for name, c := range map[string]struct{ text, want string }{
		"no head":            {entry, "no head"},
		"other plural forms": {strings.Replace(head, "n%10==1", "n==1", 1), "must have Plural-Forms"},
		"an entry twice":     {head + entry + entry, "\"b\" is in line"},
		"an empty text":      {head + strings.Replace(entry, `"c"`, `" "`, 1), "an empty text"},
		"a form too few": {head +
			"\nmsgid \"b\"\nmsgid_plural \"bs\"\nmsgstr[0] \"c\"\nmsgstr[1] \"cs\"\n",
			"2 forms, where there must be 3"},
		"no text":              {head + "\nmsgid \"b\"\n", "0 forms"},
		"a word not known":     {head + "\ndomain \"a\"\n", `"domain" is not known`},
		"not quoted":           {head + "\nmsgid a\n", "not a quoted text"},
		"a loose text":         {head + "\n\"a\"\n", "belongs to nothing"},
		"a text that is twice": {head + "\nmsgid \"a\"\nmsgid \"b\"\n", "stands twice"},
	} {
		if _, err := say.ReadCatalogue("ru", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := say.ReadCatalogue("xx", head); err == nil {
		t.Error("a language without a rule of plurals was read")
	}
}

// TestWritePO verifies that what is written is read again as it was.
func TestWritePO(t *testing.T) {
	c := russian(t,
		"\nmsgid \"say \\\"b\\\" \\\\ and\\n  a line\"\nmsgstr \"c\"\n\nmsgid "+
			"\"1\"\nmsgid_plural \"2\"\nmsgstr[0] \"x\"\nmsgstr[1] \"y\"\nmsgstr[2] \"z\"\n")
	again, err := say.ReadCatalogue("ru", say.WritePO("ru", c.Entries))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Entries) != 2 {
		t.Fatalf("%d entries", len(again.Entries))
	}
	for i, e := range again.Entries {
		was := c.Entries[i]
		if e.English != was.English || e.Many != was.Many ||
			strings.Join(e.Forms, "|") != strings.Join(was.Forms, "|") {
			t.Errorf("%+v was %+v", e, was)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	for set, want := range map[string]string{
		"":                                    "en",
		"LANG=fr_FR.UTF-8":                    "fr",
		"LANG=ru":                             "ru",
		"LANG=fr_CA@euro":                     "fr",
		"LANG=C.UTF-8":                        "en",
		"LANG=POSIX":                          "en",
		"LANG=de_DE.UTF-8":                    "en",
		"LANG=fr_FR LC_ALL=C":                 "en",
		"LANG=fr_FR LC_MESSAGES=ru_RU.KOI8-R": "ru",
		"LANG=fr_FR LC_ALL= LC_MESSAGES=":     "fr",
		"LANG=../fr":                          "en",
	} {
		env := map[string]string{}
		for _, s := range strings.Fields(set) {
			name, v, _ := strings.Cut(s, "=")
			env[name] = v
		}
		if !say.Complete(want) {
			want = "en"
		}
		if got := say.LanguageOf(func(n string) string { return env[n] }); got != want {
			t.Errorf("%s: %s, want %s", set, got, want)
		}
	}
}

func FuzzReadCatalogue(f *testing.F) {
	f.Add(head + "\nmsgid \"b\"\nmsgstr \"c\"\n")
	f.Add(head + "msgid_plural\nmsgstr[0]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := say.ReadCatalogue("ru", text)
		if err != nil {
			return
		}
		for _, e := range c.Entries {
			say.Message{Text: e.English, Many: e.Many, N: 7}.In(c)
		}
	})
}

// TestSeparatorsFollowTheLanguage: what stands between clauses is set as each language sets it; a space between
// sentences stays, and English is the same with a catalog and without.
func TestSeparatorsFollowTheLanguage(t *testing.T) {
	fr, err := say.Open("fr")
	if err != nil {
		t.Fatal(err)
	}
	clauses := func(sep string) say.Message { return say.All(sep, say.Text("a"), say.Text("b")) }
	for sep, want := range map[string]string{"; ": "a\u202f; b", ": ": "a\u00a0: b", " ": "a b", ", ": "a, b"} {
		if got := clauses(sep).In(fr); got != want {
			t.Errorf("%q in French: %q, want %q", sep, got, want)
		}
		if got := clauses(sep).English(); got != "a"+sep+"b" {
			t.Errorf("%q in English: %q", sep, got)
		}
	}
}
