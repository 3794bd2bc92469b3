package check

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func TestValuesOf(t *testing.T) {
	n := func(name string, number float64, of string) Value {
		return Value{Name: name, Number: &number, Unit: of}
	}
	pairs := []any{
		"a_size", 2 * unit.GB, "b_count", 3, "c_share", "0.4%", "d_age", "12 min", "e_guc", "16GB", "f_word", "off",
		"g_mode", "0700",
		"h_version", "16.4", "i_list", "a, b", "j_words", say.M("some words"), "k_wait", 2 * time.Second, "l_xids",
		"1.31 billion",
		"m_pages", "8337", "n_ratio", 0.5, "unused", 1,
	}
	want := []Value{
		n("a_size", float64(2*unit.GB), "bytes"), n("b_count", 3, ""), n("c_share", 0.4, "%"), n("d_age", 720, "s"),
		n("e_guc", float64(16*unit.GB), "bytes"), {Name: "f_word", Text: "off"}, {Name: "g_mode", Text: "0700"},
		{Name: "h_version", Text: "16.4"},
		n("k_wait", 2, "s"), n("l_xids", 1.31e9, ""), n("m_pages", 8337, ""), n("n_ratio", 0.5, ""),
	}
	text := ""
	for i := 0; i < len(pairs)-2; i += 2 {
		text += "{" + pairs[i].(string) + "} "
	}
	if d := cmp.Diff(want, valuesOf(say.M(say.Template(text), pairs...))); d != "" {
		t.Error(d)
	}
}

func TestCommandsOfARemedy(t *testing.T) {
	ck := Check{ID: "x", Sources: []string{"linux-vm"}, Commands: []Command{SQL("ALTER SYSTEM SET a = '{v}'"),
		Shell("sysctl --system"), Conf("vm.a = {v}")}}
	f := ck.Finding(Warning, say.M("ALTER SYSTEM SET a = '{v}' and restart, with vm.a = {v}.", "v", "8"),
		say.M("a is too small."))
	if d := cmp.Diff([]Command{SQL("ALTER SYSTEM SET a = '8';"), Conf("vm.a = 8")}, f.Commands); d != "" {
		t.Error(d)
	}
	if len(f.Sources) != 1 || f.Sources[0].URL == "" {
		t.Error(f.Sources)
	}
}
