package conftext

import "strings"

// columns are where a table has what.
type columns struct {
	name, setting, unit, source int // -1: nowhere
	described, header           bool
	rest                        bool // it has columns that SHOW ALL has not
	plausible                   bool // what its column of values holds is not sure: a row counts if its value is one
}

// meaning is what a column of a table holds.
type meaning int

const (
	naming meaning = iota + 1
	valuing
	unitOf
	sourceOf
	describing
	more       // only pg_settings has it
	formerly   // before a change
	becoming   // after it
	byDefault  // what a server has that nobody configured
	tellsThing // a word of prose that heads a column of remarks
)

// headWords are what tables have at the heads of their columns.
var headWords = map[meaning]string{
	naming: "name|parameter|parametername|parameter_name|parameter name|setting name|guc|param|" +
		"параметр|название параметра|имя параметра|paramètre|nom du paramètre|parámetro|parâmetro|parametro|parametr|" +
		"参数|参数名|参数名称|配置项|パラメータ|パラメーター|パラメータ名|파라미터|매개변수",
	valuing: "setting|value|parametervalue|current_setting|current value|parameter_value|" +
		"значение|текущее значение|valeur|valeur actuelle|valor|valor actual|valor atual|valore|valore attuale|wert|" +
		"aktueller wert|wartość|值|当前值|値|設定値|現在値|값|현재 값",
	unitOf: "unit", sourceOf: "source", describing: "description",
	more: "short_desc|context|vartype|boot_val|reset_val|pending_restart",
	formerly: "before|old|old value|was|previous|previous value|" +
		"было|до|старое значение|avant|ancienne valeur|antes|valor anterior|vorher|alter wert|prima|przed|" +
		"修改前|变更前|调整前|変更前|변경 전",
	becoming: "after|new|new value|now|proposed|proposed value|recommended|recommended value|recommendation|" +
		"suggested|suggested value|tuned|tuned value|optimized|optimized value|" +
		"стало|после|новое значение|предлагаемое|предлагаемое значение|рекомендуемое|рекомендуемое значение|" +
		"après|nouvelle valeur|valeur proposée|valeur recommandée|recommandé|después|nuevo valor|depois|novo valor|" +
		"valor recomendado|recomendado|valor propuesto|propuesto|valor proposto|proposto|valor sugerido|" +
		"nachher|neuer wert|empfohlen|empfohlener wert|vorgeschlagen|dopo|nuovo valore|valore consigliato|" +
		"valore proposto|po|nowa wartość|zalecana wartość|proponowana wartość|" +
		"修改后|变更后|调整后|推荐值|建议值|変更後|推奨値|변경 후|권장값",
	byDefault: "default|default value|defaults|postgresql default|" +
		"по умолчанию|значение по умолчанию|стандартное значение|défaut|par défaut|valeur par défaut|" +
		"por defecto|valor por defecto|predeterminado|valor predeterminado|padrão|valor padrão|" +
		"standardwert|vorgabe|vorgabewert|predefinito|valore predefinito|domyślnie|wartość domyślna|domyślna wartość|" +
		"默认|默认值|缺省值|デフォルト|デフォルト値|既定値|初期値|기본값",
	tellsThing: "reason|why|note|notes|comment|comments|remark|remarks|meaning|range|type|example|purpose|" +
		"описание|примечание|комментарий|description du paramètre|remarque|commentaire|descripción|descrição|notas|" +
		"beschreibung|bemerkung|descrizione|opis|说明|备注|描述|説明|備考|설명|비고",
}

// meanings are the words by themselves.
var meanings = func() map[string]meaning {
	out := map[string]meaning{}
	for m, words := range headWords {
		for _, w := range strings.Split(words, "|") {
			out[w] = m
		}
	}
	return out
}()

// header reads the names of the columns.
func header(cells []string) (columns, bool) {
	c := columns{name: -1, setting: -1, unit: -1, source: -1, header: true}
	first := func(at *int, i int) {
		if *at < 0 {
			*at = i
		}
	}
	old, changed, standard, other := -1, -1, -1, -1
	for i, h := range cells {
		word := strings.ToLower(strings.Trim(h, "*`_ "))
		if meanings[word] == 0 { // Before (default)
			word = aside.ReplaceAllString(word, "")
		}
		switch meanings[word] {
		case naming:
			first(&c.name, i)
		case valuing:
			first(&c.setting, i)
		case unitOf:
			c.unit = i
		case sourceOf:
			c.source = i
		case describing:
			c.described = true
		case more:
			c.rest = true
		case formerly:
			old = i
		case becoming:
			changed = i
		case byDefault:
			standard = i
		case tellsThing:
		default:
			if h != "" && standard >= 0 {
				first(&other, i)
			}
		}
	}
	switch {
	case old >= 0 && changed > old: // a change: what was is not in force
		if c.name < 0 {
			c.name = max(c.setting, 0)
		}
		c.setting = changed
		return c, c.name < old
	case standard < 0 || c.rest:
	case changed >= 0: // what is proposed beside what a server has by itself
		if c.name < 0 {
			c.name = max(c.setting, 0)
		}
		c.setting = changed
		return c, c.name != changed && c.name != standard
	case c.name >= 0 && c.setting < 0: // defaults, and perhaps values under a name of their own
		c.setting, c.plausible = other, true
		return c, true
	}
	return c, c.name >= 0 && c.setting >= 0
}
