package conftext

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// side is which value of a change a text has below a line.
type side int

const (
	neither side = iota
	oldSide
	newSide
)

// changeWords stand alone in a line above what is in a file and above what it shall become, in instructions.
var changeWords = map[side]string{
	oldSide: "before|old|old value|from|current|currently|look for|look for this|find|find this|find the line|" +
		"search for|search|locate|change this|change from|replace|replace this|it was|was|this line|" +
		"procure por|procure|localize|encontre|busque|busque por|está assim|antes|atual|valor atual|" +
		"buscar|busca|buscar la línea|actual|actualmente|está así|encuentre|" +
		"avant|rechercher|cherchez|chercher|trouvez|remplacez|remplacer|actuel|actuellement|" +
		"vorher|suchen|suche|suche nach|bisher|ersetze|aktuell|" +
		"prima|cerca|cercare|trova|attuale|przed|znajdź|szukaj|zamień|obecnie|" +
		"было|до|найти|найдите|ищем|сейчас|старое|старое значение|" +
		"修改前|查找|找到|原来|原值|変更前|修正前|변경 전|수정 전|찾기",
	newSide: "after|new|new value|to|into|with|by|now|is now|it is now|change to|change it to|change into|" +
		"replace with|replace by|replace it with|set to|set it to|update to|modify to|becomes|should be|" +
		"mude para|altere para|alterar para|substitua por|substituir por|troque por|depois|novo|novo valor|" +
		"fica assim|deixe assim|" +
		"cambie a|cambiar a|cambiar por|cámbielo por|cámbialo por|reemplazar por|reemplace por|sustituir por|" +
		"después|nuevo|queda así|" +
		"après|par|remplacer par|remplacez par|modifier en|changer en|changez en|nouveau|" +
		"nachher|ersetzen durch|ändern in|ändern zu|durch|neu|" +
		"dopo|sostituire con|sostituisci con|modificare in|cambia in|nuovo|po|zmień na|zamień na|nowe|" +
		"стало|после|заменить на|замените на|изменить на|измените на|на|новое|новое значение|" +
		"修改后|改为|替换为|修改为|改成|変更後|修正後|변경 후|수정 후",
}

var sides = func() map[string]side {
	out := map[string]side{}
	for s, words := range changeWords {
		for _, w := range strings.Split(words, "|") {
			out[w] = s
		}
	}
	return out
}()

// aside is a remark in brackets behind such words.
var aside = regex.New(`\s*[(（][^()（）]{1,80}[)）]`)

// sideOf is which value of a change a line says that it heads.
func sideOf(l string) side {
	const most = 160 // bytes
	t := strings.TrimSpace(l)
	if t == "" || len(t) > most || strings.ContainsAny(t, "=|") {
		return neither
	}
	const marks = "*#_>-–— \t:：."
	t = strings.Trim(aside.ReplaceAllString(strings.Trim(t, marks), ""), marks)
	return sides[strings.ToLower(t)]
}

// withoutOld drops the settings that a text has as what is there, if the same change has what they shall become: "look
// for", a value, "change to", another one. In a fence, such words are of what is in it.
func withoutOld(lines []line, list []Setting) []Setting {
	if len(list) < 2 {
		return list
	}
	type place struct {
		side   side
		change int
	}
	at := make([]place, len(lines)+1) // by line
	now, fenced, found := place{}, false, false
	for _, l := range lines {
		switch t := strings.TrimSpace(l.text); {
		case fence.MatchString(t):
			fenced = !fenced
		case fenced || t == "":
		case sideOf(t) == oldSide:
			now = place{oldSide, now.change + 1}
		case sideOf(t) == newSide && now.side != neither:
			now.side, found = newSide, true
		case t[0] == '#' || rule(t): // the next chapter
			now.side = neither
		}
		at[l.n] = now
	}
	if !found {
		return list
	}
	type changed struct {
		change int
		name   string
	}
	last := map[changed]int{} // the line of the value that it gets
	for _, s := range list {
		if p := at[min(s.Line, len(lines))]; p.side == newSide {
			last[changed{p.change, s.Name}] = s.Line
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(s Setting) bool {
		p := at[min(s.Line, len(lines))]
		return p.side == oldSide && last[changed{p.change, s.Name}] > s.Line
	})
}
