// Package adapters is the list of CRMs that we speak to. A new one is a folder here and a line below.
package adapters

import (
	"sverka/internal/crm"
	"sverka/internal/crm/adapters/owncrm"
)

// All lists every CRM, in the order in which the panel shows them.
func All() []crm.Adapter {
	return []crm.Adapter{
		owncrm.Adapter(),
	}
}
