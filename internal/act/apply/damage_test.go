package apply_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// nothingLeft reports whether a text says that nothing is left, which may be said only when it is so. What others have
// changed since then may be kept where that is said with it.
func nothingLeft(text string) bool {
	return strings.Contains(text, "All changes are undone.") &&
		!strings.Contains(text, "Values changed by others since then were kept.")
}

// damage is one thing that happens to a journal on a disk: at is a byte of it
// for those that hit bytes, a line for those that hit lines.
type damage struct {
	name  string
	lines bool
	do    func(data []byte, at int, other []byte) []byte // nil: not there
}

func splice(data []byte, from, to int, with ...byte) []byte {
	return append(append(bytes.Clone(data[:from]), with...), data[min(to, len(data)):]...)
}

// onLines lets f change the lines of a journal, each with its newline.
func onLines(data []byte, f func(lines [][]byte) [][]byte) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return bytes.Join(f(lines[:len(lines)-1]), nil)
}

var damages = []damage{
	{"cut at a byte", false, func(d []byte, at int, _ []byte) []byte { return d[:at] }},
	{"a bit flipped", false, func(d []byte, at int, _ []byte) []byte { return splice(d, at, at+1, d[at]^1<<(at%8)) }},
	{"a byte zero", false, func(d []byte, at int, _ []byte) []byte { return splice(d, at, at+1, 0) }},
	{"a block zero", false, func(d []byte, at int, _ []byte) []byte {
		return splice(d, at, at+64, make([]byte, min(64, len(d)-at))...)
	}},
	{"zero from here on", false, func(d []byte, at int, _ []byte) []byte {
		return append(bytes.Clone(d[:at]), make([]byte, len(d)-at)...)
	}},
	{"a byte lost", false, func(d []byte, at int, _ []byte) []byte { return splice(d, at, at+1) }},
	{"a byte more", false, func(d []byte, at int, _ []byte) []byte { return splice(d, at, at, '7') }},
	{"a digit changed", false, func(d []byte, at int, _ []byte) []byte {
		if d[at] < '0' || d[at] > '9' {
			return nil
		}
		return splice(d, at, at+1, '0'+(d[at]-'0'+1)%10)
	}},
	{"garbage behind", false, func(d []byte, at int, _ []byte) []byte {
		return append(bytes.Clone(d), append(bytes.Clone(d[at:]), '\n')...)
	}},
	{"another journal from here on", false, func(d []byte, at int, o []byte) []byte {
		if at >= len(o) {
			return nil
		}
		return append(bytes.Clone(d[:at]), o[at:]...)
	}},
	{"a line removed", true, func(d []byte, at int, _ []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte { return append(l[:at:at], l[at+1:]...) })
	}},
	{"all lines from here on removed", true, func(d []byte, at int, _ []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte { return l[:at] })
	}},
	{"all lines before removed", true, func(d []byte, at int, _ []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte { return l[at:] })
	}},
	{"a line swapped with the next", true, func(d []byte, at int, _ []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte {
			if at+1 == len(l) {
				return nil
			}
			l[at], l[at+1] = l[at+1], l[at]
			return l
		})
	}},
	{"a line twice", true, func(d []byte, at int, _ []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte { return append(l[:at+1:at+1], l[at:]...) })
	}},
	{"a line at the end again", true, func(d []byte, at int, _ []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte { return append(l, l[at]) })
	}},
	{"a line of another journal", true, func(d []byte, at int, o []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte {
			if k := bytes.SplitAfter(o, []byte("\n")); at < len(k) {
				l[at] = k[at]
			}
			return l
		})
	}},
	{"another journal behind a line", true, func(d []byte, at int, o []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte { return append(l[:at+1:at+1], o) })
	}},
	{"a line that ends in CR LF", true, func(d []byte, at int, _ []byte) []byte {
		return onLines(d, func(l [][]byte) [][]byte {
			l[at] = append(bytes.TrimSuffix(bytes.Clone(l[at]), []byte("\n")), "\r\n"...)
			return l
		})
	}},
	{"CR LF all through", true, func(d []byte, at int, _ []byte) []byte {
		if at > 0 {
			return nil
		}
		return bytes.ReplaceAll(d, []byte("\n"), []byte("\r\n"))
	}},
}

// clone is the host as it is, for one trial more.
func (d *toyDisk) clone() *toyDisk {
	c := *d
	c.files, c.dirs, c.live, c.locked, c.servers = maps.Clone(d.files), maps.Clone(d.dirs), maps.Clone(d.live),
		map[string]bool{}, map[string]*toyServer{}
	for k, s := range d.servers {
		t := *s
		t.running = maps.Clone(s.running)
		c.servers[k] = &t
	}
	return &c
}

// on is a bench around a host.
func on(d *toyDisk) *bench {
	b := newBench()
	kinds := map[string]apply.Kind{}
	for _, p := range []string{"sysctl", "thp", "pg", "boot"} {
		kinds[p] = toyKind{d, p}
	}
	now := time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)
	b.d, b.w.Target, b.w.Kinds, b.w.Activate = d, d, kinds, d.activate
	b.w.Now = func() time.Time { now = now.Add(time.Second); return now }
	return b
}

// story is a real journal with the host as it stands next to it.
type story struct {
	name string
	d    *toyDisk
	id   string
}

// twoOf is a short plan: two lines of one file, and a setting of a server.
func twoOf() *plan.Plan {
	return &plan.Plan{Changes: []plan.Change{change("sysctl:vm.swappiness", "", "0", "10", knob.Now),
		change("sysctl:vm.dirty_bytes", "", "0", "64", knob.Now),
		change("pg:r_a", "/data/1", "0", "1", knob.Reload)}}
}

// stories are applies that came to their end, that died on the way, and that were
// being undone when it died.
func stories(t *testing.T, p func() *plan.Plan, points ...int) (out []story) {
	t.Helper()
	const id = "20261121-100001-a"
	whole := newBench()
	if _, no := whole.run(t, p(), all); no != nil {
		t.Fatal(no)
	}
	out = append(out, story{"applied", whole.d, id})
	for _, at := range points {
		b := newBench()
		b.d.fuse = at
		if !dies(func() { _, _ = apply.Run(context.Background(), b.w, p(), b.d.snapshot(), all) }) {
			continue
		}
		out = append(out, story{"died at point " + strconv.Itoa(at), b.d, id})
	}
	for _, at := range points {
		b := on(whole.d.clone())
		b.d.fuse = at
		if !dies(func() {
			_, _ = apply.Undo(context.Background(), b.w, b.d.snapshot(), id, apply.UndoOptions{MaxEffect: knob.Restart})
		}) {
			continue
		}
		out = append(out, story{"undone, died at point " + strconv.Itoa(at), b.d, id})
	}
	undone := on(whole.d.clone())
	if _, err := apply.Undo(context.Background(), undone.w, undone.d.snapshot(), id,
		apply.UndoOptions{MaxEffect: knob.Restart}); err != nil {
		t.Fatal(err)
	}
	return append(out, story{"undone", undone.d, id})
}

// judged are the promises about one damaged journal: whatever was done to it, an
// undo, a resume and another undo end with 0 only where every value is one that
// was there before or that the apply had set, and say that nothing is left only
// where every value is as before.
type judged struct {
	t             *testing.T
	before, after map[heldPart]string
	how           string
	unsound       map[string]int // for the message: how often what
}

func (j *judged) fault(what string, d *toyDisk, data []byte) {
	if j.unsound[what]++; j.unsound[what] > 2 {
		return
	}
	j.t.Errorf("%s: %s\nit is\n%s\nthe journal was\n%.1500q", j.how, what, d.picture(true), data)
}

func (j *judged) trial(s story, data []byte, resume bool) {
	b := on(s.d.clone())
	name := journalDir + "/" + s.id + ".jsonl"
	f := b.d.files[name]
	f.data = string(data)
	b.d.files[name] = f
	for n := range 2 {
		var res apply.Result
		var err error
		if resume && n == 0 {
			res, err = apply.Resume(context.Background(), b.w, b.d.snapshot(), s.id, selection.Options{})
		} else {
			res, err = apply.Undo(context.Background(), b.w, b.d.snapshot(), s.id,
				apply.UndoOptions{MaxEffect: knob.Restart})
		}
		if errors.Is(err, context.Canceled) {
			j.t.Fatal(err)
		}
		now := b.d.parts()
		if err == nil {
			for p := range j.all(now) {
				if now[p] != j.before[p] && now[p] != j.after[p] && p != livePart(poolPath) {
					j.fault(fmt.Sprintf("exit code 0, and %s is %q: neither %q nor %q", p, now[p], j.before[p],
						j.after[p]), b.d, data)
				}
			}
		}
		if res.Journal == nil {
			continue
		}
		var text bytes.Buffer
		if err := term.Write(&text, outline.Undone(res.Journal, nil), term.Style{Width: 200}); err != nil {
			j.t.Fatal(err)
		}
		if nothingLeft(text.String()) && !maps.Equal(now, j.before) {
			j.fault("it says that nothing is left", b.d, data)
		}
		if nothingLeft(text.String()) && err != nil {
			j.fault("it says that nothing is left, and ends with "+err.Error(), b.d, data)
		}
	}
	if _, err := journalfile.List(b.d, journalDir); err != nil {
		j.fault("the journals cannot be listed: "+err.Error(), b.d, data)
	}
}

func (j *judged) all(now map[heldPart]string) map[heldPart]bool {
	out := map[heldPart]bool{}
	for _, m := range []map[heldPart]string{now, j.before, j.after} {
		for p := range m {
			out[p] = true
		}
	}
	return out
}

// dense are the kinds of damage that are done to every byte of a journal; the other
// ones, which differ from them in what is behind the byte, to every 29th.
var dense = map[string]bool{"cut at a byte": true, "a bit flipped": true}

// TestDamagedJournal does every kind of damage to real journals: to one of a short
// plan at every byte and every line, to others, of applies and undos that died on
// the way among them, at every line and about it.
func TestDamagedJournal(t *testing.T) {
	for _, c := range []struct {
		name   string
		plan   func() *plan.Plan
		every  bool
		points []int
	}{{"every byte", twoOf, true, nil}, {"cut short", twoOf, false, []int{45}},
		{"longer", func() *plan.Plan { return onto("100") }, false, []int{110}}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			damaged(t, c.plan, c.every, c.points)
		})
	}
}

// damaged does it to the journals of one plan.
func damaged(t *testing.T, of func() *plan.Plan, every bool, points []int) {
	other := newBench()
	other.w.Suffix = "z"
	if _, no := other.run(t, of(), all); no != nil {
		t.Fatal(no)
	}
	alien := []byte(other.d.files[journalDir+"/20261121-100001-z.jsonl"].data)
	list := stories(t, of, points...)
	before, after := newToy().parts(), list[0].d.parts()
	trials := 0
	for _, s := range list {
		data := []byte(s.d.files[journalDir+"/"+s.id+".jsonl"].data)
		var starts []int // of the lines
		for at := range data {
			if at == 0 || data[at-1] == '\n' {
				starts = append(starts, at)
			}
		}
		near := map[int]bool{}
		for _, at := range starts {
			for _, n := range []int{-1, 0} {
				near[min(max(at+n, 0), len(data)-1)] = true
			}
		}
		for _, d := range damages {
			j := &judged{t: t, before: before, after: after, unsound: map[string]int{}}
			most := len(data)
			if d.lines {
				most = len(starts)
			}
			for at := range most {
				if !d.lines && !near[at] && (!every || s.name != "applied" || at%29 != 0 && !dense[d.name]) {
					continue
				}
				hurt := d.do(data, at, alien)
				if hurt == nil || bytes.Equal(hurt, data) {
					continue
				}
				j.how = fmt.Sprintf("%s, %s at %d of %d", s.name, d.name, at, most)
				j.trial(s, hurt, at%2 == 1)
				trials++
			}
			if len(j.unsound) > 0 {
				t.Errorf("%s, %s: %d kinds of fault", s.name, d.name, len(j.unsound))
			}
		}
	}
	t.Logf("%d damaged journals", trials)
}
