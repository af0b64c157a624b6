package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sverka/internal/sandbox/botapi"
	"sverka/internal/sandbox/owncrm"
)

// buttons are the forms of the page by the last part of their address. An error is the key of a text.
var buttons = map[string]func(*Page, *http.Request, *address) error{
	"message":   (*Page).message,
	"phone":     (*Page).phone,
	"start":     (*Page).start,
	"redeliver": (*Page).redeliver,
	"fault":     (*Page).fault,
	"clear":     (*Page).clear,
	"bot":       (*Page).addBot,
	"account":   (*Page).addAccount,
}

// wrong is a refusal that the page has a text for.
type wrong string

func (w wrong) Error() string { return string(w) }

const maxForm = 1 << 20

// act does what a button says and shows the page again.
func (p *Page) act(w http.ResponseWriter, r *http.Request) {
	press, known := buttons[r.PathValue("what")]
	if !known {
		http.NotFound(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := readAddress(r, r.PostForm)
	a.Error = ""
	if err := press(p, r, &a); err != nil {
		a.Error = "error_other"
		if known := wrong(""); errors.As(err, &known) {
			a.Error = string(known)
		} else {
			p.log.Warn("sandbox page", "button", r.PathValue("what"), "error", err)
		}
	}
	back := a.URL()
	if place := r.PostForm.Get("place"); place != "" {
		back += "#" + place
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (p *Page) message(r *http.Request, a *address) error {
	text := strings.TrimSpace(r.PostForm.Get("text"))
	if text == "" {
		return wrong("error_text")
	}
	return p.say(a, map[string]any{"text": text})
}

func (p *Page) phone(r *http.Request, a *address) error {
	number := strings.TrimSpace(r.PostForm.Get("phone"))
	if number == "" {
		return wrong("error_phone")
	}
	return p.say(a, map[string]any{"contact": map[string]string{"phone_number": number}})
}

func (p *Page) start(r *http.Request, a *address) error {
	return p.say(a, map[string]any{"start": strings.TrimSpace(r.PostForm.Get("payload"))})
}

// say injects the short form as the customer that the address names.
func (p *Page) say(a *address, what map[string]any) error {
	if a.As == "" {
		return wrong("error_name")
	}
	first, last, _ := strings.Cut(a.As, " ")
	what["from"] = map[string]any{
		"id": p.chat(*a), "first_name": first, "last_name": last, "language_code": a.Lang,
	}
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	_, err = p.bots.Inject(a.Bot, body, false)
	if errors.Is(err, botapi.ErrNoBot) {
		return wrong("error_bot")
	}
	return err
}

// chat is the one of the person with this name who wrote already; else the name decides.
func (p *Page) chat(a address) int64 {
	for _, person := range p.bots.People(a.Bot) {
		if person.Name == a.As {
			return person.Chat
		}
	}
	return botapi.PersonID(a.As)
}

// redeliver does not wait longer for the receiver than a person would for a page.
func (p *Page) redeliver(r *http.Request, a *address) error {
	no, err := strconv.Atoi(r.PostForm.Get("no"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	_, err = p.bots.Redeliver(ctx, a.Bot, botapi.Again{No: &no, Times: 2, Parallel: true})
	if errors.Is(err, botapi.ErrNoHook) {
		return wrong("error_hook")
	}
	return err
}

func (p *Page) fault(r *http.Request, _ *address) error {
	return p.accounts.AddFault(r.PostForm.Get("account"), r.PostForm.Get("fault"), 1)
}

func (p *Page) clear(r *http.Request, _ *address) error {
	return p.accounts.ClearFaults(r.PostForm.Get("account"))
}

// addBot makes a bot with a token of its own and chooses it.
func (p *Page) addBot(r *http.Request, a *address) error {
	name := strings.TrimSpace(r.PostForm.Get("name"))
	if name == "" {
		return wrong("error_bot_name")
	}
	secret := rand.Text()
	h := fnv.New32a()
	_, _ = h.Write([]byte(secret))
	bot := botapi.Bot{Token: fmt.Sprintf("%d:AA%s", 1_000_000_000+int64(h.Sum32()), secret), Name: name}
	if err := p.bots.Add(bot); err != nil {
		return err
	}
	a.Bot = bot.Token
	return nil
}

func (p *Page) addAccount(r *http.Request, _ *address) error {
	_, err := p.accounts.Add(owncrm.Account{
		Name:       strings.TrimSpace(r.PostForm.Get("account")),
		Capability: owncrm.Capability(r.PostForm.Get("capability")),
		Searchable: r.PostForm.Get("searchable") == "yes",
	})
	if errors.Is(err, owncrm.ErrAccount) {
		return wrong("error_account")
	}
	return err
}
