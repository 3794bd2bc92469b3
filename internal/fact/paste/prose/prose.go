// Package prose recognizes what people write of a host and a server: sentences, lists, the fields of
// forms.
package prose

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/cloud"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// What a sentence reports of a server: its version, the memory of its host, parameters with their values. A sentence
// that advises, asks or supposes reports nothing.
var (
	reProseParam = regex.New("(?:^|[\\s(,;:`*\"'])([a-z]+(?:_[a-z]+)+)[`*]{0,2}(?: ?= ?| is (?:set to |at )?| of )" +
		"[`'\"]?(\\d{1,9}(?:\\.\\d{1,4})? ?(?:[kMGT]B|ms|s|min|h|d)?|on|off)(?:[\\s,;.)`'\"*]|$)")
	reProseRAM = regex.New(`(?i)\b(?:host|server|machine|system|instance|vm|node|box|serveur|сервер\p{L}*|rechner|` +
		`servidor)\b[^.;:]{0,60}?[\s~(](\d{1,5}) ?(?:gb|gib|go|гб) (?:of |de )?(?:physical |total |main |system )?` +
		`(?:ram|memory|mémoire|памяти|озу|speicher|memoria)\b`)
	reProsePG = regex.New(`(?i)\b(?:postgres(?:ql)?|pg)(?: version| server)? ?v?((?:9\.\d\.\d{1,2})|1\d\.\d{1,2})` +
		`(?:[\s,;:).]|$)`)
	reAdvises = regex.New(`(?i)\b(?:(?:compiled|built|linked) (?:with|against|for)|` +
		`should|recommend\w*|suggest\w*|advis\w+|try|tried|set|setting|increas\w+|` +
		`decreas\w+|rais\w+|lower\w*|reduc\w+|chang\w+|could|would|consider\w*|default\w*|if|e\.g|example|minimum|` +
		`at least|require\w*|need\w*|instead|from|until|since|before|versions?|upgrad\w+|releas\w+|fixed|maybe|can|` +
		`might|must|want|assum\w+|similar|other|another|then|restart|vs|than)\b|\?`)
)

// Bounds of a sentence that is looked at: below are items of lists, above are files without line breaks.
const (
	shortestProse = 40
	longestProse  = 4000
)

// A machine within a sentence: what it has, and of what kind its disks are.
var (
	reBoxRAM = regex.New(`(?i)(?:^|[\s(,~*])(\d{1,5}) ?(?:gb|gib|go|гб)(?: (?:of )?(?:ram|memory))?[ -](?:\w+ ){0,2}` +
		`(?:box|machine|server|vm|vps|instance|host|node|droplet)\b|` +
		`\b(?:server|box|machine|host|vm|instance|vps) (?:has|with) (\d{1,5}) ?(?:gb|gib)(?: of)?(?: (?:ram|memory))?` +
		`(?:[\s,.;:)]|$)|` +
		`(?:^|[\s(,~*])(\d{1,5}) ?(?:gb|gib|go|гб) (?:of |de )?(?:ram|memory|ddr\d|озу|оперативн\p{L}*` +
		`|памяти)(?:[\s,.;)*_]|$)|` +
		`(?:оперативн\p{L}* памят\p{L}*|озу|память|памяти)[ :–-]{1,3}(\d{1,5}) ?(?:гб|gb)|` +
		`内存[:：]? ?(\d{1,5}) ?gb?\b|(\d{1,5}) ?gb? ?内存|メモリ[:：]? ?(\d{1,5}) ?gb`)
	reBoxCPU = regex.New(`(?i)(?:^|[\s(,*])(\d{1,4})[ -]?(v?cpus?|vcores?|(?:cpu |physical )?cores?|threads|ядер` +
		`|ядра|cœurs|核)` +
		`(?:[\s,.;)*]|$)`)
	reBoxDisk = regex.New(`(?i)\b(nvme|ssd|hdd)s?\b|жёстк\p{L}* диск\p{L}* \((hdd)\)`)
	reBoxPG   = regex.New(`(?i)\b(?:postgres(?:ql)?|pg) ?v?(1[0-8](?:\.\d{1,2})?` +
		`|9\.[0-6](?:\.\d{1,2})?)(?:[\s,;:).*_]|$)`)
	reBoxName = regex.New(`\b(AMD EPYC \w+|AMD Ryzen \d \w+|Intel(?:\(R\))? Xeon(?:\(R\))? [\w-]+(?:` +
		` [\w-]*\d[\w-]*)?|` +
		`Apple M\d(?: (?:Pro|Max|Ultra))?|(?:MacBook|Mac)\w*(?: \w+)? (M\d))\b`)
	reRuns = regex.New(`(?i)(?:^|\b)(?:we|i|we['’]re|i['’]m) (?:run|use|are (?:running|using|on)|running|using|on)` +
		`(?: version| postgres(?:ql)?| pg)? v?(1[0-8](?:\.\d{1,2})?)(?: (?:on|in|with|at)\b|,|$)`)
	reAsksMore = regex.New(`(?i)\b(?:recommend\w*|suggest\w*|upgrad\w+|or (?:larger|more)|minimum|mínimo|at least|` +
		`requir\w+|needs?|must|e\.g|examples?|should|would|could|consider\w*|instead|limits?|from \d|up to)\b|\?|` +
		`\d\+|требован\p{L}*|минимум|рекоменд\p{L}*`)
)

// boxOf is the machine of a sentence, whose memory is told once. CPUs and disks without it are of anything.
func boxOf(s string) []part.Fact {
	if reAsksMore.MatchString(s) {
		return nil
	}
	ram := reBoxRAM.FindAllStringSubmatch(s, 2)
	if len(ram) != 1 {
		return nil
	}
	n, ok := amount.Whole(strings.Join(ram[0][1:], ""))
	if !ok || n < 1 {
		return nil
	}
	out := []part.Fact{amount.Amount{Bytes: n * amount.GB, Step: amount.GB}.Fact("stated.memory", "")}
	if m := reBoxCPU.FindAllStringSubmatch(s, 2); len(m) == 1 {
		if n, ok := amount.Whole(m[0][1]); ok && n > 0 {
			name := "stated.cpus"
			if kind := strings.ToLower(m[0][2]); strings.Contains(kind, "core") || kind == "cœurs" ||
				strings.HasPrefix(kind, "яд") {
				name = "stated.cores"
			}
			out = append(out, part.Count(name, "", n))
		}
	}
	if m := reBoxName.FindAllStringSubmatch(s, 2); len(m) == 1 {
		name := m[0][1]
		if m[0][2] != "" {
			name = "Apple " + m[0][2]
		}
		out = append(out, part.Word("cpu.model", "", name))
	}
	if m := reBoxDisk.FindAllStringSubmatch(s, 2); len(m) == 1 {
		out = append(out, part.Word("stated.storage", "", m[0][1]+m[0][2]))
	}
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(",;()", r) }) {
		if _, behind, ok := strings.Cut(plainWords.Replace(w), ": "); ok {
			w = behind
		}
		if m := reBareOS.FindStringSubmatch(strings.TrimSpace(w)); m != nil {
			out = append(out, part.Word("os.name", "", m[1]))
			break
		}
	}
	if len(out) == 1 && ram[0][3] != "" && !reBoxPG.MatchString(s) {
		return nil // memory alone may be of anything
	}
	return out
}

// ReadProse reads a paragraph. It is asked last: what has a form of its own is no prose.
func ReadProse(w *part.Window) (f part.Found) {
	t := w.Text(0)
	short := len(t) < shortestProse || strings.Count(t, " ") < 7
	if len(t) > longestProse || w.Lines[0].Is != part.Content || short && len(cloud.Instances(t)) == 0 ||
		!strings.ContainsAny(t, "0123456789") {
		return
	}
	again := false
	for s := range strings.SplitSeq(strings.ReplaceAll(t, "! ", ". "), ". ") {
		box := boxOf(s)
		if x := instanceFacts(s); len(x) > 0 && !reAsksMore.MatchString(s) && !again {
			f.Add(x...)
			f.Notes, again = []string{byInstance}, true
		}
		if len(f.Notes) == 0 {
			f.Add(box...)
		}
		if len(box) > 0 { // a version beside a machine is that of the server there, even without a minor one
			if m := reBoxPG.FindAllStringSubmatch(s, 2); len(m) == 1 {
				if v, ok := setting.Version(m[0][1]); ok {
					f.Add(v)
				}
			}
		}
		if reAdvises.MatchString(strings.ReplaceAll(s, " is set to ", " is ")) {
			continue
		}
		if m := reProsePG.FindAllStringSubmatch(s, 2); len(box) > 0 && reBoxPG.MatchString(s) {
		} else if len(m) == 1 {
			f.Add(part.Word("server.version", "", m[0][1]))
		} else if m := reRuns.FindAllStringSubmatch(s, 2); len(m) == 1 {
			if v, ok := setting.Version(m[0][1]); ok {
				f.Add(v)
			}
		}
		if len(box) > 0 {
		} else if m := reProseRAM.FindAllStringSubmatch(s, 2); len(m) == 1 {
			if n, ok := amount.Whole(m[0][1]); ok && n > 0 {
				f.Add(amount.Amount{Bytes: n * amount.GB, Step: amount.GB}.Fact("stated.memory", ""))
			}
		}
		for _, m := range reProseParam.FindAllStringSubmatch(s, 50) {
			v := strings.ReplaceAll(m[2], " ", "")
			if setting.Known(m[1]) && setting.Plausible(m[1], v) {
				f.Add(setting.Row(m[1], v, "", false))
			}
		}
	}
	if len(f.Facts) > 0 {
		f.N, f.Kind, f.Sure = 1, part.Stated, part.Likely
	}
	return f
}
