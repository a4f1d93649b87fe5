import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Chunks of text as a stream, each computed when the previous one is consumed; yields to the event loop between them.
 */
export function cooperativeStream(...parts: readonly Iterable<string>[]): Readable {
  return Readable.from(turns(parts), { objectMode: false })
}

async function* turns(parts: readonly Iterable<string>[]): AsyncGenerator<string> {
  for (const part of parts)
    for (const chunk of part) {
      yield chunk
      await nextTurn()
    }
}
