package pglog

import "bytes"

// part is which part of an entry a word begins.
type part uint8

const (
	partNone part = iota
	partMessage
	partDetail
	partHint
	partQuery
	partContext
	partLocation
	partStatement
	partBacktrace
)

// label is a word that the server begins a line with, behind the prefix.
type label struct {
	part     part
	severity Severity
	foreign  bool
}

// labels are the words of the server's message catalogues, as 15 ships them, by
// language: DEBUG … PANIC, then DETAIL, HINT, QUERY, CONTEXT, STATEMENT, LOCATION.
// Those equal to the English ones are left out.
var labels = func() map[string]label {
	m := map[string]label{
		"INFO": {partMessage, Info, false}, "NOTICE": {partMessage, Notice, false}, "LOG": {partMessage, Log, false},
		"WARNING": {partMessage, Warning, false}, "ERROR": {partMessage, Error, false},
		"FATAL": {partMessage, Fatal, false}, "PANIC": {partMessage, Panic, false},
		"DEBUG": {partMessage, Debug, false}, "DETAIL": {partDetail, 0, false}, "HINT": {partHint, 0, false},
		"QUERY":   {partQuery, 0, false},
		"CONTEXT": {partContext, 0, false}, "STATEMENT": {partStatement, 0, false},
		"LOCATION": {partLocation, 0, false}, "BACKTRACE": {partBacktrace, 0, false},
	}
	for _, d := range []string{"DEBUG1", "DEBUG2", "DEBUG3", "DEBUG4", "DEBUG5"} {
		m[d] = label{partMessage, Debug, false}
	}
	severities := []Severity{Debug, Log, Info, Notice, Warning, Error, Fatal, Panic}
	parts := []part{partDetail, partHint, partQuery, partContext, partStatement, partLocation}
	for _, words := range [][14]string{
		// de
		{"", "", "", "HINWEIS", "WARNUNG", "FEHLER", "", "PANIK", "", "TIPP", "ANFRAGE", "ZUSAMMENHANG",
			"ANWEISUNG", "ORT"},
		// es
		{"", "", "", "", "", "", "", "", "DETALLE", "", "CONSULTA", "CONTEXTO", "SENTENCIA", "UBICACIÓN"},
		// fr
		{"", "", "", "", "ATTENTION", "ERREUR", "", "", "DÉTAIL", "ASTUCE", "REQUÊTE", "CONTEXTE", "INSTRUCTION",
			"EMPLACEMENT"},
		// it
		{"", "", "", "NOTIFICA", "ATTENZIONE", "ERRORE", "FATALE", "PANICO", "DETTAGLI", "SUGGERIMENTO", "", "CONTESTO",
			"ISTRUZIONE", "POSIZIONE"},
		// ja
		{"", "", "", "", "", "", "", "", "詳細", "ヒント", "問い合わせ", "文脈", "文", "場所"},
		// ka
		{"გამართვა", "ჟურნალი", "ინფორმაცია", "", "გაფრთხილება", "შეცდომა", "ფატალური", "პანიკა", "დეტალები",
			"მინიშნება", "მოთხოვნა", "კონტექსტი", "ოპერატორი", "მდებარეობა"},
		// ko
		{"디버그", "로그", "정보", "알림", "경고", "오류", "치명적오류", "손상", "상세정보", "힌트", "쿼리", "내용", "명령 구문", "위치"},
		// ru
		{"ОТЛАДКА", "СООБЩЕНИЕ", "ИНФОРМАЦИЯ", "ЗАМЕЧАНИЕ", "ПРЕДУПРЕЖДЕНИЕ", "ОШИБКА", "ВАЖНО", "ПАНИКА",
			"ПОДРОБНОСТИ", "ПОДСКАЗКА", "ЗАПРОС", "КОНТЕКСТ", "ОПЕРАТОР", "ПОЛОЖЕНИЕ"},
		// sv
		{"", "LOGG", "", "NOTIS", "VARNING", "FEL", "FATALT", "PANIK", "DETALJ", "TIPS", "FRÅGA", "KONTEXT",
			"SATS", "PLATS"},
		// uk
		{"НАЛАГОДЖЕННЯ", "ЗАПИСУВАННЯ", "ІНФОРМАЦІЯ", "ПОВІДОМЛЕННЯ", "ПОПЕРЕДЖЕННЯ", "ПОМИЛКА", "ФАТАЛЬНО", "ПАНІКА",
			"ВІДОМОСТІ", "УКАЗІВКА", "ЗАПИТ", "КОНТЕКСТ", "ІНСТРУКЦІЯ", "РОЗТАШУВАННЯ"},
		// zh_CN
		{"调试", "日志", "信息", "注意", "警告", "错误", "致命错误", "比致命错误还过分的错误", "详细信息", "提示", "查询", "上下文", "语句", "位置"},
	} {
		for i, w := range words {
			if w == "" {
				continue
			}
			l := label{part: partMessage, foreign: true}
			if i < len(severities) {
				l.severity = severities[i]
			} else {
				l.part = parts[i-len(severities)]
			}
			m[w] = l
		}
	}
	return m
}()

// maxLabel is longer than any word of them in bytes.
const maxLabel = 48

// labelled takes the word from the beginning of a text: "LOG:  text", and in
// French "INSTRUCTION :  text". A word of no list is one too where strange is set:
// the catalogue may be of another language or version.
func labelled(b []byte, strange bool) (l label, rest []byte, ok bool) {
	head := b[:min(len(b), maxLabel)]
	// The usual ones first, without a look into the map.
	if len(b) > 5 && b[3] == ':' && b[4] == ' ' && b[5] == ' ' && b[0] == 'L' && b[1] == 'O' && b[2] == 'G' {
		return label{part: partMessage, severity: Log}, text(b[4:]), true
	}
	i := bytes.IndexByte(head, ':')
	if i < 1 || i+1 < len(b) && b[i+1] != ' ' {
		return l, nil, false
	}
	word := bytes.TrimSuffix(head[:i], []byte(" "))
	word = bytes.TrimSuffix(word, []byte("\u00a0"))
	l, ok = labels[string(word)]
	if !ok {
		if !strange || i+2 >= len(b) || b[i+2] != ' ' || len(word) < 2 || span(word, strangeByte) < len(word) {
			return l, nil, false
		}
		l = label{part: partMessage, foreign: true}
	}
	if l.part == partMessage && (i+2 >= len(b) || b[i+2] != ' ') { // translators shortened those of the parts alone
		return l, nil, false
	}
	return l, text(b[i+1:]), true
}

// strangeByte says what a severity of an unknown catalogue is made of: capitals, or
// letters that are no ASCII.
func strangeByte(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 0x80 }

// text is what follows a label: two spaces stand between, one where a translator
// wrote it so.
func text(b []byte) []byte {
	for range 2 {
		if len(b) > 0 && b[0] == ' ' {
			b = b[1:]
		}
	}
	return b
}

// severityOf reads the severity of csvlog and jsonlog.
func severityOf(b []byte) (Severity, bool) {
	switch string(b) {
	case "LOG":
		return Log, false
	case "ERROR":
		return Error, false
	}
	l, ok := labels[string(b)]
	if !ok || l.part != partMessage {
		return NoSeverity, true
	}
	return l.severity, l.foreign
}
