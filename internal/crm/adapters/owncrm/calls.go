package owncrm

import (
	"context"
	"net/http"
	"net/url"

	"sverka/internal/crm"
)

func path(kind crm.Kind) string { return "/" + string(kind) + "s" }

func (c client) check(ctx context.Context) crm.Outcome {
	return crm.Classify(c.get(ctx, "/ping"), crm.Reading{Ref: func(a crm.Answer) crm.Ref {
		return crm.Ref(text(at(decode(a.Body), "account")))
	}})
}

func (c client) get(ctx context.Context, path string) crm.Answer {
	return c.wire.Send(ctx, crm.Call{Method: http.MethodGet, Path: path, Header: c.header})
}

// write is a request that makes a record.
type write struct {
	method   string
	path     string
	header   http.Header
	override func(crm.Answer) crm.Outcome
}

// send sends a record and says what its answer proves. An answer whose stamp is dropped or another still
// proves the record, by its id; that it cannot be found by its stamp later is shown only by a search.
func (c client) send(ctx context.Context, w write, r crm.Record) crm.Outcome {
	body, err := c.paths.body(r)
	if err != nil {
		return crm.Refused{Reason: "mapping_collision"}
	}
	answer := c.wire.Send(ctx, crm.Call{Method: w.method, Path: w.path, Header: w.header, Body: body, Write: true})
	return crm.Classify(answer, crm.Reading{
		Ref:      func(a crm.Answer) crm.Ref { return c.paths.object(r.Kind, decode(a.Body)).Ref },
		Override: w.override,
	})
}

func (c client) createOnce(ctx context.Context, r crm.Record) crm.Outcome {
	return c.send(ctx, write{method: http.MethodPost, path: path(r.Kind), header: c.header}, r)
}

// createKeyed sends the key with every repeat.
func (c client) createKeyed(ctx context.Context, r crm.Record, key crm.Key) crm.Outcome {
	header := c.header.Clone()
	header.Set("Idempotency-Key", string(key))
	return c.send(ctx, write{method: http.MethodPost, path: path(r.Kind), header: header, override: keyBusy}, r)
}

// keyBusy reads a 409: the first request with the key still runs, and this one did nothing.
func keyBusy(a crm.Answer) crm.Outcome {
	if a.Status == http.StatusConflict {
		return crm.NotExecuted{Cause: "key_in_progress", RetryIn: crm.RetryAfter(a.Header)}
	}
	return nil
}

// upsert looks first: a late second write would overwrite what people changed meanwhile. A CRM that
// cannot be searched gives no way to look; there a repeat is safe, but not gentle.
func (c client) upsert(ctx context.Context, r crm.Record, id crm.ExternalID) crm.Outcome {
	if c.searchable {
		found, seen, ok := c.search(ctx, r.Kind, r.Stamp)
		if !ok {
			return notSeen(seen)
		}
		if len(found) > 0 {
			return crm.Executed{Ref: found[0].Ref}
		}
	}
	return c.send(ctx, write{method: http.MethodPut, path: path(r.Kind) + "/external/" + url.PathEscape(string(id)), header: c.header}, r)
}

// notSeen is the outcome of a write whose look-up failed: nothing was written, whatever came back.
func notSeen(a crm.Answer) crm.NotExecuted {
	if (a.Status == http.StatusForbidden || a.Status == http.StatusNotFound) && text(at(decode(a.Body), "error")) == "not_searchable" {
		return crm.NotExecuted{Cause: "not_searchable", Hold: true} // the settings promise a search
	}
	if out, ok := crm.Classify(a, crm.Reading{}).(crm.NotExecuted); ok {
		return out // with the wish to wait, or the need of a person
	}
	return crm.NotExecuted{Cause: "search_failed"}
}

func (c client) find(ctx context.Context, kind crm.Kind, stamp crm.Stamp) ([]crm.Object, error) {
	found, seen, ok := c.search(ctx, kind, stamp)
	if !ok {
		return nil, crm.Unread{NotExecuted: notSeen(seen)}
	}
	return found, nil
}

// search gives the records that bear the stamp. A CRM whose search is loose, or that ignores what was
// asked, gives others too: only the stamp in a record proves that it is ours.
func (c client) search(ctx context.Context, kind crm.Kind, stamp crm.Stamp) (found []crm.Object, seen crm.Answer, ok bool) {
	seen = c.get(ctx, path(kind)+"?stamp="+url.QueryEscape(string(stamp)))
	if seen.Status != http.StatusOK || !seen.Whole {
		return nil, seen, false
	}
	items, readable := at(decode(seen.Body), c.paths.special("items")...).([]any)
	if !readable {
		return nil, seen, false
	}
	for _, item := range items {
		o := c.paths.object(kind, item)
		if o.Stamp != stamp {
			continue
		}
		if o.Ref == "" {
			return nil, seen, false
		}
		found = append(found, o)
	}
	return found, seen, true
}

func (c client) read(ctx context.Context, kind crm.Kind, ref crm.Ref) (crm.Object, error) {
	if ref == "" || ref == "." || ref == ".." { // no segment of a path: it would read something else
		return crm.Object{}, crm.ErrNotFound
	}
	answer := c.get(ctx, path(kind)+"/"+url.PathEscape(string(ref)))
	switch {
	case answer.Status == http.StatusNotFound:
		return crm.Object{}, crm.ErrNotFound
	case answer.Status != http.StatusOK || !answer.Whole:
		return crm.Object{}, crm.ErrUnreadable
	}
	o := c.paths.object(kind, decode(answer.Body))
	if o.Ref == "" {
		return crm.Object{}, crm.ErrUnreadable
	}
	return o, nil
}
