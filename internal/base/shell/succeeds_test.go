package shell

import "testing"

func TestOnlySucceeds(t *testing.T) {
	for line, want := range map[string]bool{
		"true": true, "/bin/true": true, "/usr/bin/true": true, " true ": true, `true "%p" %f`: true, ":": true,
		": %p": true, "exit 0": true, "cd .": true, "REM": true, `rem copy "%p" "C:\\archive\\%f"`: true,
		"cmd /c exit 0": true, "exit /b 0": true, "sh -c 'exit 0'": true, `/bin/bash -c "true"`: true,
		"": false, "true && cp %p /archive/%f": false, "truecopy %p": false, "exit 1": false, "cd /archive": false,
		"remote-copy %p": false, ": > /archive/%f": false, "true; cp %p /archive/%f": false, "false": false,
	} {
		if got := OnlySucceeds(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
