package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/encoding"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// openCheckpoint reads a state as the file backend does: decrypted and verified. Null, and a stack that was never
// deployed, are the empty state.
func openCheckpoint(ctx context.Context, raw json.RawMessage, keys secrets.Provider) (*deploy.Snapshot, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	latest, _, _, err := stack.UnmarshalVersionedCheckpointToLatestCheckpoint(encoding.JSON, raw)
	if err != nil {
		// the error of a JSON decoder may quote what it read
		return nil, errors.New("the checkpoint is not one that this version of Pulumi reads")
	}
	snapshot, err := stack.DeserializeCheckpoint(ctx, keys, latest)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	if err := snapshot.VerifyIntegrity(); err != nil {
		return nil, fmt.Errorf("snapshot integrity failure: %w", err)
	}
	return snapshot, nil
}

// lastState is where the engine's snapshot manager saves to. Only the last state counts.
type lastState struct {
	deployment *apitype.TypedDeployment
}

func (s *lastState) Save(deployment apitype.TypedDeployment) error {
	s.deployment = &deployment
	return nil
}

// take returns the saved state as the file backend would write it, and keeps nothing of it; nil where none was saved.
func (s *lastState) take(project, stackName string) *checkpoint {
	saved := s.deployment
	s.deployment = nil
	if saved == nil {
		return nil
	}
	return &checkpoint{
		Version:  saved.Version,
		Features: saved.Features,
		Checkpoint: apitype.CheckpointV3{
			Stack:  tokens.QName("organization/" + project + "/" + stackName),
			Latest: saved.Deployment,
		},
	}
}

// snapshots is the engine's snapshot manager, and knows what the run has in memory.
type snapshots struct {
	*backend.SnapshotManager

	mu         sync.Mutex
	deployment *deploy.Deployment
	steps      []deploy.Step
}

func (s *snapshots) BeginMutation(step deploy.Step) (engine.SnapshotMutation, error) {
	s.mu.Lock()
	s.deployment = step.Deployment()
	s.steps = append(s.steps, step)
	s.mu.Unlock()
	return s.SnapshotManager.BeginMutation(step)
}

// forget empties what a run that is over had in memory. The engine leaves a few goroutines behind with every run, which
// in a process of one run do no harm; here each would keep both states of its stack.
func (s *snapshots) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, step := range s.steps {
		reflect.ValueOf(step).Elem().SetZero()
	}
	if s.deployment != nil {
		*s.deployment = deploy.Deployment{}
	}
	s.SnapshotManager, s.deployment, s.steps = nil, nil, nil
}
