package botapi

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// reply is an answer of the Bot API: a result, or an error whose code is the HTTP status.
type reply struct {
	status      int
	result      any
	description string
	retryAfter  int // seconds; only with 429
}

func done(description string) reply {
	return reply{status: http.StatusOK, result: true, description: description}
}

func bad(text string) reply {
	return reply{status: http.StatusBadRequest, description: "Bad Request: " + text}
}

func broken(err error) reply {
	return reply{status: http.StatusInternalServerError, description: "Internal Server Error: " + err.Error()}
}

func tooMany(seconds int) reply {
	return reply{
		status:      http.StatusTooManyRequests,
		description: "Too Many Requests: retry after " + strconv.Itoa(seconds),
		retryAfter:  seconds,
	}
}

var (
	unauthorized = reply{status: http.StatusUnauthorized, description: "Unauthorized"}
	notFound     = reply{status: http.StatusNotFound, description: "Not Found"}
	noMethod     = reply{status: http.StatusNotFound, description: "Not Found: method not found"}
	tooLarge     = reply{status: http.StatusRequestEntityTooLarge, description: "Request Entity Too Large"}
)

func (r reply) write(w http.ResponseWriter) {
	type parameters struct {
		RetryAfter int `json:"retry_after"`
	}
	envelope := struct {
		OK          bool        `json:"ok"`
		ErrorCode   int         `json:"error_code,omitempty"`
		Result      any         `json:"result,omitempty"`
		Description string      `json:"description,omitempty"`
		Parameters  *parameters `json:"parameters,omitempty"`
	}{OK: r.status == http.StatusOK, Result: r.result, Description: r.description}
	if !envelope.OK {
		envelope.ErrorCode = r.status
	}
	if r.retryAfter > 0 {
		envelope.Parameters = &parameters{r.retryAfter}
		w.Header().Set("Retry-After", strconv.Itoa(r.retryAfter))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	_ = json.NewEncoder(w).Encode(envelope)
}
