package secret

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Keyset is the root: it seals data keys and nothing else.
type Keyset struct {
	handle *keyset.Handle
	aead   tink.AEAD
}

// ErrWrongKeyset: the keyset does not open what it should.
var ErrWrongKeyset = errors.New("keyset does not open the stored data keys")

// NewKeyset makes a fresh root keyset.
func NewKeyset() (*Keyset, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	return open(handle)
}

// ParseKeyset reads the text that Export made.
func ParseKeyset(text Text) (*Keyset, error) {
	raw, err := base64.StdEncoding.DecodeString(text.Reveal())
	if err != nil {
		return nil, errors.New("keyset is not base64")
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewBinaryReader(bytes.NewReader(raw)))
	if err != nil {
		return nil, errors.New("keyset cannot be read")
	}
	return open(handle)
}

func open(handle *keyset.Handle) (*Keyset, error) {
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, fmt.Errorf("keyset is not an AEAD: %w", err)
	}
	return &Keyset{handle: handle, aead: primitive}, nil
}

// Export gives the keyset as text for SVERKA_KEYSET. It is cleartext: guard it like a root password.
func (k *Keyset) Export() (Text, error) {
	var raw bytes.Buffer
	if err := insecurecleartextkeyset.Write(k.handle, keyset.NewBinaryWriter(&raw)); err != nil {
		return Text{}, err
	}
	return NewText(base64.StdEncoding.EncodeToString(raw.Bytes())), nil
}

// Rotate adds a new primary key; everything sealed before still opens.
func (k *Keyset) Rotate() (*Keyset, error) {
	m := keyset.NewManagerFromHandle(k.handle)
	id, err := m.Add(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	if err := m.SetPrimary(id); err != nil {
		return nil, err
	}
	handle, err := m.Handle()
	if err != nil {
		return nil, err
	}
	return open(handle)
}

// Keys is how many keys the keyset holds.
func (k *Keyset) Keys() int { return k.handle.Len() }

// SealDataKey seals the raw data key of a tenant, bound to the tenant and the key's number.
func (k *Keyset) SealDataKey(tenant string, no int, raw []byte) ([]byte, error) {
	return k.aead.Encrypt(raw, dataKeyBinding(tenant, no))
}

// OpenDataKey gives the tenant's data key back; ErrWrongKeyset when this keyset did not seal it.
func (k *Keyset) OpenDataKey(tenant string, no int, sealed []byte) (*DataKey, error) {
	raw, err := k.aead.Decrypt(sealed, dataKeyBinding(tenant, no))
	if err != nil {
		return nil, ErrWrongKeyset
	}
	return newDataKey(tenant, no, raw)
}

func dataKeyBinding(tenant string, no int) []byte {
	return fmt.Appendf(nil, "tenant_keys|%s|%d", tenant, no)
}
