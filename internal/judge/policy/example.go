package policy

// Example is a whole file with everything that may stand in it.
const Example = `# What this site has decided for itself. pgfettle reads this file from
# /etc/pgfettle/policy.toml, or from where --policy says.
# 'pgfettle policy check' tells what is wrong in it, with the line.

# What the servers are for: web, oltp, dw, mixed, desktop or 1c.
# --profile on the command line goes before it.
profile = "oltp"

# Values that plans keep to. The addresses are those of 'pgfettle explain'.
[pins]
"pg:work_mem" = "64MB"
"sysctl:vm.swappiness" = 5

# Findings that somebody has decided to live with. Each needs a reason and the
# last day on which it holds; on the next one the finding is reported again, and
# that the acceptance has ended (policy_expired).
[[accept]]
id = "swap_none"
instance = "host" # findings on the host only; without this line: everywhere
reason = "The provider allows no swap; memory is watched."
expires = 2027-06-30

[[accept]]
id = "tls_off"
instance = "/srv/pg/17" # a data directory or a port, as findings show it
reason = "Clients come through a tunnel."
expires = "never" # has to be said

# How far a run may go.
[limits]
max_effect = "restart" # apply never does what needs more: now, reload, restart, reboot
fail_on = "warning"    # check ends with 3 at this severity or a worse one; --fail-on goes before it

# Whose instances count when root looks at this host: they are asked, and the
# kernel is planned for them. Without this table: those of system accounts.
# Instances of all others are listed as strangers, and decide nothing.
[trust]
owners = ["postgres"]
`
