package cli

import "github.com/spf13/cobra"

func newDiagnose(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diagnose",
		Short: "Find out what happened, or what is happening: a post-mortem with its evidence",
		Long: `Find out what happened to a host or an instance, or what is happening to it: the
verdict in one line, the evidence for it, what would have prevented it with the
commands, and what could not be told. Nothing is changed.

memory: who holds the memory, what page tables take, whom the OOM killer would choose.
oom: whom the OOM killer killed, why, what it did to the server.
log: what a server's log shows, from crashes to temporary files.
slow: why one run of a query was slow and another one was not, or why all are now.`,
		Example: `  pgfettle diagnose memory
  pgfettle diagnose memory --watch
  pgfettle diagnose oom
  pgfettle diagnose oom /var/log/kern.log
  pgfettle diagnose log /var/log/postgresql/postgresql-17-main.log
  pgfettle diagnose slow slow.txt fast.txt
  pgfettle diagnose slow --sample 30s`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newDiagnoseMemory(env), newDiagnoseOOM(env), newDiagnoseLog(env), newDiagnoseSlow(env))
	return cmd
}
