package owncrm

// Overview is an account as the page shows it.
type Overview struct {
	Account
	Ledger
	Faults []Fault
}

// Accounts lists all accounts by name, each with its whole ledger.
func (s *Server) Accounts() []Overview {
	var all []Overview
	for _, a := range s.sorted() {
		o := Overview{Ledger: a.ledger()}
		a.mu.Lock()
		o.Account = a.settings
		o.Faults = append([]Fault{}, a.faults...)
		a.mu.Unlock()
		all = append(all, o)
	}
	return all
}

// AddFault queues a fault for the next count writes of an account.
func (s *Server) AddFault(name, fault string, count int) error {
	f, err := faultOrder{Fault: fault, Count: &count}.fault()
	if err != nil {
		return err
	}
	a := s.account(name)
	if a == nil {
		return ErrAccount
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.addFault(f)
}

// ClearFaults empties the queue of faults of an account.
func (s *Server) ClearFaults(name string) error {
	a := s.account(name)
	if a == nil {
		return ErrAccount
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clearFaults()
}

// Executes reports whether a request that the fault hits has its effect.
func Executes(fault string) bool { return !spares(fault) }
