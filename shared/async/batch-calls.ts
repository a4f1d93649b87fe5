/**
 * Batches calls: one execution for all calls within one iteration of the event loop, or during an execution; never two
 * at a time. Each call gets the outcome of an execution that began after it. `call` receives the arguments in order.
 */
export function batchCalls<Asked, Answer>(
  call: (asked: readonly Asked[]) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  let waiting: Asked[] = []
  let next: Promise<Answer> | null = null
  let last: Promise<unknown> = Promise.resolve()

  async function begin(former: Promise<unknown>): Promise<Answer> {
    await former
    await new Promise(setImmediate)
    const asked = waiting
    waiting = []
    next = null
    return call(asked)
  }
  return asked => {
    waiting.push(asked)
    if (next) return next
    next = begin(last)
    last = next.catch(() => undefined)
    return next
  }
}

/** As `batchCalls`, of all that has the same key; calls of several keys may run at the same time. */
export function batchCallsByKey<Asked, Answer>(
  call: (asked: readonly Asked[]) => Promise<Answer>,
): (key: string, asked: Asked) => Promise<Answer> {
  const known = new Map<string, { readonly ask: (asked: Asked) => Promise<Answer>; underWay: number }>()
  return async (key, asked) => {
    const ofKey = known.get(key) ?? { ask: batchCalls(call), underWay: 0 }
    known.set(key, ofKey)
    ofKey.underWay++
    try {
      return await ofKey.ask(asked)
    } finally {
      if (--ofKey.underWay === 0) known.delete(key)
    }
  }
}
