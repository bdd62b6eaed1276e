// Command pulumi-resident is Pulumi's engine as a resident process: it carries out the runs of many stacks, with one
// Kubernetes provider for all. Requests and answers are lines of JSON; the caller keeps all state.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/version"
)

const help = `pulumi-resident [--provider NAME | --version | --help]

Runs Pulumi stacks for the program that started it, in an empty directory of its own. One JSON value per line.
Standard input: first {"configure":{"passphrase":"..."}}, then
  {"id":"1","run":{"operation":"up|destroy|preview|preview-destroy|refresh","project":"...","stack":"...",
    "checkpoint":{...}|null,"salt":"v1:...","program":"127.0.0.1:PORT","refresh":false,"existing":{"KIND NAME":"UID"}|null,
    "details":false,"parallel":0}}
  {"id":"1","cancel":"graceful|forced"}
  {"ping":"x"}
  {"writeUntil":1767225600000}  (milliseconds since 1970; from then on providers may only read)
Standard output: {"ready":{...}}, {"id":"1","event":{...}}, {"id":"1","done":{...}}, {"pong":"x",...}.
The end of standard input ends it. Providers come from PATH (pulumi-resource-<name>), when a run needs them; the one of
--provider starts at once.
`

// complain writes to standard error. The engine takes the standard logger for itself.
var complain = log.New(os.Stderr, "pulumi-resident: ", 0)

// patience is how long runs may take to end gracefully once nobody is there to read their answers.
const patience = 10 * time.Second

func main() {
	provider, isServer := argumentsOf(os.Args[1:])
	if !isServer {
		return
	}
	if err := serve(os.Stdin, os.Stdout, provider); err != nil {
		complain.Fatal(err)
	}
}

// argumentsOf reads the command line; it answers what is no server's itself. `provider` is empty where none starts at once.
func argumentsOf(arguments []string) (provider string, isServer bool) {
	switch {
	case len(arguments) == 0:
		return "", true
	case len(arguments) == 2 && arguments[0] == "--provider" && arguments[1] != "":
		return arguments[1], true
	case arguments[0] == "--version":
		fmt.Println(version.Version)
	case arguments[0] == "--help" || arguments[0] == "-h":
		fmt.Print(help)
	default:
		fmt.Fprint(os.Stderr, help)
		os.Exit(2)
	}
	return "", false
}

// serve answers requests until there are no more, or until it is told to stop. The provider starts before it is known what for.
func serve(in io.Reader, out io.Writer, provider string) error {
	limitMemory()
	environ := os.Environ()
	directory, err := settle()
	if err != nil {
		return err
	}

	pool, err := newPool(environ, directory)
	if err != nil {
		return err
	}
	if provider != "" {
		pool.startAhead(provider)
	}
	lines := bufio.NewReaderSize(in, 1<<16)
	passphrase, err := readConfiguration(lines)
	if err != nil {
		pool.close()
		return err
	}
	server := newServer(&output{to: out}, passphrase, pool, directory)
	var hello ready
	hello.Ready.Pulumi = strings.TrimPrefix(version.Version, "v")
	hello.Ready.PID = os.Getpid()
	server.send(hello)

	ended := make(chan error, 1)
	go func() { ended <- handleAll(lines, server) }()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	select {
	case err = <-ended:
	case <-stop:
	}
	server.stop(patience)
	return err
}

// readConfiguration reads the first line.
func readConfiguration(lines *bufio.Reader) (string, error) {
	line, err := lines.ReadBytes('\n')
	var first request
	if err != nil || json.Unmarshal(line, &first) != nil || first.Configure == nil {
		return "", errors.New(`the first line of standard input must be {"configure":{"passphrase":"..."}}`)
	}
	return first.Configure.Passphrase, nil
}

func handleAll(lines *bufio.Reader, server *server) error {
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
		server.handle(line)
	}
}

// settle sets the engine up for this process alone: the directory that it was started in, which is empty, since the
// engine looks for projects and credentials around it, and settings that it reads from the environment only.
func settle() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if directory, err = filepath.EvalSymlinks(directory); err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"PULUMI_HOME": directory,
		// one state per run, at its end
		"PULUMI_SKIP_CHECKPOINTS":                     "true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
		// a panic in a run is to fail that run; the engine offers that under the development flag only
		"PULUMI_DEV":                      "true",
		"PULUMI_GOROUTINE_PANIC_RECOVERY": "true",
	} {
		if err := os.Setenv(name, value); err != nil {
			return "", err
		}
	}
	// Pulumi Cloud has no part in this
	for _, name := range []string{"PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN"} {
		if err := os.Unsetenv(name); err != nil {
			return "", err
		}
	}
	return directory, nil
}

// limitMemory trades memory for time: the heap is small, and most of it is garbage of the last run.
func limitMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(512 << 20)
	}
}
