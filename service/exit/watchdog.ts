import { type ChildProcess, spawn } from 'node:child_process'

/** Kills this process if its end takes too long. */
export interface Watchdog {
  /** Kills the process (SIGKILL) after this time. Only the first call has an effect. */
  arm(withinMs: number): void
}

/**
 * A shell script that reads a time from its standard input, waits and kills this process. A worker thread would not
 * work: Node ends threads before the exit handlers of native code run, and the handlers of the embedded engine may
 * hang. The input ends with this process, which ends the shell, so that it never kills a later process with the same
 * id. The shell is started early, because a process without memory cannot start one.
 */
const script = `
trap '' HUP INT TERM
read seconds || exit 0
{ sleep "$seconds"; kill -9 "$1"; } </dev/null &
read rest
kill -9 $!
`

/**
 * Starts the watchdog of this process. If no shell can be started, the process runs without one, and `onFailure` gets
 * the error.
 */
export function startWatchdog(onFailure: (error: unknown) => void): Watchdog {
  let armed = false
  let shell = spawnShell(onFailure)
  return {
    arm(withinMs) {
      if (armed) return
      armed = true
      // Starts a new shell if the first one was killed.
      if (shell.exitCode !== null || shell.signalCode !== null) shell = spawnShell(onFailure)
      shell.stdin?.write(`${(withinMs / 1000).toFixed(3)}\n`)
    },
  }
}

function spawnShell(onFailure: (error: unknown) => void): ChildProcess {
  // Detached, so that signals to the group of this process, such as Ctrl-C, do not reach the shell.
  const shell = spawn('/bin/sh', ['-c', script, 'takt-watchdog', String(process.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', onFailure)
  shell.stdin?.on('error', () => undefined)
  shell.unref()
  // The stream of the pipe would keep this process alive.
  if (shell.stdin && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return shell
}
