package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
)

// keyring derives each salt's key once: PBKDF2 with a million rounds costs more than a whole run. The stock manager
// does the same, but also keeps every ciphertext that it ever saw.
type keyring struct {
	passphrase string
	mu         sync.Mutex
	keys       map[string]func() (config.Crypter, error)
}

func newKeyring(passphrase string) *keyring {
	return &keyring{passphrase: passphrase, keys: map[string]func() (config.Crypter, error){}}
}

// crypter returns the crypter of a salt as Pulumi.<stack>.yaml has it: `v1:<salt>:<"pulumi", encrypted>`.
func (k *keyring) crypter(salt string) (config.Crypter, error) {
	k.mu.Lock()
	derive, known := k.keys[salt]
	if !known {
		derive = sync.OnceValues(func() (config.Crypter, error) { return deriveCrypter(k.passphrase, salt) })
		k.keys[salt] = derive
	}
	k.mu.Unlock()

	crypter, err := derive()
	if err != nil {
		k.mu.Lock()
		delete(k.keys, salt)
		k.mu.Unlock()
	}
	return crypter, err
}

func deriveCrypter(phrase, salt string) (config.Crypter, error) {
	version, rest, _ := strings.Cut(salt, ":")
	encoded, check, found := strings.Cut(rest, ":")
	if !found {
		return nil, errors.New("malformed salt")
	}
	if version != "v1" {
		return nil, fmt.Errorf("unknown version %q of a salt", version)
	}
	bytes, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, errors.New("malformed salt")
	}
	crypter := config.NewSymmetricCrypterFromPassphrase(phrase, bytes)
	if text, err := crypter.DecryptValue(context.Background(), check); err != nil || text != "pulumi" {
		return nil, passphrase.ErrIncorrectPassphrase
	}
	return crypter, nil
}

// managerState is how a checkpoint names its passphrase manager.
type managerState struct {
	Salt string `json:"salt"`
}

// manager makes a secrets manager that writes what the stock passphrase manager writes.
func (k *keyring) manager(salt string) (secrets.Manager, error) {
	crypter, err := k.crypter(salt)
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(managerState{Salt: salt})
	if err != nil {
		return nil, err
	}
	return &secretsManager{Crypter: crypter, state: state, seen: &ciphertexts{known: map[string][]string{}}}, nil
}

// OfType makes the manager of a checkpoint that is being read.
func (k *keyring) OfType(_ context.Context, kind string, state json.RawMessage) (secrets.Manager, error) {
	if kind != passphrase.Type {
		return nil, fmt.Errorf("secrets provider %q is not supported", kind)
	}
	var parsed managerState
	if err := json.Unmarshal(state, &parsed); err != nil {
		return nil, errors.New("malformed state of the secrets provider")
	}
	return k.manager(parsed.Salt)
}

// secretsManager belongs to one run.
type secretsManager struct {
	config.Crypter
	state json.RawMessage
	seen  *ciphertexts
}

var _ stack.BatchingSecretsManager = (*secretsManager)(nil)

func (m *secretsManager) Type() string                { return passphrase.Type }
func (m *secretsManager) State() json.RawMessage      { return m.state }
func (m *secretsManager) Encrypter() config.Encrypter { return m.Crypter }
func (m *secretsManager) Decrypter() config.Decrypter { return m.Crypter }

func (m *secretsManager) BeginBatchDecryption() (stack.BatchDecrypter, stack.CompleteCrypterBatch) {
	return stack.BeginBatchDecryptionWithCache(m.Crypter, m.seen)
}

func (m *secretsManager) BeginBatchEncryption() (stack.BatchEncrypter, stack.CompleteCrypterBatch) {
	return batchEncrypter{m.Crypter, m.seen}, func(context.Context) error { return nil }
}

// ciphertexts remembers how the values of a state were encrypted when it was read, so that a value that stays as it is
// stays encrypted as it is. Each ciphertext is used once, in the order of the state: two secrets that happen to be
// equal cannot be told to be so from the new state.
type ciphertexts struct {
	mu    sync.Mutex
	known map[string][]string
}

// Write is called for every secret that is read.
func (c *ciphertexts) Write(plaintext, ciphertext string, _ *resource.Secret) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[plaintext] = append(c.known[plaintext], ciphertext)
}

func (c *ciphertexts) LookupCiphertext(_ *resource.Secret, plaintext string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.known[plaintext]
	if len(left) == 0 {
		return "", false
	}
	c.known[plaintext] = left[1:]
	return left[0], true
}

// LookupPlaintext finds nothing: what is read is decrypted, which also proves it undamaged.
func (c *ciphertexts) LookupPlaintext(string) (string, bool) { return "", false }

// batchEncrypter encrypts at once; the stock one encrypts all anew as soon as one value has changed.
type batchEncrypter struct {
	config.Encrypter
	seen *ciphertexts
}

func (e batchEncrypter) Enqueue(
	ctx context.Context, source *resource.Secret, plaintext string, target *apitype.SecretV1,
) error {
	ciphertext, known := e.seen.LookupCiphertext(source, plaintext)
	if !known {
		var err error
		if ciphertext, err = e.EncryptValue(ctx, plaintext); err != nil {
			return err
		}
	}
	target.Ciphertext = ciphertext
	return nil
}
