package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/display"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/constant"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/env"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

var errPanic = errors.New("internal error of the engine")

// execute carries a run out, from its checkpoint to its last state.
func (s *server) execute(r *run) (outcome *done) {
	defer r.source.Terminate() // what the engine keeps until then is given up
	defer func() {
		if cause := recover(); cause != nil {
			complain.Printf("run %s: panic: %v\n%s", r.id, cause, debug.Stack())
			outcome = &done{Result: resultFailed, Message: errPanic.Error()}
		}
	}()

	manager, err := s.keys.manager(r.request.Salt)
	if err != nil {
		return &done{Result: resultCorrupt, Message: err.Error()}
	}
	snapshot, err := openCheckpoint(context.Background(), r.request.Checkpoint, s.keys)
	if err != nil {
		return &done{Result: resultCorrupt, Message: err.Error()}
	}
	r.request.Checkpoint = nil
	return s.deploy(r, snapshot, manager)
}

// deploy lets the engine work on a state.
func (s *server) deploy(r *run, snapshot *deploy.Snapshot, manager secrets.Manager) *done {
	var host *runHost
	options := optionsOf(r.request)
	options.HostFactory = func(
		_ context.Context, diagnostics, status diag.Sink, _ plugin.DebugContext,
	) (plugin.Host, error) {
		made, err := newRunHost(r.stack, r.request.Program, s.pool, sinks{diagnostics, status})
		if err != nil {
			return nil, err
		}
		made.existing = r.request.Existing
		host = made
		return made, nil
	}
	update := updateOf(r.request, s.directory, snapshot, manager)
	events := make(chan engine.Event)
	work := &engine.Context{Cancel: r.context, Events: events, BackendClient: noOtherStacks{}}
	saved := &lastState{}
	var states *snapshots
	if !r.request.Operation.isPreview() {
		states = &snapshots{SnapshotManager: backend.NewSnapshotManager(saved, manager, snapshot, nil)}
		work.SnapshotManager = states
	}

	forwarded := make(chan struct{})
	go func() {
		defer close(forwarded)
		s.forward(r, events)
	}()
	changes, err := operate(r, update, work, options)
	if host != nil {
		_ = host.Close()
	}
	close(events)
	<-forwarded

	outcome := outcomeOf(r, changes, err)
	if states != nil {
		if err := states.Close(); err != nil {
			// the engine checks what it saves; a state that fails would be refused the next time
			outcome.Result, outcome.Message = resultCorrupt, fmt.Sprintf("saving the state: %v", err)
		}
		outcome.Checkpoint = saved.take(r.request.Project, r.request.Stack)
	}
	// what was terminated, or broke off, may have steps under way
	if r.context.TerminateErr() == nil && !errors.Is(err, errPanic) {
		update.Target.Snapshot = nil
		if snapshot != nil {
			for _, state := range snapshot.Resources {
				state.Inputs, state.Outputs = nil, nil
			}
		}
		if states != nil {
			states.forget()
		}
	}
	return outcome
}

// forward sends the run's events to the caller.
func (s *server) forward(r *run, events <-chan engine.Event) {
	sequence := 0
	for event := range events {
		converted, err := convertEvent(event, sequence, r.request.Details)
		sequence++
		if err != nil {
			complain.Printf("run %s: %v", r.id, err)
		} else if converted != nil {
			s.send(answer{ID: r.id, Event: converted})
		}
	}
}

// operate calls the engine. A panic of it, in this goroutine or in one that it guards, fails the run and no other.
func operate(
	r *run, update engine.UpdateInfo, work *engine.Context, options engine.UpdateOptions,
) (changes display.ResourceChanges, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			complain.Printf("run %s: panic: %v\n%s", r.id, cause, debug.Stack())
			err = errPanic
		}
	}()
	dryRun := r.request.Operation.isPreview()
	switch r.request.Operation {
	case opUp, opPreview:
		_, changes, err = engine.Update(update, work, options, dryRun)
	case opDestroy, opPreviewDestroy:
		_, changes, err = engine.Destroy(update, work, options, dryRun)
	case opRefresh:
		_, changes, err = engine.Refresh(update, work, options, dryRun)
	}
	return changes, err
}

func outcomeOf(r *run, changes display.ResourceChanges, err error) *done {
	outcome := &done{Result: resultSucceeded, Changes: map[string]int{}}
	for op, count := range changes {
		outcome.Changes[string(op)] = count
	}
	if err != nil {
		// the prefix marks errors for which there are diagnostics
		outcome.Result, outcome.Message = resultFailed, strings.TrimPrefix(err.Error(), "BAIL: ")
		if r.context.CancelErr() != nil {
			outcome.Result = resultCancelled
		}
	}
	return outcome
}

func updateOf(
	request *runRequest, directory string, snapshot *deploy.Snapshot, manager secrets.Manager,
) engine.UpdateInfo {
	project := &workspace.Project{Name: tokens.PackageName(request.Project)}
	if request.Operation.runsProgram() {
		project.Runtime = workspace.NewProjectRuntimeInfo(programRuntime, nil)
	}
	return engine.UpdateInfo{
		Root:    directory,
		Project: project,
		Target: &deploy.Target{
			Name: tokens.MustParseStackName(request.Stack),
			// what the file backend calls it
			Organization: "organization",
			Config:       config.Map{},
			Decrypter:    manager.Decrypter(),
			Snapshot:     snapshot,
		},
	}
}

// stepsAtOnce is how many resources of a run are worked on at the same time: each waits for the API server, which is nearly all
// that it does, so cores say nothing about it.
const stepsAtOnce = 32

// optionsOf are the CLI's defaults, but for how much is done at once.
func optionsOf(request *runRequest) engine.UpdateOptions {
	parallel := request.Parallel
	if parallel == 0 {
		parallel = stepsAtOnce
	}
	return engine.UpdateOptions{
		Parallel:                  parallel,
		Refresh:                   request.Refresh,
		ParallelDiff:              env.ParallelDiff.Value(),
		UseLegacyDiff:             env.EnableLegacyDiff.Value(),
		UseLegacyRefreshDiff:      env.EnableLegacyRefreshDiff.Value(),
		DisableProviderPreview:    env.DisableProviderPreview.Value(),
		DisableResourceReferences: env.DisableResourceReferences.Value(),
		DisableOutputValues:       env.DisableOutputValues.Value(),
		ExecKind:                  constant.ExecKindAutoInline,
		// providers come from PATH when they are needed
		SkipPluginPreInstall: true,
	}
}

// noOtherStacks answers programs that ask for outputs of another stack.
type noOtherStacks struct{}

var errNoOtherStacks = errors.New("references to other stacks are not supported here")

func (noOtherStacks) GetStackOutputs(context.Context, string, func(error) error) (property.Map, error) {
	return property.Map{}, errNoOtherStacks
}

func (noOtherStacks) GetStackResourceOutputs(context.Context, string) (property.Map, error) {
	return property.Map{}, errNoOtherStacks
}
