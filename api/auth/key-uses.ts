import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { every } from '../../shared/async/every.ts'

/** Times of the last use of keys, outside of the log: accurate to a minute, which a crash may lose. */
export interface KeyUses {
  note(keyId: string): void
  /** UTC ms; missing: never used. Rejects with a `StoreError`. */
  lastUsed(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  stop(): Promise<void>
}

export interface KeyUsesDeps {
  readonly write: (usedAtMs: ReadonlyMap<string, number>) => Promise<void>
  readonly read: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  readonly clock: () => number
  readonly onFailure: (error: unknown) => void
  readonly everyMs?: number
}

/** Creates a `KeyUses` that writes the uses of a minute in one insert. */
export function createKeyUses({ write, read, clock, onFailure, everyMs = 60_000 }: KeyUsesDeps): KeyUses {
  let unwritten = new Map<string, number>()

  const flush = async (): Promise<void> => {
    if (unwritten.size === 0) return
    const writing = unwritten
    unwritten = new Map()
    try {
      await write(writing)
    } catch (error) {
      // Failed uses are kept, unless there are newer ones.
      unwritten = new Map([...writing, ...unwritten])
      onFailure(error)
    }
  }
  const stopTimer = every(everyMs, () => crashOnRejection(flush()))

  return {
    note: keyId => void unwritten.set(keyId, clock()),
    async lastUsed(keyIds) {
      const recent = keyIds.flatMap(id => {
        const atMs = unwritten.get(id)
        return atMs === undefined ? [] : [[id, atMs] as const]
      })
      return new Map([...(await read(keyIds)), ...recent])
    },
    async stop() {
      stopTimer()
      await flush()
    },
  }
}
