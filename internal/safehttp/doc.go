// Package safehttp is the guarded transport to hosts that a tenant can point at, and to Telegram.
//
// It is bound to one base URL. It checks every address at dial time, after names are resolved, so that
// nothing inside can be reached (facts: reliability §25). It sends each write at most once: HTTP/1.1, no
// redirects, nothing that net/http could repeat by itself, a fresh connection each (§6). Reads keep
// connections, and net/http may send a GET again that died on one. It reports
// evidence instead of an error to be guessed from; nothing that it gives out holds an address, a header or
// a body. It owns no table.
package safehttp
