package intake

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sverka/internal/pg"

	"sverka/internal/connection"
	"sverka/internal/crm"
	"sverka/internal/id"
	"sverka/internal/operation"
	"sverka/internal/route"
	"sverka/internal/telegram"
)

// add plans the lead of a new inquiry, or the note that continues an open one. It is never both, and
// planning the same effect again adds nothing.
func (s said) add(ctx context.Context, tx pg.Tx, r route.Route, who id.Contact, in id.Inquiry, fresh bool, fields map[string]string) error {
	plan := operation.Plan{
		Event: s.event, Route: r.ID, RouteVersion: r.Version, Connection: r.Connection, Contact: who, Inquiry: in,
		Kind: crm.Lead, Effect: operation.LeadEffect(crm.Lead, in), Fields: fields,
	}
	if !fresh {
		lead, err := operation.Find(ctx, tx, s.tenant.ID, r.Connection, plan.Effect)
		if err != nil && !errors.Is(err, operation.ErrNotFound) {
			return err
		}
		if err == nil { // else the inquiry has no lead yet, and this message makes it
			plan.Kind, plan.DependsOn = crm.Note, lead
			plan.Effect = operation.NoteEffect(in, s.message.BusinessKey())
			plan.Fields = map[string]string{"text": fields["text"]}
		}
	}
	promise, err := connection.PromiseFor(ctx, tx, s.tenant.ID, r.Connection, plan.Kind)
	if err != nil {
		return err
	}
	plan.Capability, plan.KeyWindow, plan.SerialOnly = promise.Capability, promise.KeyWindow, promise.SerialOnly
	_, _, err = operation.Add(ctx, tx, s.tenant.ID, s.key, plan)
	return err
}

// known is everything that a mapping may use, by our names.
func (s said) known(phone string) map[string]string {
	fields := map[string]string{
		"name":          fullName(s.sender.FirstName, s.sender.LastName),
		"username":      s.sender.Username,
		"telegram_id":   strconv.FormatInt(s.sender.ID, 10),
		"language":      s.sender.Language,
		"text":          s.text(phone),
		"start_payload": s.message.StartPayload,
		"bot":           s.bot.Name,
	}
	if c := s.message.Contact; c != nil && c.Own {
		fields["phone"] = phone
	}
	return fields
}

// text is what the customer said, or, without words, what was sent.
func (s said) text(phone string) string {
	var parts []string
	if s.message.Text != "" {
		parts = append(parts, s.message.Text)
	}
	if c := s.message.Contact; c != nil {
		parts = append(parts, strings.TrimSpace("☎ "+fullName(c.FirstName, c.LastName)+" "+phone))
	}
	for _, a := range s.message.Attachments {
		parts = append(parts, attachment(a))
	}
	return strings.Join(parts, "\n")
}

// attachment names what was sent; its content is fetched by a person who may, never by the CRM.
func attachment(a telegram.Attachment) string {
	what := a.Kind
	for _, detail := range []string{a.FileName, a.Detail} {
		if detail != "" {
			what += ": " + detail
		}
	}
	return "[" + what + "]"
}

func fullName(first, last string) string { return strings.TrimSpace(first + " " + last) }
