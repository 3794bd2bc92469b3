package cli

import "github.com/spf13/cobra"

func newDiagnose(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diagnose",
		Short: "Find the cause of memory, OOM, speed or log problems",
		Long: `Find the cause of a past or current problem of a host or an instance. The report
has a verdict in one line, the evidence for it, how to prevent the problem, with
commands, and what is unknown. Nothing is changed.

  memory   memory by process, page tables, likely OOM victims
  oom      OOM kills: victim, cause, effect on the server
  log      summary of a server log, from crashes to temporary files
  slow     why one run of a query was slow, or why everything is slow now`,
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
