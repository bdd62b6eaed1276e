package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

var fakePackage = providerPackage{name: "fake", version: "1.0.0"}

// borrow leases a provider and configures it with a value, as a run does.
func (f *fakePool) borrow(value string) (*lease, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	lease, err := f.lease(ctx, fakePackage)
	if err != nil {
		return nil, err
	}
	urn := "urn of a run"
	_, err = pulumirpc.NewResourceProviderClient(lease).Configure(ctx, &pulumirpc.ConfigureRequest{
		Variables: map[string]string{"value": value}, Urn: &urn,
	})
	return lease, err
}

func (f *fakePool) mustBorrow(t *testing.T, value string) *lease {
	t.Helper()
	lease, err := f.borrow(value)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func create(lease *lease) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	_, err := pulumirpc.NewResourceProviderClient(lease).Create(ctx, &pulumirpc.CreateRequest{})
	return err
}

func TestConcurrentRunsShareAProviderThatIsConfiguredOnce(t *testing.T) {
	pool := newFakePool(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			lease, err := pool.borrow("same")
			if err == nil {
				err = create(lease)
			}
			if err != nil {
				t.Error(err)
			}
			lease.release()
		})
	}
	group.Wait()
	if n, configured := pool.startedCount(), pool.provider(0).configured.Load(); n != 1 || configured != 1 {
		t.Errorf("%d providers, configured %d times", n, configured)
	}
	if pool.provider(0).created.Load() != 8 || pool.count() != 1 {
		t.Errorf("%d calls arrived, %d providers are kept", pool.provider(0).created.Load(), pool.count())
	}
}

func TestAProviderThatStartedAheadIsTheFirstRuns(t *testing.T) {
	pool := newFakePool(t)
	pool.startAhead(fakePackage.name)
	lease := pool.mustBorrow(t, "same")
	if pool.startedCount() != 1 {
		t.Errorf("%d providers", pool.startedCount())
	}
	lease.release()
	pool.mustBorrow(t, "other")
	if pool.startedCount() != 2 {
		t.Errorf("%d providers for two configurations", pool.startedCount())
	}
}

func TestAProviderThatStartedAheadInVainEndsWithThePool(t *testing.T) {
	pool := newFakePool(t)
	pool.startAhead(fakePackage.name)
	if pool.count() != 1 {
		t.Errorf("%d providers", pool.count())
	}
	pool.close()
	// it may have started only now
	for pool.startedCount() == 0 {
		time.Sleep(time.Millisecond)
	}
	pool.provider(0).awaitEnd(t)
}

func TestAnotherConfigurationGetsAProviderOfItsOwn(t *testing.T) {
	pool := newFakePool(t)
	one, other := pool.mustBorrow(t, "one"), pool.mustBorrow(t, "other")
	if one.provider().process == other.provider().process || pool.startedCount() != 2 {
		t.Errorf("%d providers", pool.startedCount())
	}
	if again := pool.mustBorrow(t, "one"); again.provider().process != one.provider().process {
		t.Error("the first one is forgotten")
	}
}

func TestTheEndAndCancellationOfARunDoNotReachTheProvider(t *testing.T) {
	pool := newFakePool(t)
	lease := pool.mustBorrow(t, "same")
	if _, err := pulumirpc.NewResourceProviderClient(lease).Cancel(context.Background(), &emptypb.Empty{}); err != nil {
		t.Error(err)
	}
	lease.release()
	lease.release()
	if pool.provider(0).cancelled.Load() != 0 || pool.count() != 1 {
		t.Error("the provider was cancelled or ended")
	}
	if _, err := pulumirpc.NewResourceProviderClient(lease).Parameterize(
		context.Background(), &pulumirpc.ParameterizeRequest{}); err == nil {
		t.Error("a shared provider can be parameterized")
	}
}

func TestAProviderThatDiedIsStartedAgain(t *testing.T) {
	pool := newFakePool(t)
	lease := pool.mustBorrow(t, "same")
	pool.provider(0).end()
	if err := create(lease); err == nil {
		t.Error("the run that used it goes on")
	}
	lease.release()
	if err := create(pool.mustBorrow(t, "same")); err != nil || pool.startedCount() != 2 {
		t.Errorf("%d providers, %v", pool.startedCount(), err)
	}
}

func TestAFrozenProviderIsKilledWhileARunWaits(t *testing.T) {
	pool := newFakePool(t)
	pool.patience = 50 * time.Millisecond
	thaw := make(chan struct{})
	defer close(thaw)
	pool.prepare = func(f *fakeProvider) {
		f.create = func(*pulumirpc.CreateRequest) error { <-thaw; return nil }
		f.frozen = thaw
	}
	if err := create(pool.mustBorrow(t, "same")); err == nil {
		t.Error("the call returned")
	}
	pool.provider(0).awaitEnd(t)
}

func TestASlowProviderThatAnswersIsLeftAlone(t *testing.T) {
	pool := newFakePool(t)
	pool.patience = deadline
	pool.prepare = func(f *fakeProvider) {
		f.create = func(*pulumirpc.CreateRequest) error { time.Sleep(300 * time.Millisecond); return nil }
	}
	if err := create(pool.mustBorrow(t, "same")); err != nil {
		t.Error(err)
	}
}

func TestAProviderWithoutAClusterIsReplacedAndEndsWithItsLastRun(t *testing.T) {
	pool := newFakePool(t)
	pool.prepare = func(f *fakeProvider) {
		if len(pool.started) == 0 {
			f.create = func(*pulumirpc.CreateRequest) error { return errors.New("Kubernetes cluster is unreachable") }
		}
	}
	first, other := pool.mustBorrow(t, "same"), pool.mustBorrow(t, "same")
	if err := create(first); err == nil {
		t.Fatal("it was to fail")
	}
	second := pool.mustBorrow(t, "same")
	if err := create(second); err != nil || pool.startedCount() != 2 {
		t.Errorf("%d providers, %v", pool.startedCount(), err)
	}
	other.release()
	other.release()
	select {
	case <-pool.provider(0).exited:
		t.Error("the first one ended while a run had it")
	default:
	}
	first.release()
	pool.provider(0).awaitEnd(t)
}

func TestAProviderGetsASuccessorAfterManyDeletions(t *testing.T) {
	pool := newFakePool(t)
	first := pool.mustBorrow(t, "same")
	remove := func() {
		if _, err := pulumirpc.NewResourceProviderClient(first).Delete(context.Background(), &pulumirpc.DeleteRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	for range maxDeletions - 1 {
		remove()
	}
	pool.mustBorrow(t, "same").release()
	if pool.startedCount() != 1 {
		t.Fatal("it was replaced too early")
	}
	remove()
	pool.mustBorrow(t, "same")
	if pool.startedCount() != 2 {
		t.Errorf("%d providers", pool.startedCount())
	}
	remove()
	first.release()
	pool.provider(0).awaitEnd(t)
}

func TestAConfigurationThatFailsIsTriedAgain(t *testing.T) {
	pool := newFakePool(t)
	pool.prepare = func(f *fakeProvider) {
		if len(pool.started) == 0 {
			f.configure = func(*pulumirpc.ConfigureRequest) error { return errors.New("not now") }
		}
	}
	if _, err := pool.borrow("same"); err == nil {
		t.Fatal("it was to fail")
	}
	if err := create(pool.mustBorrow(t, "same")); err != nil {
		t.Error(err)
	}
}

// messages is a sink that remembers.
type messages struct {
	diag.Sink
	got []string
}

func (m *messages) Logf(_ diag.Severity, d *diag.Diag, _ ...any) { m.got = append(m.got, d.Message) }

func TestWhatAProviderLogsGoesToTheRunsOnTheStack(t *testing.T) {
	pool := newFakePool(t)
	listening := func(stack string) (*runHost, *messages) {
		got := &messages{}
		host, err := newRunHost(stackKey{"p", stack}, "", pool.pool, sinks{got, got})
		if err != nil {
			t.Fatal(err)
		}
		return host, got
	}
	host, here := listening("here")
	_, there := listening("there")
	for _, urn := range []resource.URN{"urn:pulumi:here::p::t::n", "urn:pulumi:gone::p::t::n", "", "urn"} {
		pool.route(logMessage{severity: diag.Warning, urn: urn, text: "about " + string(urn)})
	}
	if len(here.got) != 1 || here.got[0] != "about urn:pulumi:here::p::t::n" || len(there.got) != 0 {
		t.Errorf("here %q, there %q", here.got, there.got)
	}
	_ = host.Close()
	pool.route(logMessage{urn: "urn:pulumi:here::p::t::n"})
	if len(here.got) != 1 {
		t.Error("a run that is over gets messages")
	}
}

func TestThePreviewOfAStackThatEndsLeavesItsRunTheMessages(t *testing.T) {
	pool := newFakePool(t)
	about := logMessage{severity: diag.Warning, urn: "urn:pulumi:here::p::t::n", text: "word"}
	run, preview := &messages{}, &messages{}
	if _, err := newRunHost(stackKey{"p", "here"}, "", pool.pool, sinks{run, run}); err != nil {
		t.Fatal(err)
	}
	beside, err := newRunHost(stackKey{"p", "here"}, "", pool.pool, sinks{preview, preview})
	if err != nil {
		t.Fatal(err)
	}
	pool.route(about)
	_ = beside.Close()
	pool.route(about)
	if len(run.got) != 2 || len(preview.got) != 1 {
		t.Errorf("run %q, preview %q", run.got, preview.got)
	}
}

func TestErrorsOfALeaseAreStatuses(t *testing.T) {
	wrapped := fmt.Errorf("configuring: %w", status.Error(codes.Unavailable, "gone"))
	for given, want := range map[error]codes.Code{
		context.Canceled:                         codes.Canceled,
		fmt.Errorf("wait: %w", context.Canceled): codes.Canceled,
		errors.New("no such program"):            codes.Unknown,
		wrapped:                                  codes.Unavailable,
	} {
		if _, ok := status.FromError(asStatus(given)); !ok || status.Code(asStatus(given)) != want {
			t.Errorf("%v became %v", given, asStatus(given))
		}
	}
	if asStatus(nil) != nil {
		t.Error("nothing became an error")
	}
}
