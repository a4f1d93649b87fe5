import { type ChildProcess, spawn } from 'node:child_process'

/** Sees to it that this process is gone in time once it is to end, whatever still holds it. */
export interface Watchdog {
  /** From now on the process has so long: then it is killed (SIGKILL). The first call counts. */
  arm(withinMs: number): void
}

/**
 * A shell that reads the time from its standard input, waits for it, and kills. A thread of this process would not do: Node ends its
 * threads before the exit handlers of native code run, and these are what may hang (the embedded engine's). Its input ends with this
 * process, and with it the shell, so it never kills another process that got the same id. It is started early, as a process that is
 * out of memory cannot start one.
 */
const script = `
trap '' HUP INT TERM
read seconds || exit 0
{ sleep "$seconds"; kill -9 "$1"; } </dev/null &
read rest
kill -9 $!
`

/** Starts the watchdog of this process. Where no shell can be started the process goes on without; `onFailure` is told. */
export function startWatchdog(onFailure: (error: unknown) => void): Watchdog {
  let armed = false
  let shell = spawnShell(onFailure)
  return {
    arm(withinMs) {
      if (armed) return
      armed = true
      // Somebody may have ended it.
      if (shell.exitCode !== null || shell.signalCode !== null) shell = spawnShell(onFailure)
      shell.stdin?.write(`${(withinMs / 1000).toFixed(3)}\n`)
    },
  }
}

function spawnShell(onFailure: (error: unknown) => void): ChildProcess {
  // A group of its own: what is sent to the group of this process, such as Ctrl-C, is not for it.
  const shell = spawn('/bin/sh', ['-c', script, 'takt-watchdog', String(process.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', onFailure)
  shell.stdin?.on('error', () => undefined)
  shell.unref()
  // The stream of a pipe is a socket, which may be let go as well.
  if (shell.stdin && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return shell
}
