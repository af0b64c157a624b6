package crmtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// remote is a text of the CRM's, or of a proxy's. It must not come out of an adapter.
const remote = "crmtest-remote-text"

// fault does something to one request.
type fault func(*exchange)

func passes(e *exchange) { copyAnswer(e.w, e.execute().Result()) }

func copyAnswer(w http.ResponseWriter, a *http.Response) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.StatusCode)
	_, _ = io.Copy(w, a.Body)
}

// executed lets the fake execute a request before its answer is lost.
func executed(then fault) fault {
	return func(e *exchange) {
		e.execute()
		then(e)
	}
}

func closes(e *exchange) { _ = e.conn().Close() }

func resets(e *exchange) {
	conn := e.conn()
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

// says puts bytes on the socket, then closes it.
func says(text string) fault {
	return func(e *exchange) {
		conn := e.conn()
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// answers gives a status, a body and headers, which come in pairs.
func answers(status int, body string, headers ...string) fault {
	return func(e *exchange) {
		e.w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			e.w.Header().Set(headers[i], headers[i+1])
		}
		e.w.WriteHeader(status)
		_, _ = io.WriteString(e.w, body)
	}
}

// fails gives an error as a CRM words it; failsInHTML as a proxy before it does.
func fails(status int, headers ...string) fault {
	if status == http.StatusNotModified {
		return answers(status, "")
	}
	return answers(status, `{"error":"`+remote+`"}`, headers...)
}

func failsInHTML(status int, headers ...string) fault {
	return answers(status, "<html><h1>"+remote+"</h1></html>", append(headers, "Content-Type", "text/html")...)
}

// cuts sends the fake's own answer up to its middle.
func cuts(chunked bool) fault {
	return func(e *exchange) {
		a := e.execute()
		body := a.Body.String()
		head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\n", a.Code)
		if half := body[:len(body)/2]; chunked {
			says(fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", head, len(half), half))(e)
		} else {
			says(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), half))(e)
		}
	}
}

// cutsAfter sends all of the fake's answer, but not the end that it announced.
func cutsAfter(e *exchange) {
	a := e.execute()
	body := a.Body.String()
	says(fmt.Sprintf("HTTP/1.1 %d X\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", a.Code, len(body), body))(e)
}

// endless sends the fake's answer with blanks behind it that do not end: valid JSON, were it whole.
func endless(e *exchange) {
	a := e.execute()
	e.w.WriteHeader(a.Code)
	_, err := e.w.Write(a.Body.Bytes())
	for blanks := strings.Repeat(" ", 64<<10); err == nil; _, err = io.WriteString(e.w, blanks) {
	}
}

// silent executes, tells that it has, and says nothing until the caller is gone.
func silent(done chan<- struct{}) fault {
	return func(e *exchange) {
		e.execute()
		done <- struct{}{}
		e.until()
	}
}

// lost is every way that we know in which an answer to an executed or a dropped write tells nothing.
func lost() map[string]fault {
	none := map[string]fault{
		"closes":                 closes,
		"resets":                 resets,
		"is no HTTP":             says(remote + "\r\n\r\n"),
		"half a head":            says("HTTP/1.1 201 Created\r\nContent-Le"),
		"switches protocols":     says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
		"an empty success":       answers(http.StatusOK, ""),
		"no content":             answers(http.StatusNoContent, ""),
		"accepted":               answers(http.StatusAccepted, `{"id":"7","status":"`+remote+`"}`),
		"a success in HTML":      failsInHTML(http.StatusOK),
		"a success with garbage": answers(http.StatusCreated, "<html>\x00\xff{\"id\":"),
		"an empty object":        answers(http.StatusCreated, "{}"),
		"an empty list":          answers(http.StatusCreated, "[]"),
		"null":                   answers(http.StatusCreated, "null"),
		"a number":               answers(http.StatusOK, "1"),
		"an error in a success":  fails(http.StatusOK),
		"an id that is none":     answers(http.StatusCreated, `{"id":null,"result":null,"data":{"id":{}}}`),
		"see other":              fails(http.StatusSeeOther, "Location", "/elsewhere"),
	}
	all := map[string]fault{
		"executed, cut by length":     cuts(false),
		"executed, cut in a chunk":    cuts(true),
		"executed, cut after the end": cutsAfter,
		"executed, endless":           endless,
	}
	for name, f := range none {
		all["dropped, "+name] = f
		all["executed, "+name] = executed(f)
	}
	return all
}

// unreadable is every way in which an answer to a read tells nothing.
func unreadable() map[string]fault {
	all := map[string]fault{
		"cut by length": cuts(false), "cut in a chunk": cuts(true), "cut after the end": cutsAfter, "endless": endless,
	}
	for name, f := range lost() {
		if plain, ok := strings.CutPrefix(name, "dropped, "); ok {
			all[plain] = f
		}
	}
	for _, status := range []int{301, 307, 400, 401, 403, 408, 429, 500, 502, 503, 504} {
		all[fmt.Sprint(status)] = fails(status)
		all[fmt.Sprint(status, " in HTML")] = failsInHTML(status)
	}
	return all
}
