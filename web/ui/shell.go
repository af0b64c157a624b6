package ui

import (
	"net/url"
	"time"

	"sverka/internal/i18n"
)

// Shell is what stands around every page.
type Shell struct {
	TenantName string // "" = no tenant: a page that belongs to nobody, such as an error
	Slug       string
	Here       string // inbox | attention: which section the page belongs to
	Waiting    int    // on a person's list
	Address    *url.URL
	Version    string
	Now        time.Time // of the database: what ages are counted from
}

// Inbox and Attention are the addresses of the sections.
func (s Shell) Inbox() string     { return "/t/" + url.PathEscape(s.Slug) + "/inbox" }
func (s Shell) Attention() string { return "/t/" + url.PathEscape(s.Slug) + "/attention" }

func (s Shell) home() string {
	if s.Slug == "" {
		return "/"
	}
	return s.Inbox()
}

// in is the address of this page in another language.
func (s Shell) in(l i18n.Lang) string {
	if s.Address == nil {
		return "?lang=" + string(l)
	}
	query := s.Address.Query()
	query.Set(i18n.Cookie, string(l))
	return s.Address.Path + "?" + query.Encode()
}

// here is the address of this page, without the wish for a language.
func (s Shell) here() string {
	if s.Address == nil {
		return "?"
	}
	query := s.Address.Query()
	query.Del(i18n.Cookie)
	if len(query) == 0 {
		return s.Address.Path
	}
	return s.Address.Path + "?" + query.Encode()
}
