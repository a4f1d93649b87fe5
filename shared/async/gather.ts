/**
 * Makes one call of all that is asked in one turn of the event loop, or while a call is under way: never two at a time. Everyone gets the
 * outcome of a call that began after they asked. `call` gets what was asked, in order.
 */
export function gather<Asked, Answer>(
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

/** As `gather`, of all that has the same key; calls of several keys may run at the same time. */
export function gatherByKey<Asked, Answer>(
  call: (asked: readonly Asked[]) => Promise<Answer>,
): (key: string, asked: Asked) => Promise<Answer> {
  const known = new Map<string, { readonly ask: (asked: Asked) => Promise<Answer>; underWay: number }>()
  return async (key, asked) => {
    const ofKey = known.get(key) ?? { ask: gather(call), underWay: 0 }
    known.set(key, ofKey)
    ofKey.underWay++
    try {
      return await ofKey.ask(asked)
    } finally {
      if (--ofKey.underWay === 0) known.delete(key)
    }
  }
}
