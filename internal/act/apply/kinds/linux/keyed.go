package linux

import "strings"

// keyed is a form of configuration file in which one line sets one key: sysctl.d, tmpfiles.d, udev rules, systemd
// drop-ins, grub.d. Texts are taken apart at line ends only, so every byte that is not in a line of the key in hand
// stays what it was.
type keyed struct {
	header  string // what a file of ours starts with; it ends at a line end
	section string // lines count only below this line, such as [Service]; "": everywhere
	joins   bool   // a backslash at the end of a line goes on in the next one
	read    func(line string) (key, value string, ok bool)
	write   func(key, value string) string // a line without its end
}

// splitLines takes a text apart after each line end; joined again it is the same text.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// entry is a line that sets a key.
type entry struct {
	at         int // index of the line
	key, value string
}

// entries returns the lines that set a key, and the index behind the last line
// of the section: where another one could be added.
func (f keyed) entries(lines []string) (out []entry, end int) {
	in, goesOn := f.section == "", false
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		was := goesOn
		goesOn = f.joins && strings.HasSuffix(bare, `\`)
		switch {
		case was:
		case f.section != "" && strings.HasPrefix(bare, "["):
			in = bare == f.section
		case in:
			if k, v, ok := f.read(bare); ok && !goesOn {
				out = append(out, entry{i, k, v})
			}
		}
		if in && bare != "" {
			end = i + 1
		}
	}
	if f.section == "" {
		end = len(lines)
	}
	return out, end
}

// get returns the value of a key. The last line that sets it counts, as it does
// for every program that reads one of these forms.
func (f keyed) get(text *string, key string) (value string, ok bool) {
	if text == nil {
		return "", false
	}
	all, _ := f.entries(splitLines(*text))
	for _, e := range all {
		if e.key == key {
			value, ok = e.value, true
		}
	}
	return value, ok
}

// set returns the text with the key set: in the line that counts if there is one, else in a new line before the first
// one of a later key.
func (f keyed) set(text *string, key, value string) string {
	if now, ok := f.get(text, key); ok && now == value {
		return *text
	}
	return f.put(text, key, f.write(key, value))
}

// line returns the line that sets a key, without its end; "" if none does.
func (f keyed) line(text *string, key string) string {
	if text == nil {
		return ""
	}
	lines, found := splitLines(*text), ""
	all, _ := f.entries(lines)
	for _, e := range all {
		if e.key == key {
			found = strings.TrimSuffix(lines[e.at], ending(lines[e.at]))
		}
	}
	return found
}

// put is set with the line as it should be there.
func (f keyed) put(text *string, key, line string) string {
	if text == nil {
		return f.header + line + "\n"
	}
	lines := splitLines(*text)
	all, end := f.entries(lines)
	at, found := end, -1
	for _, e := range all {
		if e.key == key {
			found = e.at
		}
		if e.key > key && e.at < at {
			at = e.at
		}
	}
	if found >= 0 {
		lines[found] = line + ending(lines[found])
		return strings.Join(lines, "")
	}
	added := []string{line + "\n"}
	if f.section != "" && end == 0 {
		added = append([]string{f.section + "\n"}, added...)
		at = len(lines)
	}
	if at > 0 && ending(lines[at-1]) == "" {
		lines[at-1] += "\n"
	}
	if f.joins && at > 0 && strings.HasSuffix(strings.TrimSpace(lines[at-1]), `\`) {
		added = append([]string{"\n"}, added...) // else it would go on in ours
	}
	return strings.Join(lines[:at], "") + strings.Join(added, "") + strings.Join(lines[at:], "")
}

// without returns the found text with the key as it was before: its line as it
// stood there, or no line. Nothing is left of a file that holds only our header.
func (f keyed) without(found, before *string, key string) *string {
	if found == nil {
		return before
	}
	if was := f.line(before, key); was != "" {
		text := f.put(found, key, was)
		return &text
	}
	lines := splitLines(*found)
	all, _ := f.entries(lines)
	for _, e := range all {
		if e.key == key {
			lines[e.at] = ""
		}
	}
	text := strings.Join(lines, "")
	if text == f.header && (before == nil || *before != f.header) {
		return nil
	}
	return &text
}

// ending returns the line end of a line: "\n", "\r\n" or "".
func ending(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	if strings.HasSuffix(line, "\n") {
		return "\n"
	}
	return ""
}
