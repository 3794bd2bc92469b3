package render

// Clean makes a text harmless to look at and keeps it on one line: what acts on
// the screen, or on the order of what is seen there, is written as \xNN or \u{NNNN}.
func Clean(s string) string { return clean(s) }
