package advice

// OnecManagedLocks: automatic locks of the platform are locks of whole tables on PostgreSQL.
var OnecManagedLocks = Page{
	ID:    "onec-managed-locks",
	Kind:  Application,
	Title: "1C: managed locks",
	Names: []string{"managed_locks", "управляемые_блокировки", "automatic_locks"},
	Text: []string{
		"Switch the configuration to managed locks (Управляемые). With automatic ones the platform locks whole tables on PostgreSQL, and " +
			"users wait for each other. The change is in the configuration and its code, no setting of the server replaces it; old objects " +
			"have to be gone through one by one.",
	},
	Verify:  "log_lock_waits = on, and the waits that are logged.",
	Sources: []string{"article-1c", "its-1c"},
	See:     []string{"pg:log_lock_waits", "pg:max_locks_per_transaction"},
}
