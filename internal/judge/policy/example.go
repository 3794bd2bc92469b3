package policy

// Example is a complete file with everything that it can contain.
const Example = `# Decisions of this site. pgfettle reads this file from
# /etc/pgfettle/policy.toml, or from the file that --policy names.
# 'pgfettle policy check' reports errors in it, with the line.

# Workload of the servers: web, oltp, dw, mixed, desktop or 1c.
# --profile on the command line overrides it.
profile = "oltp"

# Values that plans keep. The addresses are those of 'pgfettle explain'.
[pins]
"pg:work_mem" = "64MB"
"sysctl:vm.swappiness" = 5

# Accepted findings. Each needs a reason and the last day on which it is valid.
# On the next day the finding is reported again, together with the expired
# acceptance (policy_expired).
[[accept]]
id = "swap_none"
instance = "host" # only findings on the host; without this line: everywhere
reason = "The provider allows no swap; memory is monitored."
expires = 2027-06-30

[[accept]]
id = "tls_off"
instance = "/srv/pg/17" # a data directory or a port, as findings show it
reason = "Clients come through a tunnel."
expires = "never" # must be explicit

# Limits of a run.
[limits]
# max_effect is the largest interruption by apply: now, reload, restart, reboot.
max_effect = "restart"
# check exits with 3 at this severity or a worse one; --fail-on overrides it.
fail_on = "warning"

# Accounts whose instances root trusts on this host: pgfettle queries them and
# plans the kernel for them. Without this table: those of system accounts.
# Instances of all other accounts are listed as strangers, and change no plan.
[trust]
owners = ["postgres"]
`
