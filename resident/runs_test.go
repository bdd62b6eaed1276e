package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

func inputs(size string) resource.PropertyMap {
	return resource.PropertyMap{
		"size":     resource.NewProperty(size),
		"password": resource.MakeSecret(resource.NewProperty("hunter2")),
	}
}

func changesOf(t *testing.T, got received) string {
	t.Helper()
	text, err := json.Marshal(got.Done.Changes)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAStackLives(t *testing.T) {
	pool := newFakePool(t)
	caller := newCaller(t, pool.pool)
	var state json.RawMessage
	step := func(id string, operation operation, size, changes string) string {
		t.Helper()
		request := runRequest{Operation: operation, Stack: "s", Checkpoint: state}
		if size != "" {
			request.Program = declare(t, "s", inputs(size))
		}
		got := caller.succeed(id, request)
		if changesOf(t, got) != changes {
			t.Errorf("%s %s: got %s", operation, id, changesOf(t, got))
		}
		if operation.isPreview() != (string(got.Done.Checkpoint) == "null") {
			t.Errorf("%s: checkpoint %s", operation, got.Done.Checkpoint)
		}
		if !operation.isPreview() {
			state = got.Done.Checkpoint
		}
		return string(got.Done.Checkpoint)
	}
	step("preview", opPreview, "large", `{"create":2}`)
	created := step("create", opUp, "large", `{"create":2}`)
	if strings.Contains(created, "hunter2") || !strings.Contains(created, `"stack":"organization/databases/s"`) {
		t.Errorf("got %s", created)
	}
	same := step("same", opUp, "large", `{"same":2}`)
	ciphertext := created[strings.Index(created, `"ciphertext":"`):][:60]
	if !strings.Contains(same, ciphertext) {
		t.Error("an unchanged secret was encrypted anew")
	}
	step("preview of an update", opPreview, "small", `{"same":1,"update":1}`)
	step("update", opUp, "small", `{"same":1,"update":1}`)
	step("refresh", opRefresh, "", `{"same":2}`)
	step("preview of a destroy", opPreviewDestroy, "", `{"delete":2}`)
	step("destroy", opDestroy, "", `{"delete":2}`)
	step("destroy of nothing", opDestroy, "", `{}`)
	step("create again", opUp, "large", `{"create":2}`)
	if pool.startedCount() != 1 || pool.provider(0).configured.Load() != 1 {
		t.Errorf("%d providers", pool.startedCount())
	}
	caller.send(map[string]any{"ping": "x"})
	if pong := caller.await(func(line received) bool { return line.Pong == "x" }); pong.Runs != 10 || pong.Active != 0 {
		t.Errorf("%d runs, %d active", pong.Runs, pong.Active)
	}
}

func TestWhatFailsIsToldToItsRunOnly(t *testing.T) {
	pool := newFakePool(t)
	pool.prepare = func(f *fakeProvider) {
		f.create = func(request *pulumirpc.CreateRequest) error {
			if strings.Contains(request.Urn, ":bad::") {
				return errors.New("quota exceeded")
			}
			return nil
		}
	}
	caller := newCaller(t, pool.pool)
	caller.start("bad", runRequest{Operation: opUp, Stack: "bad", Program: declare(t, "bad", inputs("x"))})
	caller.start("good", runRequest{Operation: opUp, Stack: "good", Program: declare(t, "good", inputs("x"))})
	bad, good := caller.result("bad"), caller.result("good")
	if bad.Done.Result != resultFailed || !strings.Contains(caller.events("bad"), "quota exceeded") {
		t.Errorf("bad: %s %s", bad.Done.Result, caller.events("bad"))
	}
	if !strings.Contains(string(bad.Done.Checkpoint), "databases-bad") {
		t.Errorf("the failed run left %s", bad.Done.Checkpoint)
	}
	if good.Done.Result != resultSucceeded || strings.Contains(caller.events("good"), "quota") {
		t.Errorf("good: %s %s", good.Done.Result, caller.events("good"))
	}
}

func TestAProgramThatFailsFailsItsRun(t *testing.T) {
	caller := newCaller(t, newFakePool(t).pool)
	program := serveProgram(t, func(_ *deploytest.ResourceMonitor, engine pulumirpc.EngineClient) error {
		for severity, text := range map[pulumirpc.LogSeverity]string{
			pulumirpc.LogSeverity_DEBUG: "password=hunter2", pulumirpc.LogSeverity_WARNING: "beware",
		} {
			request := &pulumirpc.LogRequest{Severity: severity, Message: text}
			if _, err := engine.Log(context.Background(), request); err != nil {
				return err
			}
		}
		return errors.New("thrown")
	})
	got := caller.run("1", runRequest{Operation: opUp, Stack: "s", Program: program, Details: true})
	events := caller.events("1")
	if got.Done.Result != resultFailed || !strings.Contains(got.Done.Message, "thrown") {
		t.Errorf("got %s %s", got.Done.Result, got.Done.Message)
	}
	if !strings.Contains(events, "beware") || strings.Contains(events, "hunter2") {
		t.Errorf("events: %s", events)
	}
}

func TestAProgramThatIsNotThereFailsTheRun(t *testing.T) {
	caller := newCaller(t, newFakePool(t).pool)
	got := caller.run("1", runRequest{Operation: opUp, Stack: "s", Program: "127.0.0.1:1"})
	if got.Done.Result != resultFailed {
		t.Errorf("got %s", got.Done.Result)
	}
}

// holdCreations makes creations wait until the test lets them go on.
func holdCreations(pool *fakePool) (reached <-chan struct{}, release func()) {
	held, free := make(chan struct{}, 8), make(chan struct{})
	pool.prepare = func(f *fakeProvider) {
		f.create = func(*pulumirpc.CreateRequest) error {
			held <- struct{}{}
			<-free
			return nil
		}
	}
	return held, sync.OnceFunc(func() { close(free) })
}

func TestAStackHasOneRunAtATime(t *testing.T) {
	pool := newFakePool(t)
	reached, release := holdCreations(pool)
	caller := newCaller(t, pool.pool)
	request := runRequest{Operation: opUp, Stack: "s", Program: declare(t, "s", inputs("x"))}
	caller.start("1", request)
	<-reached
	if got := caller.run("2", request); got.Done.Result != resultBusy {
		t.Errorf("got %s", got.Done.Result)
	}
	if got := caller.run("1", runRequest{Operation: opDestroy, Stack: "other"}); got.Done.Result != resultInvalid {
		t.Errorf("an id that is taken: %s", got.Done.Result)
	}
	caller.forget()
	release()
	got := caller.result("1")
	if got.Done.Result != resultSucceeded {
		t.Errorf("got %s %s", got.Done.Result, got.Done.Message)
	}
	request.Checkpoint = got.Done.Checkpoint
	caller.succeed("3", request)
}

func TestAPreviewAndARunOfOneStackAreApart(t *testing.T) {
	pool := newFakePool(t)
	reached, release := holdCreations(pool)
	caller := newCaller(t, pool.pool)
	request := runRequest{Operation: opUp, Stack: "s", Program: declare(t, "s", inputs("x"))}
	preview := request
	preview.Operation = opPreview
	caller.start("1", request)
	<-reached
	for _, id := range []string{"2", "3"} {
		if got := caller.run(id, preview); got.Done.Result != resultSucceeded {
			t.Errorf("a preview beside a run: %s %s", got.Done.Result, got.Done.Message)
		}
	}
	if got := caller.run("4", request); got.Done.Result != resultBusy {
		t.Errorf("the end of a preview is not that of the run: %s", got.Done.Result)
	}
	caller.forget()
	release()
	if got := caller.result("1"); got.Done.Result != resultSucceeded {
		t.Errorf("got %s %s", got.Done.Result, got.Done.Message)
	}
}

func TestAGracefulCancelLetsCallsEnd(t *testing.T) {
	pool := newFakePool(t)
	reached, release := holdCreations(pool)
	defer release()
	caller := newCaller(t, pool.pool)
	caller.start("1", runRequest{Operation: opUp, Stack: "s", Program: declare(t, "s", inputs("x"))})
	<-reached
	caller.send(map[string]any{"id": "1", "cancel": "graceful"})
	time.Sleep(50 * time.Millisecond)
	release()
	got := caller.result("1")
	if got.Done.Result != resultCancelled || !strings.Contains(string(got.Done.Checkpoint), "Thing") {
		t.Errorf("got %s %s", got.Done.Result, got.Done.Checkpoint)
	}
}

func TestAForcedCancelWaitsForNothing(t *testing.T) {
	pool := newFakePool(t)
	reached, release := holdCreations(pool)
	defer release()
	caller := newCaller(t, pool.pool)
	request := runRequest{Operation: opUp, Stack: "s", Program: declare(t, "s", inputs("x"))}
	caller.start("1", request)
	<-reached
	caller.send(map[string]any{"id": "1", "cancel": "forced"})
	got := caller.result("1")
	if got.Done.Result != resultCancelled {
		t.Errorf("got %s %s", got.Done.Result, got.Done.Message)
	}
	// what was under way is told by the state, for the caller to decide about
	if !strings.Contains(string(got.Done.Checkpoint), `"pending_operations"`) {
		t.Errorf("got %s", got.Done.Checkpoint)
	}
	release()
	caller.succeed("2", request)
}

func TestStoppingCancelsRuns(t *testing.T) {
	pool := newFakePool(t)
	reached, release := holdCreations(pool)
	defer release()
	caller := newCaller(t, pool.pool)
	caller.start("1", runRequest{Operation: opUp, Stack: "s", Program: declare(t, "s", inputs("x"))})
	<-reached
	caller.server.stop(50 * time.Millisecond)
	if got := caller.result("1"); got.Done.Result != resultCancelled {
		t.Errorf("got %s", got.Done.Result)
	}
	pool.provider(0).awaitEnd(t)
	if got := caller.run("2", runRequest{Operation: opDestroy, Stack: "s"}); got.Done.Result != resultCancelled {
		t.Errorf("a run is begun after the end: %s", got.Done.Result)
	}
}

func TestUnusableCheckpointsAreCorrupt(t *testing.T) {
	caller := newCaller(t, newFakePool(t).pool)
	program := declare(t, "s", inputs("x"))
	good := string(caller.succeed("0", runRequest{Operation: opUp, Stack: "s", Program: program}).Done.Checkpoint)
	replaced := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("%q is not in %s", from, good)
		}
		return strings.Replace(good, from, to, 1)
	}
	other := strings.Replace(salt(), ":v1:", ":v1:AAAA", 1)
	for name, state := range map[string]string{
		"a text":                    `"hello"`,
		"another version":           replaced(`"version":3`, `"version":9`),
		"resources of another kind": replaced(`"resources":[`, `"resources":[7,`),
		"a damaged ciphertext":      replaced(`"ciphertext":"v1:`, `"ciphertext":"v1:AAAA`),
		"another salt":              replaced(salt(), other),
		"another secrets provider":  replaced(`"type":"passphrase"`, `"type":"cloud"`),
		"a missing parent":          replaced(`"parent":"urn:pulumi:s::databases::`, `"parent":"urn:pulumi:s::databases::x:`),
	} {
		t.Run(name, func(t *testing.T) {
			request := runRequest{Operation: opUp, Stack: "s", Program: program, Checkpoint: json.RawMessage(state)}
			got := caller.run(name, request)
			if got.Done.Result != resultCorrupt || got.Done.Message == "" || string(got.Done.Checkpoint) != "null" {
				t.Errorf("got %s %q %s", got.Done.Result, got.Done.Message, got.Done.Checkpoint)
			}
		})
	}
	t.Run("another passphrase", func(t *testing.T) {
		caller.server.keys = newKeyring("other")
		request := runRequest{Operation: opDestroy, Stack: "s", Checkpoint: json.RawMessage(good)}
		if got := caller.run("p", request); got.Done.Result != resultCorrupt {
			t.Errorf("got %s", got.Done.Result)
		}
	})
}

func TestManyRunsAtOnce(t *testing.T) {
	pool := newFakePool(t)
	caller := newCaller(t, pool.pool)
	for i := range 12 {
		stack := fmt.Sprintf("s%d", i)
		caller.start(stack, runRequest{Operation: opUp, Stack: stack, Program: declare(t, stack, inputs("x"))})
	}
	for i := range 12 {
		stack := fmt.Sprintf("s%d", i)
		got := caller.result(stack)
		if got.Done.Result != resultSucceeded || !strings.Contains(string(got.Done.Checkpoint), "databases-"+stack) {
			t.Errorf("%s: %s %s", stack, got.Done.Result, got.Done.Message)
		}
	}
	if pool.startedCount() != 1 {
		t.Errorf("%d providers", pool.startedCount())
	}
}

func TestTheTimeUntilWhichProvidersMayWriteIsTold(t *testing.T) {
	caller := newCaller(t, newFakePool(t).pool)
	if !caller.server.pool.writes.isOpen() {
		t.Error("closed before a time is told")
	}
	caller.server.handle(fmt.Appendf(nil, `{"writeUntil":%d}`, time.Now().Add(time.Minute).UnixMilli()))
	if !caller.server.pool.writes.isOpen() {
		t.Error("closed before its time")
	}
	caller.server.handle(fmt.Appendf(nil, `{"writeUntil":%d}`, time.Now().Add(-time.Second).UnixMilli()))
	if caller.server.pool.writes.isOpen() {
		t.Error("open after its time")
	}
}

func TestCoresDoNotSayHowMuchIsDoneAtOnce(t *testing.T) {
	if options := optionsOf(&runRequest{}); options.Parallel != stepsAtOnce {
		t.Errorf("%d steps at once", options.Parallel)
	}
	if options := optionsOf(&runRequest{Parallel: 3}); options.Parallel != 3 {
		t.Errorf("%d steps at once instead of 3", options.Parallel)
	}
}

func TestManyResourcesAreMadeAtOnce(t *testing.T) {
	pool := newFakePool(t)
	var waiting sync.WaitGroup
	waiting.Add(stepsAtOnce)
	pool.prepare = func(f *fakeProvider) {
		f.create = func(*pulumirpc.CreateRequest) error {
			// none is done before all have begun
			waiting.Done()
			waiting.Wait()
			return nil
		}
	}
	program := serveProgram(t, func(monitor *deploytest.ResourceMonitor, _ pulumirpc.EngineClient) error {
		root, err := monitor.RegisterResource(resource.RootStackType, "databases-many", false)
		if err != nil {
			return err
		}
		failures := make(chan error, stepsAtOnce)
		for i := range stepsAtOnce {
			go func() {
				_, err := monitor.RegisterResource("pkg:m:Thing", fmt.Sprint("thing-", i), true, deploytest.ResourceOptions{
					Parent: root.URN, Version: "1.0.0",
				})
				failures <- err
			}()
		}
		for range stepsAtOnce {
			err = errors.Join(err, <-failures)
		}
		return err
	})
	newCaller(t, pool.pool).succeed("1", runRequest{Operation: opUp, Stack: "many", Program: program})
}
