package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
)

// DataKey seals one tenant's data. A sealed value opens only for the tenant, table, column and row
// that it was sealed for: pasted elsewhere it is noise.
type DataKey struct {
	tenant string
	no     byte
	aead   cipher.AEAD
	lookup []byte
}

// Place is where a sealed value stands.
type Place struct{ Table, Column, Row string }

// ErrSealed: the value was not sealed by this key for this place, or was damaged.
var ErrSealed = errors.New("sealed value does not open here")

// rawKeySize is the size of a data key before it is divided by purpose, in bytes.
const rawKeySize = 32

// NewRawDataKey makes the bytes of a fresh data key.
func NewRawDataKey() []byte {
	raw := make([]byte, rawKeySize)
	_, _ = rand.Read(raw) // never fails (crypto/rand, Go 1.24)
	return raw
}

func newDataKey(tenant string, no int, raw []byte) (*DataKey, error) {
	if len(raw) != rawKeySize || no < 1 || no > 255 {
		return nil, errors.New("data key has the wrong size or number")
	}
	seal, err := hkdf.Expand(sha256.New, raw, "sverka seal", 32)
	if err != nil {
		return nil, err
	}
	lookup, err := hkdf.Expand(sha256.New, raw, "sverka lookup", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(seal)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &DataKey{tenant: tenant, no: byte(no), aead: gcm, lookup: lookup}, nil
}

// Seal gives key number ‖ nonce ‖ ciphertext.
func (k *DataKey) Seal(at Place, plain []byte) []byte {
	return k.aead.Seal([]byte{k.no}, nil, plain, k.binding(at))
}

// Open is the reverse; ErrSealed when it cannot.
func (k *DataKey) Open(at Place, sealed []byte) ([]byte, error) {
	if len(sealed) < 1 || sealed[0] != k.no {
		return nil, ErrSealed
	}
	plain, err := k.aead.Open(nil, nil, sealed[1:], k.binding(at))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

func (k *DataKey) binding(at Place) []byte {
	return fmt.Appendf(nil, "%s|%s|%s|%s", k.tenant, at.Table, at.Column, at.Row)
}

// Lookup is the HMAC under which an identity is found without being readable, 32 bytes.
func (k *DataKey) Lookup(kind, value string) []byte {
	mac := hmac.New(sha256.New, k.lookup)
	fmt.Fprintf(mac, "%d:%s%s", len(kind), kind, value)
	return mac.Sum(nil)
}
