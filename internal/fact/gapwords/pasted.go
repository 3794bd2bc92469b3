package gapwords

import "github.com/pgfettle/pgfettle/internal/base/say"

// Of a paste: what is odd about a part, why it is not used, and why two parts differ.
var pasted = []say.Template{
	"the array {name} lacks a disk",
	"a limit as large as the memory of the host is no limit",
	"lines are missing in the input: there may be more CPUs",
	"these are the parameters in the configuration of a cluster manager or operator",
	"a command sets these values; the input does not show whether it was run",
	"the line {name} is cut",
	"the line {name} is cut: its number may have more digits",
	"the unit is not in the input: bytes is assumed from the size of the numbers",
	"the unit is not in the input: GB is assumed from the size of the numbers",
	"the unit is not in the input: MB is assumed from the size of the numbers",
	"all rows show the same process at different times",
	"these are the limits of the shell in which the command was run; those of a server are in /proc/PID/limits",
	"the sizes are the sums of the mappings in the input",
	"the only row shows the averages since boot",
	"the last of several reports is used; the first shows the averages since boot",
	"an included file is not in the input: {name}",
	"these parameters are on the command line that starts a server",
	"these options take effect after update-grub and a reboot",
	"top cut numbers that did not fit into its columns (+): their last digits are missing",
	"top cut numbers that did not fit into its columns (+): they are omitted, because the number of missing " +
		"digits is unknown",
	"a program proposes these values; the input does not show whether they are in effect",
	"it is not known to be in effect",
	"the main process of the unit has ended",
	"it is of another host",
	"another part has a different value of {name}: it is of another host, or of another time",
	"they are of different hosts, or of different times",
	"the file may not be in effect; the value that the server shows is used",
	"it was changed in between, or they are of different servers; the later one is used",
	"it was changed in between; the later one is used",
	"a later part shows the same host after a change",
	"check and plan need nothing from it",
	"the NUMA nodes are taken from another part",
	"the state of the memory is taken from another part",
	"it does not show the total memory",
	"the CPUs are taken from another part",
	"it does not show how many CPUs there are",
}
