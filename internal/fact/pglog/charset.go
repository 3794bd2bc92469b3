package pglog

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/fact/pglog/translated"
)

// A server writes its messages in the encoding of the database that the session is in, or of its locale. Where that is
// not UTF-8, the words of another language are only found after they are turned into it.

// charset is an encoding of one byte a character.
type charset struct {
	name string
	high []rune // of the bytes from 0x80 on
}

// charsets are those of the languages that the server has messages in. ISO 8859-1 and ISO 8859-15 are windows-1252 but
// for a few signs that no message has.
var charsets = []charset{
	{"windows-1252", []rune("€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ" +
		"\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿" +
		"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß" +
		"àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ")},
	{"windows-1250", []rune("€�‚�„…†‡�‰Š‹ŚŤŽŹ�‘’“”•–—�™š›śťžź" +
		"\u00a0ˇ˘Ł¤Ą¦§¨©Ş«¬\u00ad®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż" +
		"ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß" +
		"ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙")},
	{"ISO 8859-2", []rune("\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f" +
		"\u00a0Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u00adŽŻ°ą˛ł´ľśˇ¸šşťź˝žż" +
		"ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß" +
		"ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙")},
	{"windows-1251", []rune("ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—�™љ›њќћџ" +
		"\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї°±Ііґµ¶·ё№є»јЅѕї" +
		"АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ" +
		"абвгдежзийклмнопрстуфхцчшщъыьэюя")},
	{"KOI8-R", []rune("─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u00a0⌡°²·÷" +
		"═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©" +
		"юабцдефгхийклмнопярстужвьызшэщчъ" +
		"ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ")},
}

// maxJudged is how many lines that are not UTF-8 an encoding is judged by.
const maxJudged = 200

// charsetOf is the encoding in which most lines of a head have words of the server's that are not ASCII; nil where
// the head is UTF-8, or in none.
func charsetOf(head []byte) *charset {
	if utf8.Valid(head) {
		return nil
	}
	var odd [][]byte
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		if !utf8.Valid(line) && len(odd) < maxJudged {
			odd = append(odd, line)
		}
	}
	var best *charset
	most := 0
	for i := range charsets {
		c := &charsets[i]
		n := 0
		for _, line := range odd {
			n += c.score(line)
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// score counts what a line has of the server's words in an encoding.
func (c *charset) score(line []byte) (n int) {
	text := c.append(nil, line)
	at := findLabel(text)
	if at < 0 {
		return 0
	}
	_, rest, _ := labelled(text[at:], false, false)
	word := text[at:min(len(text), at+maxLabel)]
	if i := bytes.IndexByte(word, ':'); i > 0 && bytes.IndexFunc(bytes.TrimRight(word[:i], " \u00a0"), notASCII) >= 0 {
		n++
	}
	if _, language, ok := translated.English(rest, ""); ok && language != "" && bytes.IndexFunc(rest, notASCII) >= 0 {
		n++
	}
	return n
}

func notASCII(r rune) bool { return r >= utf8.RuneSelf }

// append appends a line in UTF-8.
func (c *charset) append(to, line []byte) []byte {
	for _, b := range line {
		if b < utf8.RuneSelf {
			to = append(to, b)
		} else {
			to = utf8.AppendRune(to, c.high[b-utf8.RuneSelf])
		}
	}
	return to
}

// recoder hands out lines in UTF-8: those that are not are turned into it.
type recoder struct {
	in   *lines
	from *charset
	left []byte
	out  []byte
}

// Read implements io.Reader.
func (r *recoder) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		line, ok := r.in.next()
		if !ok {
			if r.in.err != nil {
				return 0, r.in.err
			}
			return 0, io.EOF
		}
		if utf8.Valid(line) {
			r.out = append(r.out[:0], line...)
		} else {
			r.out = r.from.append(r.out[:0], line)
		}
		r.out = append(r.out, '\n')
		r.left = r.out
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
