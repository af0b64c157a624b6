package owncrm

import (
	"errors"
	"fmt"
	"slices"
)

// Fault is one entry of an account's queue of faults.
type Fault struct {
	Fault string  `json:"fault"`
	Count int     `json:"count,omitempty"` // requests that it will still hit; 0 = it goes by Rate
	Rate  float64 `json:"rate,omitempty"`  // share of requests that it hits, until cleared
	On    string  `json:"on"`              // "write" or "any"
}

// The eight faults (design/wire.md).
const (
	loseResponse      = "lose_response"
	loseRequest       = "lose_request"
	refuse            = "refuse"
	throttle          = "throttle"
	error500Executed  = "error_500_executed"
	error500Not       = "error_500_not_executed"
	slow              = "slow"
	resetMidBody      = "reset_mid_body"
	garbage2xx        = "garbage_2xx"
	onWrite, onAny    = "write", "any"
	maxFaultCount     = 1_000_000
	maxQueuedOfFaults = 1_000
)

// Faults lists the names in the order of wire.md's table.
func Faults() []string {
	return []string{
		loseResponse, loseRequest, refuse, throttle, error500Executed, error500Not, slow, resetMidBody, garbage2xx,
	}
}

// spares reports whether the fault keeps the request from being executed.
func spares(fault string) bool {
	return slices.Contains([]string{loseRequest, refuse, throttle, error500Not}, fault)
}

// ErrFault: what was posted is no fault.
var ErrFault = errors.New("bad fault")

// faultOrder is the body of POST …/faults; a pointer tells absent from zero.
type faultOrder struct {
	Fault string   `json:"fault"`
	Count *int     `json:"count"`
	Rate  *float64 `json:"rate"`
	On    string   `json:"on"`
}

func (in faultOrder) fault() (Fault, error) {
	f := Fault{Fault: in.Fault, On: in.On}
	if f.On == "" {
		f.On = onWrite
	}
	switch {
	case !slices.Contains(Faults(), in.Fault):
		return f, fmt.Errorf("%w: fault must be one of %v", ErrFault, Faults())
	case f.On != onWrite && f.On != onAny:
		return f, fmt.Errorf(`%w: on must be "write" or "any"`, ErrFault)
	case in.Count != nil && in.Rate != nil:
		return f, fmt.Errorf("%w: give count or rate, not both", ErrFault)
	case in.Rate != nil && !(*in.Rate > 0 && *in.Rate <= 1):
		return f, fmt.Errorf("%w: rate must be above 0 and at most 1", ErrFault)
	case in.Count != nil && (*in.Count < 1 || *in.Count > maxFaultCount):
		return f, fmt.Errorf("%w: count must be 1 to %d", ErrFault, maxFaultCount)
	}
	switch {
	case in.Rate != nil:
		f.Rate = *in.Rate
	case in.Count != nil:
		f.Count = *in.Count
	default:
		f.Count = 1
	}
	return f, nil
}

// addFault queues a fault behind the others.
func (a *account) addFault(f Fault) error {
	if len(a.faults) >= maxQueuedOfFaults {
		return fmt.Errorf("%w: %d faults are queued already", ErrFault, len(a.faults))
	}
	next := append(slices.Clone(a.faults), f)
	return a.record(entry{Faults: &next})
}

func (a *account) clearFaults() error {
	return a.record(entry{Faults: &[]Fault{}})
}

// takeFault finds the first fault of the queue that hits this request, and what the queue is after
// it; nil = unchanged. The caller records the queue together with what the request did.
func (a *account) takeFault(write bool) (string, *[]Fault) {
	for i, f := range a.faults {
		switch {
		case f.On == onWrite && !write:
		case f.Rate > 0:
			if a.dice.hits(f.Rate) {
				return f.Fault, nil
			}
		default:
			left := slices.Clone(a.faults)
			if left[i].Count--; left[i].Count == 0 {
				left = slices.Delete(left, i, i+1)
			}
			return f.Fault, &left
		}
	}
	return "", nil
}
