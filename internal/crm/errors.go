package crm

import "errors"

var (
	// ErrNotFound: the CRM says that there is no such record.
	ErrNotFound = errors.New("crm: no such record")
	// ErrUnreadable: a read got no usable answer. It says nothing about any write.
	ErrUnreadable = errors.New("crm: no usable answer")
)
