package crm

import "time"

// Outcome says what is known about the effect of one attempt.
//
//sumtype:decl
type Outcome interface{ outcome() }

type (
	// Executed: the CRM has it, under this ref.
	Executed struct{ Ref Ref }
	// Refused: the CRM refused, and would refuse again.
	Refused struct{ Reason string }
	// NotExecuted: provably had no effect. With Hold set the connection needs a person first
	// (credentials, certificate, a moved address); else it may be repeated.
	NotExecuted struct {
		Cause   string        // a stable code: throttled, no_connection, unauthorized, …
		RetryIn time.Duration // the CRM's own wish (Retry-After); 0 = our schedule decides
		Hold    bool
	}
	// Stale: a stage move that came too late; Have is what stands in the CRM.
	Stale struct{ Have string }
	// Unknown: it may have happened. Cause is a stable code, never a remote text.
	Unknown struct{ Cause string }
)

func (Executed) outcome()    {}
func (Refused) outcome()     {}
func (NotExecuted) outcome() {}
func (Stale) outcome()       {}
func (Unknown) outcome()     {}
