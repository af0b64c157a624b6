package jobs

import (
	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"sverka/internal/id"
)

// InterpretArgs wakes the interpretation of a bot's events. Ids only: River keeps arguments in the open.
type InterpretArgs struct {
	Tenant id.Tenant `json:"tenant"`
	Owner  uuid.UUID `json:"owner"`
}

// Kind names the job in River.
func (InterpretArgs) Kind() string { return string(id.Interpret) }

// PerformArgs wakes the operations of a connection.
type PerformArgs struct {
	Tenant id.Tenant `json:"tenant"`
	Owner  uuid.UUID `json:"owner"`
}

// Kind names the job in River.
func (PerformArgs) Kind() string { return string(id.Perform) }

// argsOf makes the job of a bell.
func argsOf(o id.Owner) river.JobArgs {
	if o.Work == id.Perform {
		return PerformArgs{Tenant: o.Tenant, Owner: o.ID}
	}
	return InterpretArgs{Tenant: o.Tenant, Owner: o.ID}
}
