import type { UsedRecord, Uses } from '../../../schema/commands/uses.ts'

/**
 * The uses of records that a decision needs from the store. A decision is synchronous: if it needs uses that are not
 * read yet, it throws `UsesNotRead`, and is repeated when they are read.
 */
export class StoredUses {
  readonly #read = new Map<string, Uses>()

  /** Throws `UsesNotRead`. */
  of(used: UsedRecord): Uses {
    const uses = this.#read.get(keyOf(used))
    if (!uses) throw new UsesNotRead(used)
    return uses
  }

  add(used: UsedRecord, uses: Uses): void {
    this.#read.set(keyOf(used), uses)
  }
}

/** Thrown by a decision that needs the uses of a record. */
export class UsesNotRead extends Error {
  override readonly name = 'UsesNotRead'
  readonly used: UsedRecord

  constructor(used: UsedRecord) {
    super(`The uses of ${used.kind} ${used.id} are not read`)
    this.used = used
  }
}

function keyOf({ kind, companyId, id }: UsedRecord): string {
  return `${kind} ${companyId} ${id}`
}
