package creation

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// utf8 is the encoding that is chosen unless another one is asked for.
const utf8 = "UTF8"

// encodings are those that a database can have (pg_wchar.h: up to PG_ENCODING_BE_LAST), the default first; withoutICU
// are those of them that ICU does not support (pg_enc2icu_tbl of encnames.c).
var (
	encodings = []string{utf8, "SQL_ASCII", "EUC_JP", "EUC_CN", "EUC_KR", "EUC_TW", "EUC_JIS_2004", "LATIN1", "LATIN2",
		"LATIN3", "LATIN4", "LATIN5", "LATIN6", "LATIN7", "LATIN8", "LATIN9", "LATIN10", "WIN1250", "WIN1251",
		"WIN1252",
		"WIN1253", "WIN1254", "WIN1255", "WIN1256", "WIN1257", "WIN1258", "WIN866", "WIN874", "KOI8R", "KOI8U",
		"ISO_8859_5", "ISO_8859_6", "ISO_8859_7", "ISO_8859_8"}
	withoutICU = []string{"SQL_ASCII", "EUC_JIS_2004", "LATIN10", "WIN874"}
)

// builtinLocales are those of the provider builtin; unicodeFast is there from unicodeFastSince on.
var builtinLocales = []string{"C", "C.UTF-8", "C.UTF8", unicodeFast}

const (
	unicodeFast      = "PG_UNICODE_FAST"
	unicodeFastSince = 18
)

// builtinSince is the first major with the provider builtin.
const builtinSince = 17

// locale decides provider, locale and encoding. What is not asked for is never taken from the environment of who runs
// this: root's is often C or POSIX, and the cluster would be SQL_ASCII.
func (l *Layout) locale(at Site) error {
	w := l.Order.Locale
	if w.Encoding == "" {
		w.Encoding = utf8
	}
	known := slices.IndexFunc(encodings, func(e string) bool { return sameLocale("x."+e, "x."+w.Encoding) })
	if strings.EqualFold(w.Encoding, "unicode") { // another name of it
		known = slices.Index(encodings, utf8)
	}
	if known < 0 {
		return say.Usage(say.M("--encoding: {name} is not an encoding of databases", "name", say.Quoted(w.Encoding)),
			say.M("Use UTF8; the others are {names}.", "names", say.Names(encodings[1:], 0)))
	}
	w.Encoding = encodings[known]
	if w.Provider == "" {
		w.Provider = "libc"
		if w.Name == "" && l.Major >= builtinSince {
			w.Provider = "builtin"
		}
	}
	switch w.Provider {
	case "builtin":
		if l.Major < builtinSince {
			return refuse(say.M("PostgreSQL {major} has no locale provider builtin", "major", l.Major),
				say.M("PostgreSQL {major} and later have it", "major", builtinSince), say.M("use --locale-provider "+
					"icu or libc"))
		}
		if w.Name == "" {
			w.Name = "C.UTF-8"
		}
		if !slices.Contains(builtinLocales, w.Name) || w.Name == unicodeFast && l.Major < unicodeFastSince {
			return refuse(say.M("the locale provider builtin has no locale {name}", "name", say.Quoted(w.Name)),
				say.M("it has C, C.UTF-8, and in 18 and later PG_UNICODE_FAST"), say.M("use --locale-provider icu or "+
					"libc"))
		}
		if w.Name != "C" && w.Encoding != utf8 {
			return refuse(say.M("the locale {name} of the provider builtin needs the encoding UTF8", "name", w.Name),
				say.M("initdb would refuse {encoding}", "encoding", w.Encoding), say.M("use --locale-provider libc "+
					"with a locale of that encoding, or --locale C"))
		}
	case "icu":
		if l.Major < 15 {
			return refuse(say.M("PostgreSQL {major} cannot use ICU for a whole cluster", "major", l.Major),
				say.M("this is possible in 15 and later"), say.M("use --locale-provider libc, and ICU collations in "+
					"columns"))
		}
		if !l.Programs.ICU {
			return refuse(say.M("the programs in {dir} were built without ICU", "dir", l.Programs.Bin), say.Message{},
				say.M("use --locale-provider libc"))
		}
		if w.Name == "" {
			w.Name = "und"
		}
		if slices.Contains(withoutICU, w.Encoding) {
			return refuse(say.M("ICU does not support the encoding {encoding}", "encoding", w.Encoding),
				say.M("initdb would refuse it"), say.M("use --encoding UTF8, or --locale-provider libc"))
		}
	case "libc":
		var err error
		if w.Name, err = libcLocale(w.Name, at); err != nil {
			return err
		}
	default:
		return say.Usage(say.M("--locale-provider: {name} is not a locale provider", "name", say.Quoted(w.Provider)),
			say.M("Use builtin, icu or libc."))
	}
	// Beside another provider libc still decides upper and lower case of the text search: with C, of ASCII letters
	// alone.
	if w.base = "C"; w.Provider != "libc" && w.Encoding == utf8 {
		if list, ok := at.Locales.Get(); ok && slices.ContainsFunc(list, func(have string) bool {
			return sameLocale(have, "C.UTF-8")
		}) {
			w.base = "C.UTF-8"
		}
	}
	l.Locale = w
	return l.encoding()
}

// libcLocale finds the locale of the system that is meant.
func libcLocale(name string, at Site) (string, error) {
	list, ok := at.Locales.Get()
	if name == "" {
		name = "C.UTF-8"
	}
	if name == "C" || name == "POSIX" || !ok {
		return name, nil
	}
	for _, have := range list {
		if sameLocale(have, name) {
			return name, nil
		}
	}
	lang, _, _ := strings.Cut(name, "_")
	hint := say.M("generate it: 'locale-gen {name}' (Debian: first uncomment it in /etc/locale.gen), or choose one of "+
		"'locale -a'", "name", name)
	if redHat(at) {
		hint = say.M("install it: 'dnf install glibc-langpack-{lang}', or choose one of 'locale -a'", "lang",
			strings.ToLower(lang))
	}
	return name, refuse(say.M("the locale {name} is not on this system", "name", say.Quoted(name)),
		say.M("'locale -a' shows {n} locales", "n", len(list)), hint)
}

// sameLocale compares names of locales as glibc does: case and punctuation of the encoding do not count.
func sameLocale(a, b string) bool {
	la, ea, _ := strings.Cut(a, ".")
	lb, eb, _ := strings.Cut(b, ".")
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s)) }
	return la == lb && plain(ea) == plain(eb)
}

// encoding refuses what would store bytes without knowing what they are, unless it was asked for in words.
func (l *Layout) encoding() error {
	w := l.Locale
	if w.Provider != "libc" || w.Name == "C" || w.Name == "POSIX" {
		return nil
	}
	_, code, told := strings.Cut(w.Name, ".")
	utf := sameLocale("x."+code, "x.UTF-8")
	if code, _, _ = strings.Cut(code, "@"); told && utf != (w.Encoding == utf8) && w.Encoding != "SQL_ASCII" {
		return refuse(say.M("the encoding {encoding} does not fit the locale {name}", "encoding", w.Encoding, "name",
			w.Name), say.M("initdb would refuse it"), say.M("use a locale of that encoding, or C"))
	}
	if !told && w.Encoding == utf8 {
		return refuse(say.M("the locale {name} names no encoding", "name", say.Quoted(w.Name)), say.M("on most "+
			"systems "+
			"it is ISO 8859, and the cluster would be LATIN1"), say.M("use --locale {name}.UTF-8", "name", w.Name))
	}
	return nil
}

// initdb are the arguments of initdb for the locale. Messages are in English, so that programs can read the log.
func (w Locale) initdb(major int) (out []string) {
	out = append(out, "--encoding="+w.Encoding)
	base := w.base
	switch w.Provider {
	case "builtin":
		out = append(out, "--locale-provider=builtin", "--builtin-locale="+w.Name)
	case "icu":
		out = append(out, "--locale-provider=icu", "--icu-locale="+w.Name)
	default:
		base = w.Name
		if major >= 15 {
			out = append(out, "--locale-provider=libc")
		}
	}
	return append(out, "--locale="+base, "--lc-messages=C")
}
