import { neverRejects } from '../../shared/async/never-rejects.ts'

/** When keys were last used, kept outside of the log: known to about a minute, and no minute's worth survives a crash. */
export interface KeyUses {
  /** A request came with the key. */
  note(keyId: string): void
  /** UTC ms; missing: never. Rejects with a `StoreError`. */
  lastUsed(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Writes what is not yet written. */
  stop(): Promise<void>
}

export interface KeyUsesDeps {
  readonly write: (usedAtMs: ReadonlyMap<string, number>) => Promise<void>
  readonly read: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  /** UTC ms. */
  readonly clock: () => number
  readonly onFailure: (error: unknown) => void
  readonly everyMs?: number
}

/** Writes all uses of a minute as one. */
export function createKeyUses({ write, read, clock, onFailure, everyMs = 60_000 }: KeyUsesDeps): KeyUses {
  let unwritten = new Map<string, number>()

  const flush = async (): Promise<void> => {
    if (unwritten.size === 0) return
    const writing = unwritten
    unwritten = new Map()
    try {
      await write(writing)
    } catch (error) {
      // Unless they were used again meanwhile.
      unwritten = new Map([...writing, ...unwritten])
      onFailure(error)
    }
  }
  const timer = setInterval(() => neverRejects(flush()), everyMs).unref()

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
      clearInterval(timer)
      await flush()
    },
  }
}
