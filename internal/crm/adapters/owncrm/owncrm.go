// Package owncrm speaks to a company's own CRM over a small REST contract, with the names of fields
// mapped by its settings:
//
//	GET  /ping                       200 {"account": …}           are the credentials good
//	POST /leads · /notes             201 {"id": …}                create; Idempotency-Key where it is honoured
//	PUT  /leads/external/{stamp}     201 | 200 {"id": …}          upsert, atomic by external id
//	GET  /leads?stamp=…              200 {"items": [{"id": …}]}   search, where there is one
//	GET  /leads/{id}                 200 | 404                    one record
//
// A record is {"stamp": "svo-…", "fields": {…}} unless the mapping says otherwise.
package owncrm

import (
	"net/http"
	"time"

	"sverka/internal/crm"
)

// Names of the settings.
const (
	auth       = "auth"
	token      = "token"
	authHeader = "auth_header"
	capability = "capability"
	keyWindow  = "key_window"
	searchable = "searchable"
	mapping    = "mapping"
)

// Adapter describes a CRM of the tenant's own.
func Adapter() crm.Adapter {
	return crm.Adapter{
		Name:   "owncrm",
		Title:  crm.Text{EN: "Your own CRM", RU: "Своя CRM"},
		Help:   crm.Text{EN: "Any CRM with a REST interface that can create a record.", RU: "Любая CRM с REST-интерфейсом, который умеет создать запись."},
		Fields: fields(),
		Kinds:  []crm.Kind{crm.Lead, crm.Note},
		Rate:   crm.Rate{PerSecond: 50, Burst: 25, Concurrency: 4},
		Open:   open,
	}
}

func open(s crm.Settings, wire crm.Wire) (crm.Client, error) {
	o, err := read(s)
	if err != nil {
		return crm.Client{}, err
	}
	c := client{options: o, wire: wire}
	out := crm.Client{Check: c.check, Read: c.read, Creates: map[crm.Kind]crm.Create{}}
	if o.searchable {
		out.FindByStamp = c.find
	}
	for _, kind := range []crm.Kind{crm.Lead, crm.Note} {
		out.Creates[kind] = c.create()
	}
	return out, nil
}

// options are the settings, understood.
type options struct {
	header     http.Header // with the credentials
	capability crm.Capability
	keyWindow  time.Duration
	searchable bool
	paths      paths
}

// client is one open connection.
type client struct {
	options
	wire crm.Wire
}

// create gives the shape that the connection's capability promises.
func (c client) create() crm.Create {
	switch c.capability {
	case crm.IdempotentCreate:
		return crm.Keyed{Window: c.keyWindow, Do: c.createKeyed}
	case crm.UpsertByExternalID:
		return crm.Upsert{Do: c.upsert}
	}
	return crm.Once{Do: c.createOnce}
}
