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

// write sends a record and says what its answer proves.
func (c client) write(ctx context.Context, method, path string, header http.Header, r crm.Record) crm.Outcome {
	body, err := c.paths.body(r)
	if err != nil {
		return crm.Refused{Reason: string(crm.BadRequest)}
	}
	answer := c.wire.Send(ctx, crm.Call{Method: method, Path: path, Header: header, Body: body, Write: true})
	return crm.Classify(answer, crm.Reading{Ref: func(a crm.Answer) crm.Ref { return c.paths.object(r.Kind, decode(a.Body)).Ref }})
}

func (c client) createOnce(ctx context.Context, r crm.Record) crm.Outcome {
	return c.write(ctx, http.MethodPost, path(r.Kind), c.header, r)
}

// createKeyed sends the key with every repeat. While the first request with it runs, the CRM answers
// 409: nothing was executed by this one.
func (c client) createKeyed(ctx context.Context, r crm.Record, key crm.Key) crm.Outcome {
	header := c.header.Clone()
	header.Set("Idempotency-Key", string(key))
	out := c.write(ctx, http.MethodPost, path(r.Kind), header, r)
	if refused, ok := out.(crm.Refused); ok && refused.Reason == "http_409" {
		return crm.NotExecuted{Cause: "key_in_progress"}
	}
	return out
}

// upsert looks first: a late second write would overwrite what people changed meanwhile.
func (c client) upsert(ctx context.Context, r crm.Record, id crm.ExternalID) crm.Outcome {
	if c.searchable {
		found, err := c.find(ctx, r.Kind, r.Stamp)
		if err != nil {
			return crm.NotExecuted{Cause: "search_failed"}
		}
		if len(found) > 0 {
			return crm.Executed{Ref: found[0].Ref}
		}
	}
	return c.write(ctx, http.MethodPut, path(r.Kind)+"/external/"+url.PathEscape(string(id)), c.header, r)
}

func (c client) find(ctx context.Context, kind crm.Kind, stamp crm.Stamp) ([]crm.Object, error) {
	answer := c.get(ctx, path(kind)+"?stamp="+url.QueryEscape(string(stamp)))
	items, readable := at(decode(answer.Body), c.paths.of("items", "items")).([]any)
	if answer.Status != http.StatusOK || !answer.Whole || !readable {
		return nil, crm.ErrUnreadable
	}
	var found []crm.Object
	for _, item := range items {
		o := c.paths.object(kind, item)
		if o.Ref == "" {
			return nil, crm.ErrUnreadable
		}
		if o.Stamp == stamp || o.Stamp == "" { // a CRM whose search is loose gives others too
			found = append(found, o)
		}
	}
	return found, nil
}

func (c client) read(ctx context.Context, kind crm.Kind, ref crm.Ref) (crm.Object, error) {
	answer := c.get(ctx, path(kind)+"/"+url.PathEscape(string(ref)))
	if answer.Status == http.StatusNotFound {
		return crm.Object{}, crm.ErrNotFound
	}
	o := c.paths.object(kind, decode(answer.Body))
	if answer.Status != http.StatusOK || !answer.Whole || o.Ref == "" {
		return crm.Object{}, crm.ErrUnreadable
	}
	return o, nil
}
