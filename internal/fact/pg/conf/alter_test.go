package conf

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func value(s string) *string { return &s }

func TestAlterSystem(t *testing.T) {
	text := ""
	for _, step := range []struct {
		name  string
		value *string
		want  string
	}{
		{"work_mem", value("4MB"), autoHeader + "work_mem = '4MB'\n"},
		{"log_line_prefix", value(`%m 'q' \`), autoHeader + "work_mem = '4MB'\nlog_line_prefix = '%m ''q'' \\\\'\n"},
		{"WORK_MEM", value("8MB"), autoHeader + "log_line_prefix = '%m ''q'' \\\\'\nwork_mem = '8MB'\n"},
		{"no_such", nil, autoHeader + "log_line_prefix = '%m ''q'' \\\\'\nwork_mem = '8MB'\n"},
		{"log_line_prefix", nil, autoHeader + "work_mem = '8MB'\n"},
	} {
		got, err := AlterSystem(text, step.name, step.value)
		if err != nil || got != step.want {
			t.Fatalf("%s: %v\n%s", step.name, err, got)
		}
		text = got
	}
	for _, bad := range []string{"a = 0.5ms\n", "include 'x'\n"} {
		if _, err := AlterSystem(bad, "a", nil); err == nil {
			t.Errorf("%q is rewritten", bad)
		}
	}
	if _, err := AlterSystem("", "a", value("x\ny")); err == nil {
		t.Error("a value of two lines is written")
	}
	if _, err := AlterSystem("", "include", value("x")); err == nil {
		t.Error("a directive is written")
	}
}

// TestSteps: the statements lead from any text to any other that ALTER SYSTEM
// can write, and none of them touches a value that both texts have.
func TestSteps(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	auto := func(t *rapid.T, label string) string {
		text := autoHeader
		for i := range rapid.IntRange(0, 8).Draw(t, label) {
			_ = i
			v := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "value")
			text, _ = AlterSystem(text, rapid.SampledFrom(names).Draw(t, "name"), &v)
		}
		return text
	}
	rapid.Check(t, func(t *rapid.T) {
		from, to := auto(t, "from"), auto(t, "to")
		steps, err := Steps(from, to)
		if err != nil {
			t.Fatal(err)
		}
		if from == to && len(steps) > 0 {
			t.Fatalf("%d steps to stay", len(steps))
		}
		text := from
		for _, s := range steps {
			if text, err = AlterSystem(text, s.Name, s.Value); err != nil {
				t.Fatal(err)
			}
			for _, n := range names {
				now, _ := Get(text, n)
				a, inA := Get(from, n)
				b, inB := Get(to, n)
				if inA && inB && a == b && now != a {
					t.Fatalf("%s is %q on the way from %q to %q", n, now, a, b)
				}
			}
		}
		if text != to {
			t.Fatalf("%q, wanted %q", text, to)
		}
		v := "3"
		one, _ := AlterSystem(from, "a", &v)
		if s, err := Steps(from, one); err != nil || len(s) != 1 {
			t.Fatalf("one ALTER SYSTEM is %d steps, %v", len(s), err)
		}
	})
	for _, to := range []string{"a = 1\n", autoHeader + "# x\na = '1'\n", autoHeader + "a = '1'\na = '2'\n"} {
		if _, err := Steps(autoHeader, to); !errors.Is(err, ErrNoWay) {
			t.Errorf("%q: %v", to, err)
		}
	}
}

// TestRewritten: what stays of a file that somebody edited, when the server next
// writes it. It is a text that statements can lead to.
func TestRewritten(t *testing.T) {
	got, err := Rewritten("# by hand\nWORK_MEM=5MB # small\njit on\n\nwork_mem = '7MB'\n")
	if want := autoHeader + "jit = 'on'\nwork_mem = '7MB'\n"; err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := Steps(autoHeader, got); err != nil {
		t.Error(err)
	}
	if again, err := Rewritten(got); err != nil || again != got {
		t.Errorf("written once more it is %q, %v", again, err)
	}
	if got, err := Rewritten(""); err != nil || got != autoHeader {
		t.Errorf("an empty file: %q, %v", got, err)
	}
	if _, err := Rewritten("a = 0.5ms\n"); err == nil {
		t.Error("a file that the server does not read is rewritten")
	}
}

func TestSQL(t *testing.T) {
	for _, c := range []struct {
		step Step
		want string
	}{
		{Step{"work_mem", value("4MB")}, `ALTER SYSTEM SET "work_mem" = '4MB'`},
		{Step{"work_mem", nil}, `ALTER SYSTEM RESET "work_mem"`},
		{Step{"auto_explain.log_analyze", value("on")}, `ALTER SYSTEM SET "auto_explain"."log_analyze" = 'on'`},
		{Step{"log_line_prefix", value(`it's \ `)}, `ALTER SYSTEM SET "log_line_prefix" = E'it''s \\ '`},
		{Step{"shared_preload_libraries", value(`a, "b,c"`)},
			`ALTER SYSTEM SET "shared_preload_libraries" = 'a', 'b,c'`},
		{Step{"shared_preload_libraries", value("")}, ""},
		{Step{`a"; drop`, nil}, ""},
		{Step{"include", nil}, ""},
	} {
		if got, err := c.step.SQL(); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %s, %v", c.step, got, err)
		}
	}
	for in, want := range map[string]string{
		"a,b": "a, b", ` a , "B c" ,"d""e"`: `a, "B c", "d""e"`, "$libdir/x": `"$libdir/x"`, "": "", `""`: `""`,
	} {
		if got := FlattenList(in); got != want || FlattenList(got) != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
