package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
)

func TestConcurrentAnswersAreWholeLines(t *testing.T) {
	var written bytes.Buffer
	out := &output{to: &written}
	message := strings.Repeat("<long> ", 100_000)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { _ = out.send(answer{ID: "1", Done: &done{Result: resultFailed, Message: message}}) })
	}
	group.Wait()
	lines := bufio.NewReader(&written)
	for range 8 {
		line, err := lines.ReadBytes('\n')
		var parsed received
		if err != nil || json.Unmarshal(line, &parsed) != nil || parsed.Done.Message != message {
			t.Fatalf("line of %d bytes is not whole: %v", len(line), err)
		}
	}
}

func TestAnAnswerHasTheFieldsThatTheCallerReads(t *testing.T) {
	var written bytes.Buffer
	_ = (&output{to: &written}).send(answer{ID: "7", Done: &done{Result: resultBusy, Message: "<m>"}})
	want := `{"id":"7","done":{"result":"busy","message":"<m>","checkpoint":null,"changes":null}}` + "\n"
	if written.String() != want {
		t.Errorf("got %s", written.String())
	}
}

func TestMalformedRequestsAreAnsweredAsInvalid(t *testing.T) {
	run := func(change string) string {
		valid := `{"id":"1","run":{"operation":"up","project":"p","stack":"s","salt":"v1:","program":"127.0.0.1:1"}}`
		from, to, _ := strings.Cut(change, "=>")
		changed := strings.Replace(valid, from, to, 1)
		if changed == valid {
			t.Fatalf("%q changes nothing", change)
		}
		return changed
	}
	for name, line := range map[string]string{
		"no JSON":                "{",
		"nothing":                `{"id":"1"}`,
		"a run without an id":    run(`"id":"1",=>`),
		"another operation":      run(`"up"=>"down"`),
		"no project":             run(`"p"=>""`),
		"no stack":               run(`"s",=>"",`),
		"a stack with a slash":   run(`"s",=>"a/b",`),
		"no salt":                run(`"v1:"=>""`),
		"up without a program":   run(`127.0.0.1:1=>`),
		"a number for a text":    run(`"p"=>1`),
		"a negative parallelism": run(`"p"=>"p","parallel":-1`),
	} {
		t.Run(name, func(t *testing.T) {
			caller := newCaller(t, newFakePool(t).pool)
			caller.server.handle([]byte(line))
			got := caller.await(func(line received) bool { return line.Done != nil })
			if got.Done.Result != resultInvalid || got.Done.Message == "" {
				t.Errorf("got %s %q", got.Done.Result, got.Done.Message)
			}
		})
	}
}

func TestServeAnswersUntilItsInputEnds(t *testing.T) {
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(in, out, "") }()
	lines := bufio.NewReader(receive)
	exchange := func(request string) string {
		go func() { _, _ = io.WriteString(send, request+"\n") }()
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	if line := exchange(`{"configure":{"passphrase":"secret"}}`); !strings.Contains(line, `"ready":{"pulumi":`) {
		t.Errorf("got %s", line)
	}
	if line := exchange(`{"ping":"x"}`); !strings.HasPrefix(line, `{"pong":"x","runs":0,"active":0,`) {
		t.Errorf("got %s", line)
	}
	_ = send.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestTheCommandLineNamesAProviderThatStartsAtOnce(t *testing.T) {
	for _, arguments := range [][]string{nil, {"--provider", "kubernetes"}} {
		provider, isServer := argumentsOf(arguments)
		if !isServer || provider != strings.Join(arguments[min(1, len(arguments)):], "") {
			t.Errorf("%q: %q %v", arguments, provider, isServer)
		}
	}
	if _, isServer := argumentsOf([]string{"--help"}); isServer {
		t.Error("help is a server")
	}
}

func TestServeRefusesToStartUnconfigured(t *testing.T) {
	if err := serve(strings.NewReader(`{"ping":"x"}`+"\n"), io.Discard, ""); err == nil {
		t.Error("it starts")
	}
}
