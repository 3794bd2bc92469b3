package gapwords

import "github.com/pgfettle/pgfettle/internal/base/say"

// Of a probe: what it was to measure, and why it could not.
var probing = []say.Template{
	"measurements",
	"disks",
	"disk under {path}",
	"flushes under {path}",
	"flushes by fio under {path}",
	"reads under {path}",
	"reads of the disk under {path}",
	"keeping what is measured under {path}",
	"the file to read from could not be written past the page cache: {reason}",
	"this filesystem has no direct I/O",
	"the file is too small to read from",
	"the file became shorter",
	"nothing was read",
	"fio read nothing",
	"fio ended with code {n}",
	"private folder: {reason}",
	"private folder in {path}: {reason}",
	"{path} could not be removed: {reason}",
	"it belongs to another account than the instance",
}

// Of the output of a measuring program, and of a probe that was saved.
var measuredTexts = []say.Template{
	"longer than any output of this program",
	"no loop time in it: not an output of pg_test_timing",
	"no method is measured in it: not an output of pg_test_fsync",
	"no JSON in it: not an output of fio --output-format=json",
	"no version of fio in it: not an output of fio",
	"more than {n} steps in a histogram",
	"more than {n} clocks",
	"more than {n} lines in a section",
	"more than {n} jobs",
	"a step of {n} nanoseconds",
	"{name}: more than any disk or cache can do",
	"fio: job {name}: {reason}",
	"more than any disk can do",
	"more requests a second than any disk can do",
	"a number below zero",
	"schema {name} is not {schema}",
	"no time",
	"more than a probe holds",
	"more than is said of a disk",
	"a name that is too long",
	"disk {n}: {reason}",
	"timing: no clock, or too many",
	"timing: an impossible number",
	"memory: an impossible number",
	"flush: too many lines",
	"flush: an impossible rate",
	"flush by fio: an impossible number",
	"reads: an impossible number",
}
