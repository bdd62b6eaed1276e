package main

import (
	"context"
	"errors"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

func TestTheStockManagerAndOursReadEachOther(t *testing.T) {
	ctx := context.Background()
	stock, err := passphrase.GetPassphraseSecretsManager("secret", salt())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := newKeyring("secret").manager(salt())
	if err != nil {
		t.Fatal(err)
	}
	if ours.Type() != stock.Type() || string(ours.State()) != string(stock.State()) {
		t.Errorf("written as %s %s, the stock one as %s %s", ours.Type(), ours.State(), stock.Type(), stock.State())
	}
	theirs, _ := stock.Encrypter().EncryptValue(ctx, "from stock")
	if text, err := ours.Decrypter().DecryptValue(ctx, theirs); err != nil || text != "from stock" {
		t.Errorf("got %q, %v", text, err)
	}
	own, _ := ours.Encrypter().EncryptValue(ctx, "from ours")
	if text, err := stock.Decrypter().DecryptValue(ctx, own); err != nil || text != "from ours" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestAnotherPassphraseIsRefused(t *testing.T) {
	if _, err := newKeyring("other").manager(salt()); !errors.Is(err, passphrase.ErrIncorrectPassphrase) {
		t.Errorf("got %v", err)
	}
}

func TestMalformedSaltsAndOtherManagersAreRefused(t *testing.T) {
	keys := newKeyring("secret")
	for _, salt := range []string{"", "v1", "v1:AAAA", "v2:AAAA:v1:x:y", "v1:!:v1:x:y"} {
		if _, err := keys.manager(salt); err == nil {
			t.Errorf("salt %q is accepted", salt)
		}
	}
	if len(keys.keys) != 0 {
		t.Errorf("%d bad salts are kept", len(keys.keys))
	}
	if _, err := keys.OfType(context.Background(), "cloud", nil); err == nil {
		t.Error("a manager of another type is accepted")
	}
}

func TestAKeyIsDerivedOnce(t *testing.T) {
	keys := newKeyring("secret")
	first, err := keys.crypter(salt())
	if err != nil {
		t.Fatal(err)
	}
	keys.passphrase = "would be refused"
	second, err := keys.crypter(salt())
	if err != nil || first == nil || second == nil {
		t.Errorf("the key was derived again: %v", err)
	}
}

// encryptAll encrypts as a state is written.
func encryptAll(t *testing.T, manager stack.BatchingSecretsManager, texts ...string) []string {
	t.Helper()
	encrypter, complete := manager.BeginBatchEncryption()
	targets := make([]apitype.SecretV1, len(texts))
	for i, text := range texts {
		if err := encrypter.Enqueue(context.Background(), &resource.Secret{}, text, &targets[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := complete(context.Background()); err != nil {
		t.Fatal(err)
	}
	ciphertexts := make([]string, len(texts))
	for i, target := range targets {
		ciphertexts[i] = target.Ciphertext
	}
	return ciphertexts
}

func TestWhatStaysTheSameStaysEncryptedAsItWas(t *testing.T) {
	keys := newKeyring("secret")
	open := func() stack.BatchingSecretsManager {
		manager, err := keys.manager(salt())
		if err != nil {
			t.Fatal(err)
		}
		return manager.(stack.BatchingSecretsManager)
	}
	old := encryptAll(t, open(), `"kept"`, `"changed"`, `"twice"`, `"twice"`)

	next := open()
	decrypter, complete := next.BeginBatchDecryption()
	for _, ciphertext := range old {
		if err := decrypter.Enqueue(context.Background(), ciphertext, &resource.Secret{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := complete(context.Background()); err != nil {
		t.Fatal(err)
	}
	again := encryptAll(t, next, `"kept"`, `"new"`, `"twice"`, `"twice"`, `"twice"`)
	if again[0] != old[0] || again[2] != old[2] || again[3] != old[3] {
		t.Error("a value that stayed was encrypted anew")
	}
	if again[1] == old[1] {
		t.Error("a value that changed was not")
	}
	if again[2] == again[3] || again[4] == again[2] || again[4] == again[3] {
		t.Error("equal secrets can be told to be equal")
	}
}
