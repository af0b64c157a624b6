package sandbox

import "net/http"

// Handler is every door of the sandbox. A browser may only come from the sandbox's own page.
func (s *Sandbox) Handler() http.Handler {
	mux := http.NewServeMux()

	mux.HandleFunc("/{bot}/{method}", s.bots.ServeMethod)
	mux.HandleFunc("PUT /telegram/{token}", s.bots.ServeBot)
	mux.HandleFunc("POST /telegram/{token}/inject", s.bots.ServeInject)
	mux.HandleFunc("POST /telegram/{token}/redeliver", s.bots.ServeRedeliver)

	mux.HandleFunc("PUT /crm/{account}", s.accounts.ServeAccount)
	mux.HandleFunc("GET /crm/{account}/ledger", s.accounts.ServeLedger)
	mux.HandleFunc("GET /crm/{account}/faults", s.accounts.ServeFaults)
	mux.HandleFunc("POST /crm/{account}/faults", s.accounts.ServeFaults)
	mux.HandleFunc("DELETE /crm/{account}/faults", s.accounts.ServeFaults)
	mux.HandleFunc("/crm/{account}/{rest...}", s.accounts.ServeRecords)

	s.page.Routes(mux)
	return http.NewCrossOriginProtection().Handler(mux)
}
