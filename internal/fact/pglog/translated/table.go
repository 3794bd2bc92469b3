// Package translated turns messages that a PostgreSQL server wrote in another language back into the English ones,
// with their arguments where English has them, by the server's own message catalogs of all languages that it ships.
// messages.tsv is made of them by internal/gen/messages; it holds the messages that a diagnosis asks for.
package translated

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed messages.tsv
var table string

// Word is what a server writes for a severity or a part of an entry in some language.
type Word struct {
	Language string // "de", "pt_BR"
	English  string // "LOG", "DETAIL"
	Word     string
}

// older are words of releases whose catalogs the table was not made of: 9.x.
var older = []Word{{"ru", "LOG", "ОТМЕТКА"}, {"ru", "FATAL", "СБОЙ"}, {"ru", "STATEMENT", "КОМАНДА"},
	{"zh_TW", "LOG", "日誌"}, {"zh_TW", "ERROR", "錯誤"}, {"zh_TW", "FATAL", "嚴重錯誤"}, {"zh_TW", "WARNING", "警告"},
	{"zh_TW", "DETAIL", "詳細內容"}, {"zh_TW", "HINT", "提示"}, {"zh_TW", "STATEMENT", "陳述式"},
	{"zh_TW", "CONTEXT", "脈絡"}, {"fr", "CONTEXT", "CONTEXTE"}, {"de", "STATEMENT", "ANWEISUNG"},
	{"cs", "DETAIL", "DETAIL"}, {"cs", "HINT", "DOPORUČENÍ"}, {"cs", "QUERY", "DOTAZ"}, {"cs", "CONTEXT", "KONTEXT"},
	{"cs", "STATEMENT", "PŘÍKAZ"}, {"cs", "WARNING", "VAROVÁNÍ"}, {"cs", "ERROR", "CHYBA"}, {"cs", "FATAL", "FATÁLNÍ"}}

// olderMessages are messages of the catalogs of 9.x, for which the table was not made.
var olderMessages = []struct{ language, id, text string }{
	{"ja", "the database system is starting up", "データベースシステムは起動しています"},
	{"ja", "database system is ready to accept connections", "データベースシステムの接続受付準備が整いました。"},
	{"ja", "database system was interrupted; last known up at %s",
		"データベースシステムは中断されました: 今回は %s までは到達しています"},
	{"ja", "database system shutdown was interrupted; last known up at %s",
		"データベースシステムのシャットダウンが中断されました:今回は %s までは到達しました"},
	{"ja", "database system was interrupted while in recovery at %s",
		"データベースシステムはリカバリ中に %s で中断されました"},
	{"ja", "database system was interrupted while in recovery at log time %s",
		"データベースシステムはログ時間%sにリカバリ中に中断されました"},
	{"ja", "database system was shut down in recovery at %s",
		"データベースシステムがリカバリ中に %s でシャットダウンしました"},
	{"ja", "database system was not properly shut down; automatic recovery in progress",
		"データベースシステムは適切にシャットダウンされませんでした。自動リカバリを行っています"},
	{"ja", "redo starts at %X/%X", "%X/%XのREDOを開始します"},
	{"ja", "redo done at %X/%X", "%X/%XのREDOが終わりました"},
	{"ja", "terminating connection because of crash of another server process",
		"他のサーバプロセスがクラッシュしたため接続を終了しています"},
	{"ja", "could not locate a valid checkpoint record", "有効なチェックポイントに移動できませんでした"},
	{"ja", "could not locate required checkpoint record", "要求チェックポイント位置へ移動できませんでした"},
	{"ja", "canceling statement due to statement timeout",
		"ステートメントのタイムアウトによりステートメントをキャンセルしています"},
	{"ja", "canceling statement due to lock timeout",
		"ロックのタイムアウトによりステートメントをキャンセルしています"},
	{"ja", "canceling statement due to conflict with recovery",
		"リカバリーで競合が発生したためステートメントをキャンセルしています"},
	{"ja", "could not create shared memory segment: %m", "共有メモリセグメントを作成できません: %m"},
	{"ja", "archiving transaction log file \"%s\" failed too many times, will try again later",
		"トランザクションログファイル\"%s\"のアーカイブ処理が何回も失敗しました。後で再度試します"},
	{"ja", "received promote request", "推進要求(promote request)を受け取りました"},
	{"ja", "background writer process", "バックグランドライタプロセス"},
	{"ja", "WAL writer process", "WALライタプロセス"},
	{"ja", "autovacuum launcher process", "自動バキュームランチャプロセス"},
}

// longVowels are words that Japanese writes with a mark at their end since 10, and wrote without before.
var longVowels = strings.NewReplacer("サーバー", "サーバ", "ユーザー", "ユーザ")

// Words are all of them that are not the English ones.
func Words() []Word {
	out := append([]Word(nil), older...)
	for line := range strings.SplitSeq(table, "\n") {
		if f := strings.Split(line, "\t"); len(f) == 4 && f[0] == "W" {
			out = append(out, Word{Language: f[1], English: f[2], Word: unescape(f[3])})
		}
	}
	return out
}

// pattern is a translation of a message.
type pattern struct {
	language string
	text     string // of the translation
	lead     string // the words that it begins with, up to white space that a page may have changed
	id       string // the English message
	parsed   bool
	from, to []piece // of the two, parsed when it is first tried
}

const (
	// keyLength is how many bytes of its beginning a message is looked up by: enough that an English one finds
	// hardly ever a candidate.
	keyLength = 6
	// suffixID is what the server appends to the message of an error in a statement.
	suffixID = " at character %d"
)

// index is the table, by the beginnings of the translations.
type index struct {
	byHead  map[[keyLength]byte][]*pattern
	byArg   map[string][]*pattern // by language: those that begin with an argument, or with too little
	phrases map[string]string     // of the C library: "language\x00phrase"
	suffix  []*pattern
}

var load = sync.OnceValue(func() *index {
	ix := &index{byHead: map[[keyLength]byte][]*pattern{}, byArg: map[string][]*pattern{},
		phrases: map[string]string{}}
	messages := map[string]string{}
	add := func(language, id, text string) {
		p := &pattern{language: language, text: text, id: id, lead: text}
		if i := strings.IndexAny(text, "% \t\n\u00a0"); i >= 0 {
			p.lead = text[:i]
		}
		if id == suffixID {
			ix.suffix = append(ix.suffix, p)
		} else if key, ok := keyOf(text); ok {
			ix.byHead[key] = append(ix.byHead[key], p)
		} else {
			ix.byArg[language] = append(ix.byArg[language], p)
		}
	}
	for line := range strings.SplitSeq(table, "\n") {
		if len(line) < 2 || line[1] != '\t' {
			continue
		}
		f := strings.SplitN(line, "\t", 4)
		switch {
		case f[0] == "M" && len(f) == 3:
			messages[f[1]] = unescape(f[2])
		case f[0] == "E" && len(f) == 4:
			ix.phrases[f[1]+"\x00"+unescape(f[3])] = f[2]
		case f[0] == "T" && len(f) == 4:
			text := unescape(f[3])
			add(f[1], messages[f[2]], text)
			if f[1] == "ja" && strings.Contains(text, "ー") {
				if old := longVowels.Replace(text); old != text {
					add(f[1], messages[f[2]], old)
				}
			}
		}
	}
	for _, m := range olderMessages {
		add(m.language, m.id, m.text)
	}
	for _, list := range ix.byHead {
		// «%s мс, оператор: %s» before «%s мс  %s %s: %s», which would fit it too.
		slices.SortStableFunc(list, func(a, b *pattern) int { return said(b.text) - said(a.text) })
	}
	return ix
})

// said is how much of a translation is words.
func said(text string) int { return len(text) - 2*strings.Count(text, "%") }

// keyOf is what a translation is looked up by; false where it begins with an argument.
func keyOf(s string) (key [keyLength]byte, ok bool) {
	if len(s) < keyLength {
		return key, false
	}
	copy(key[:], s)
	return key, strings.IndexByte(s[:keyLength], '%') < 0
}

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
				continue
			case 't':
				b.WriteByte('\t')
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// piece of a format string: words, or an argument.
type piece struct {
	words string // "": an argument
	arg   int    // from 1
	verb  byte   // d, u, x, X, s, c, f, m
}

// parse takes a format string of C apart. %m is an argument, the last one.
func parse(s string) []piece {
	var out []piece
	var words strings.Builder
	end := func() {
		if words.Len() > 0 {
			out = append(out, piece{words: words.String()})
			words.Reset()
		}
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 == len(s) {
			words.WriteByte(s[i])
			continue
		}
		if s[i+1] == '%' {
			words.WriteByte('%')
			i++
			continue
		}
		j := i + 1
		arg := 0
		for k := j; k < len(s) && (s[k] >= '0' && s[k] <= '9' || s[k] == '$' && k > j); k++ {
			if s[k] == '$' {
				arg, _ = strconv.Atoi(s[j:k])
				j = k + 1
				break
			}
		}
		for j < len(s) && strings.IndexByte("-+ #0123456789.*hlzjt", s[j]) >= 0 {
			j++
		}
		if j == len(s) {
			break
		}
		end()
		p := piece{verb: s[j]}
		if p.verb == 'm' {
			p.arg = -1
		} else if n++; arg > 0 {
			p.arg = arg
		} else {
			p.arg = n
		}
		out = append(out, p)
		i = j
	}
	end()
	return out
}
