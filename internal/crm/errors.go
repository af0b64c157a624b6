package crm

import "errors"

var (
	// ErrNotFound: the CRM says that there is no such record.
	ErrNotFound = errors.New("crm: no such record")
	// ErrUnreadable: a read got no usable answer. It says nothing about any write.
	ErrUnreadable = errors.New("crm: no usable answer")
)

// Unread is why a read gave nothing usable, as an outcome: whatever came back, nothing was written. It
// carries the CRM's wish to wait and the need of a person. errors.Is(err, ErrUnreadable) holds.
type Unread struct{ NotExecuted }

// Error holds the code alone.
func (u Unread) Error() string { return "crm: no usable answer: " + u.Cause }

// Is makes every Unread an ErrUnreadable.
func (Unread) Is(target error) bool { return target == ErrUnreadable }
