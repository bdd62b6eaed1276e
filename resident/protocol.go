package main

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"k8s.io/apimachinery/pkg/types"
)

// request is one line of standard input: exactly one of Configure, Run, Cancel, Ping and WriteUntil is set.
type request struct {
	Configure *configuration `json:"configure"`
	ID        string         `json:"id"`
	Run       *runRequest    `json:"run"`
	Cancel    cancelMode     `json:"cancel"`
	Ping      *string        `json:"ping"`
	// WriteUntil is the time, in milliseconds since 1970, from which on providers may only read; until it is first told they may write.
	WriteUntil *int64 `json:"writeUntil"`
}

// configuration is the first line. It comes by standard input because arguments and environments can be read by others.
type configuration struct {
	Passphrase string `json:"passphrase"`
}

type operation string

const (
	opUp             operation = "up"
	opDestroy        operation = "destroy"
	opPreview        operation = "preview"
	opPreviewDestroy operation = "preview-destroy"
	opRefresh        operation = "refresh"
)

// isPreview tells whether the operation changes nothing, and so leaves no new state.
func (o operation) isPreview() bool { return o == opPreview || o == opPreviewDestroy }

// runsProgram tells whether the operation needs a program.
func (o operation) runsProgram() bool { return o == opUp || o == opPreview }

type runRequest struct {
	Operation operation `json:"operation"`
	Project   string    `json:"project"`
	Stack     string    `json:"stack"`
	// Checkpoint is what the file backend keeps in .pulumi/stacks/<project>/<stack>.json; null for a new stack.
	Checkpoint json.RawMessage `json:"checkpoint"`
	// Salt is the encryptionSalt of Pulumi.<stack>.yaml.
	Salt string `json:"salt"`
	// Program is the address of the inline program's LanguageRuntime server.
	Program string `json:"program"`
	Refresh bool   `json:"refresh"`
	// Existing are the objects that creations may take over, as "Kind name", with their uids; any other is left as it is, and fails the
	// run. Null: creations take over what they find, as over the CLI.
	Existing map[string]types.UID `json:"existing"`
	// Details asks for the values of steps that change something.
	Details  bool  `json:"details"`
	Parallel int32 `json:"parallel"`
}

// problem says what is wrong with the request; empty where nothing is.
func (r *runRequest) problem() string {
	_, nameErr := tokens.ParseStackName(r.Stack)
	switch {
	case r.Operation != opUp && r.Operation != opDestroy && r.Operation != opPreview &&
		r.Operation != opPreviewDestroy && r.Operation != opRefresh:
		return "operation must be one of up, destroy, preview, preview-destroy, refresh"
	case r.Project == "":
		return "project is missing"
	case nameErr != nil:
		return "stack is missing or no name of a stack"
	case r.Salt == "":
		return "salt is missing"
	case r.Operation.runsProgram() && r.Program == "":
		return "program is missing"
	case r.Parallel < 0:
		return "parallel must not be negative"
	}
	return ""
}

type cancelMode string

const (
	cancelGraceful cancelMode = "graceful"
	cancelForced   cancelMode = "forced"
)

type result string

const (
	resultSucceeded result = "succeeded"
	resultFailed    result = "failed"
	resultCancelled result = "cancelled"
	// resultCorrupt: the checkpoint cannot be used, or the passphrase is not the one of its salt.
	resultCorrupt result = "corrupt"
	// resultBusy: the stack has a run already.
	resultBusy    result = "busy"
	resultInvalid result = "invalid"
)

// answer is one line of standard output about a run.
type answer struct {
	ID    string               `json:"id"`
	Event *apitype.EngineEvent `json:"event,omitempty"`
	Done  *done                `json:"done,omitempty"`
}

type done struct {
	Result     result         `json:"result"`
	Message    string         `json:"message,omitempty"`
	Checkpoint *checkpoint    `json:"checkpoint"`
	Changes    map[string]int `json:"changes"`
}

// checkpoint is apitype.VersionedCheckpoint with its content typed, so that it is serialized once and not at each level.
type checkpoint struct {
	Version    int                  `json:"version"`
	Features   []string             `json:"features,omitempty"`
	Checkpoint apitype.CheckpointV3 `json:"checkpoint"`
}

type ready struct {
	Ready struct {
		Pulumi string `json:"pulumi"`
		PID    int    `json:"pid"`
	} `json:"ready"`
}

type pong struct {
	Pong string `json:"pong"`
	// Runs counts those that ended since the start, Active those under way.
	Runs       int `json:"runs"`
	Active     int `json:"active"`
	Goroutines int `json:"goroutines"`
	RSS        int `json:"rss"`
	Providers  int `json:"providers"`
}

// output writes whole lines, one at a time.
type output struct {
	mu sync.Mutex
	to io.Writer
}

func (o *output) send(message any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.to.Write(line.Bytes())
	return err
}
