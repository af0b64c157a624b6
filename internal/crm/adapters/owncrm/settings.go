package owncrm

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"sverka/internal/crm"
)

func fields() []crm.Field {
	return []crm.Field{
		{Name: crm.BaseURLField, Type: crm.URL, Required: true,
			Label: crm.Text{EN: "Address", RU: "Адрес"},
			Help:  crm.Text{EN: "Where the interface begins, for example https://crm.example.com/api", RU: "Где начинается интерфейс, например https://crm.example.com/api"}},
		{Name: auth, Type: crm.Select, Required: true, Default: "bearer",
			Label: crm.Text{EN: "How we sign in", RU: "Как мы входим"},
			Choices: []crm.Choice{
				{Value: "bearer", Label: crm.Text{EN: "Bearer token", RU: "Токен Bearer"}},
				{Value: "basic", Label: crm.Text{EN: "User and password", RU: "Логин и пароль"}},
				{Value: "header", Label: crm.Text{EN: "A header of your own", RU: "Свой заголовок"}},
			}},
		{Name: token, Type: crm.Line, Secret: true, Required: true,
			Label: crm.Text{EN: "Token", RU: "Токен"},
			Help:  crm.Text{EN: "For user and password: user:password", RU: "Для логина и пароля: логин:пароль"}},
		{Name: authHeader, Type: crm.Line,
			Label: crm.Text{EN: "Name of the header", RU: "Имя заголовка"},
			Help:  crm.Text{EN: "Only for a header of your own, for example X-Api-Key", RU: "Только для своего заголовка, например X-Api-Key"}},
		{Name: capability, Type: crm.Select, Required: true, Default: string(crm.Neither),
			Label: crm.Text{EN: "What the CRM promises", RU: "Что обещает CRM"},
			Choices: []crm.Choice{
				{Value: string(crm.IdempotentCreate), Label: crm.Text{EN: "Honours Idempotency-Key: a repeat creates nothing", RU: "Понимает Idempotency-Key: повтор ничего не создаёт"}},
				{Value: string(crm.UpsertByExternalID), Label: crm.Text{EN: "Upserts by external id: a repeat finds the record", RU: "Пишет по внешнему номеру: повтор находит запись"}},
				{Value: string(crm.Neither), Label: crm.Text{EN: "Nothing: after a lost answer a person decides", RU: "Ничего: если ответ потерян, решает человек"}},
			}},
		{Name: keyWindow, Type: crm.Line, Default: "24h",
			Label: crm.Text{EN: "How long a key is remembered", RU: "Сколько помнится ключ"},
			Help:  crm.Text{EN: "For example 24h or 30m", RU: "Например 24h или 30m"}},
		{Name: searchable, Type: crm.Select, Default: "no",
			Label: crm.Text{EN: "Can be searched by our number", RU: "Умеет искать по нашему номеру"},
			Choices: []crm.Choice{
				{Value: "yes", Label: crm.Text{EN: "Yes", RU: "Да"}}, {Value: "no", Label: crm.Text{EN: "No", RU: "Нет"}},
			}},
		{Name: mapping, Type: crm.JSON,
			Label: crm.Text{EN: "Names of fields", RU: "Имена полей"},
			Help: crm.Text{EN: `Our name to a path in your JSON, for example {"name": "contact.full_name", "stamp": "external_code", "id": "data.id"}`,
				RU: `Наше имя и путь в вашем JSON, например {"name": "contact.full_name", "stamp": "external_code", "id": "data.id"}`}},
	}
}

// read understands the settings; every fault is told at once, each beside its field.
func read(s crm.Settings) (options, error) {
	faults := crm.FieldErrors{}
	known := map[string]bool{}
	for _, f := range fields() {
		known[f.Name] = true
	}
	for name := range s {
		if !known[name] {
			faults[name] = crm.Text{EN: "There is no such setting.", RU: "Такой настройки нет."}
		}
	}
	checkURL(s[crm.BaseURLField], faults)
	o := options{
		header:     readAuth(s, faults),
		capability: readCapability(s[capability], faults),
		keyWindow:  readWindow(s[keyWindow], faults),
		searchable: readYes(s[searchable], faults),
		paths:      readPaths(s[mapping], faults),
	}
	if len(faults) > 0 {
		return options{}, faults
	}
	return o, nil
}

// checkURL says what the guarded transport would refuse at every send, while a person can still mend it.
func checkURL(value string, faults crm.FieldErrors) {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" ||
		(u.Scheme != "https" && u.Scheme != "http"):
		faults[crm.BaseURLField] = crm.Text{EN: "Enter an address like https://crm.example.com/api", RU: "Введите адрес вида https://crm.example.com/api"}
	case isLoopback(u.Hostname()): // the sandbox; where it is not allowed the transport refuses it
	case u.Scheme == "http":
		faults[crm.BaseURLField] = crm.Text{EN: "Use https: over http the token can be read on the way.", RU: "Укажите https: по http токен можно прочитать по дороге."}
	case u.Port() != "" && u.Port() != "443" && u.Port() != "8443":
		faults[crm.BaseURLField] = crm.Text{EN: "Use port 443 or 8443.", RU: "Укажите порт 443 или 8443."}
	}
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// headerName is what RFC 9110 allows; a few names would break the transport or its promises.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$")

var reservedHeaders = map[string]bool{"Host": true, "Content-Length": true, "Content-Type": true, "Transfer-Encoding": true,
	"Connection": true, "Upgrade": true, "Expect": true, "Te": true, "Trailer": true, "Accept-Encoding": true,
	"Idempotency-Key": true, "X-Idempotency-Key": true}

func readAuth(s crm.Settings, faults crm.FieldErrors) http.Header {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	value := s[token]
	if strings.TrimSpace(value) == "" || strings.ContainsFunc(value, unicode.IsControl) {
		faults[token] = crm.Text{EN: "Enter the token, in one line.", RU: "Введите токен одной строкой."}
	}
	switch s[auth] {
	case "bearer":
		header.Set("Authorization", "Bearer "+value)
	case "basic":
		if !strings.Contains(value, ":") {
			faults[token] = crm.Text{EN: "Enter user:password.", RU: "Введите логин:пароль."}
		}
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(value)))
	case "header":
		name := http.CanonicalHeaderKey(s[authHeader])
		if !headerName.MatchString(name) || reservedHeaders[name] {
			faults[authHeader] = crm.Text{EN: "Enter the name of a header, for example X-Api-Key.", RU: "Введите имя заголовка, например X-Api-Key."}
			return header
		}
		header.Set(name, value)
	default:
		faults[auth] = choose
	}
	return header
}

var choose = crm.Text{EN: "Choose one of the list.", RU: "Выберите из списка."}

func readCapability(value string, faults crm.FieldErrors) crm.Capability {
	c := crm.Capability(value)
	if !c.Valid() {
		faults[capability] = choose
	}
	return c
}

func readWindow(value string, faults crm.FieldErrors) time.Duration {
	if value == "" {
		return 24 * time.Hour
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 10*time.Minute || d > 30*24*time.Hour {
		faults[keyWindow] = crm.Text{EN: "Enter from 10m to 720h.", RU: "Введите от 10m до 720h."}
	}
	return d
}

func readYes(value string, faults crm.FieldErrors) bool {
	switch value {
	case "yes":
		return true
	case "no", "":
		return false
	}
	faults[searchable] = choose
	return false
}

func readPaths(value string, faults crm.FieldErrors) paths {
	p := paths{}
	if strings.TrimSpace(value) == "" {
		return p
	}
	if err := json.Unmarshal([]byte(value), &p); err != nil {
		faults[mapping] = crm.Text{EN: `Enter JSON like {"name": "contact.full_name"}.`, RU: `Введите JSON вида {"name": "contact.full_name"}.`}
		return paths{}
	}
	if !p.fit() {
		faults[mapping] = crm.Text{
			EN: "Join the names of a path by dots; no path may be used twice, run through another, or be stamp, fields or fields.parent, where we write ourselves.",
			RU: "Соедините имена пути точками; путь не может повторяться, проходить через другой или быть stamp, fields, fields.parent: там пишем мы."}
	}
	return p
}
