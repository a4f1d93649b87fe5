import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts a script of a benchmark as a separate process, so that its CPU time and its garbage are counted separately. */
export function startScript(url: URL, args: readonly string[] = [], flags: readonly string[] = []): ChildProcess {
  return fork(url, args, { execArgv: ['--import', 'tsx', ...flags] })
}

/** Sends a message to a process, and resolves to its next message; rejects if the process ends before. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the type of the response
export function ask<T>(child: ChildProcess, told: object | string): Promise<T> {
  const answer = nextMessage<T>(child)
  child.send(told)
  return answer
}

/** The next message of a process; rejects if the process ends before. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const over = new AbortController()
  const ended = once(child, 'exit', { signal: over.signal }).then(([code]: unknown[]) => {
    throw new Error(`A process of the benchmark ended with ${String(code)}`)
  })
  ended.catch(() => undefined)
  const answered = once(child, 'message', { signal: over.signal })
  answered.catch(() => undefined)
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    const [message] = (await Promise.race([answered, ended])) as [T]
    return message
  } finally {
    over.abort()
  }
}
