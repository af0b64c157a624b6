package botapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// The sandbox's own doors: what BotFather, a customer and chance do in the real world. They speak the
// Bot API's envelope.

// ServeBot answers PUT /telegram/{token}: it makes a bot.
func (s *Server) ServeBot(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	var bot Bot
	if len(body) > 0 && json.Unmarshal(body, &bot) != nil {
		bad(`the body must be {"username":"…","name":"…"}`).write(w)
		return
	}
	bot.Token = r.PathValue("token")
	switch err := s.Add(bot); {
	case errors.Is(err, ErrToken):
		bad(err.Error()).write(w)
	case err != nil:
		broken(err).write(w)
	default:
		s.bot(bot.Token).getMe(r.Context(), nil).write(w)
	}
}

// ServeInject answers POST /telegram/{token}/inject; ?exact=1 forbids adding an update_id.
func (s *Server) ServeInject(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	exact := params{"exact": r.URL.Query().Get("exact")}.flag("exact")
	id, err := s.Inject(r.PathValue("token"), body, exact)
	if err != nil {
		refusal(err).write(w)
		return
	}
	reply{status: http.StatusOK, result: struct {
		UpdateID *int64 `json:"update_id"`
	}{nilIfZero(id)}}.write(w)
}

func nilIfZero(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// Again asks for repeats of a stored update: the last one with this id, or the one numbered No.
type Again struct {
	UpdateID int64 `json:"update_id"`
	No       *int  `json:"no"` // instead of update_id, for an update without one: counted from 0
	Times    int   `json:"times"`
	Parallel bool  `json:"parallel"`
}

const maxTimes = 100

// ServeRedeliver answers POST /telegram/{token}/redeliver when the last of the repeats is answered.
func (s *Server) ServeRedeliver(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	in := Again{Times: 1}
	if json.Unmarshal(body, &in) != nil || in.Times < 1 || in.Times > maxTimes {
		bad(`the body must be {"update_id":n,"times":1 to 100,"parallel":true or false}`).write(w)
		return
	}
	statuses, err := s.Redeliver(r.Context(), r.PathValue("token"), in)
	if err != nil {
		refusal(err).write(w)
		return
	}
	reply{status: http.StatusOK, result: map[string]any{"answers": statuses}}.write(w)
}

// Redeliver sends a stored update again, past its queue, whatever its state is. It returns the HTTP
// statuses, 0 where there was no answer.
func (s *Server) Redeliver(ctx context.Context, token string, in Again) ([]int, error) {
	b := s.bot(token)
	if b == nil {
		return nil, ErrNoBot
	}
	b.mu.Lock()
	u, h := b.byID[in.UpdateID], b.hook
	if no := in.No; no != nil && *no >= 0 && *no < len(b.updates) {
		u = b.updates[*no]
	}
	b.mu.Unlock()
	switch {
	case u == nil:
		return nil, ErrNoUpdate
	case h == nil:
		return nil, ErrNoHook
	}
	statuses := make([]int, in.Times)
	again := func(i int) {
		got := h.wire.post(ctx, u.Body)
		statuses[i] = got.status
		b.mu.Lock()
		defer b.mu.Unlock()
		_ = b.record(entry{Attempt: &attempt{No: u.No, At: b.options.Now(), Status: got.status, Error: got.problem(), Again: true}})
	}
	var sending sync.WaitGroup
	for i := range in.Times {
		if in.Parallel {
			sending.Go(func() { again(i) })
		} else {
			again(i)
		}
	}
	sending.Wait()
	return statuses, nil
}

func refusal(err error) reply {
	switch {
	case errors.Is(err, ErrNoBot):
		return unauthorized
	case errors.Is(err, ErrNoUpdate):
		return reply{status: http.StatusNotFound, description: "Not Found: " + err.Error()}
	case errors.Is(err, ErrNoHook):
		return reply{status: http.StatusConflict, description: "Conflict: " + err.Error()}
	case errors.Is(err, ErrEmpty), errors.Is(err, ErrShort):
		return bad(err.Error())
	}
	return broken(err)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		tooLarge.write(w)
	case err != nil:
		bad("the body did not arrive: " + strings.ToLower(err.Error())).write(w)
	}
	return body, err == nil
}
