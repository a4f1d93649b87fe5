/**
 * Batches calls: one execution for all calls within one iteration of the event loop, or during an execution; never two
 * at a time. Each call gets the outcome of an execution that started after it. `call` receives the arguments in order.
 */
export function batchCalls<Argument, Result>(
  call: (args: readonly Argument[]) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  let waiting: Argument[] = []
  let next: Promise<Result> | null = null
  let last: Promise<unknown> = Promise.resolve()

  async function begin(previous: Promise<unknown>): Promise<Result> {
    await previous
    await new Promise(setImmediate)
    const args = waiting
    waiting = []
    next = null
    return call(args)
  }
  return argument => {
    waiting.push(argument)
    if (next) return next
    next = begin(last)
    last = next.catch(() => undefined)
    return next
  }
}

/** Does the same as `batchCalls` for each key separately; calls of different keys may run concurrently. */
export function batchCallsByKey<Argument, Result>(
  call: (args: readonly Argument[]) => Promise<Result>,
): (key: string, argument: Argument) => Promise<Result> {
  const known = new Map<string, { readonly call: (argument: Argument) => Promise<Result>; inProgress: number }>()
  return async (key, argument) => {
    const ofKey = known.get(key) ?? { call: batchCalls(call), inProgress: 0 }
    known.set(key, ofKey)
    ofKey.inProgress++
    try {
      return await ofKey.call(argument)
    } finally {
      if (--ofKey.inProgress === 0) known.delete(key)
    }
  }
}
