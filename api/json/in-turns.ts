import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Pieces of text as a stream, each made when the one before is taken; in between, others get their turn. */
export function inTurns(...parts: readonly Iterable<string>[]): Readable {
  return Readable.from(turns(parts), { objectMode: false })
}

async function* turns(parts: readonly Iterable<string>[]): AsyncGenerator<string> {
  for (const part of parts)
    for (const chunk of part) {
      yield chunk
      await nextTurn()
    }
}
