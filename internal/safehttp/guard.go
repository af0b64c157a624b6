package safehttp

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"

	"code.dny.dev/ssrf"
)

// errForbidden is what the guard answers; the address is not in it.
var errForbidden = errors.New("safehttp: address forbidden")

// publicOnly knows IANA's lists; of IPv6 only 2000::/3 is public at all, so that NAT64 and the clouds'
// metadata under fd00::/8 are out. Ports are https's two. It judges the resolved address of each dial, so
// that a name that changes its mind is caught.
var publicOnly = ssrf.New(ssrf.WithPorts(443, 8443), ssrf.WithNetworks("tcp4", "tcp6"),
	ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32"))) // Azure's wire server: public by number, inside by nature

func dialGuard(here bool) *net.Dialer {
	return &net.Dialer{
		Timeout: connectTimeout,
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			if !allowed(network, address, here) {
				return errForbidden
			}
			return nil
		},
	}
}

func allowed(network, address string, here bool) bool {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return false
	}
	if here {
		return to.Addr().Unmap().IsLoopback()
	}
	// A v4 address in v6 clothes is judged as what it is.
	plain := netip.AddrPortFrom(to.Addr().Unmap().WithZone(""), to.Port())
	return publicOnly.Safe(network, plain.String(), nil) == nil
}
