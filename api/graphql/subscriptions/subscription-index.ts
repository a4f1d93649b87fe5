import { isDeepStrictEqual } from 'node:util'
import type { MachineRef } from '../../../schema/refs.ts'
import type { Source } from '../model/source-reads.ts'
import type { Read } from '../run/reads.ts'

/** A change of a source that operations read. */
export interface SourceChange {
  readonly companyId: string
  readonly source: Source
  /** null: of no machine, or an unknown one; all readers of the source match. */
  readonly machineRef: MachineRef | null
  /** null: of no key. */
  readonly key: string | null
}

/** The sets of keys that a reader reads; null: all keys. */
type Keys = ReadonlySet<string>[] | null
type KeysOfReaders<Reader> = Map<Reader, Keys>

/** The readers of one source of a company. */
interface Readers<Reader> {
  readonly ofAll: KeysOfReaders<Reader>
  readonly ofMachine: Map<MachineRef, KeysOfReaders<Reader>>
}

/** A reader of more machines is indexed once for all machines, instead of once for each machine. */
const maxMachines = 500

/** Index of readers by source, machine and key: finds those that a change affects. */
export class SubscriptionIndex<Reader extends { readonly companyId: string }> {
  /** By company and source. */
  readonly #readers = new Map<string, Readers<Reader>>()
  readonly #reads = new Map<Reader, readonly Read[]>()

  /** Replaces the sources of a reader; returns whether they have changed. */
  set(reader: Reader, requested: readonly Read[]): boolean {
    const reads = requested.map(widened)
    if (isDeepStrictEqual(this.#reads.get(reader) ?? [], reads)) return false
    this.delete(reader)
    this.#reads.set(reader, reads)
    for (const read of reads) for (const readers of this.#readersOf(reader, read, true)) add(readers, reader, read.keys)
    return true
  }

  delete(reader: Reader): void {
    for (const read of this.#reads.get(reader) ?? []) {
      for (const readers of this.#readersOf(reader, read, false)) readers.delete(reader)
      this.#deleteEmpty(reader.companyId, read)
    }
    this.#reads.delete(reader)
  }

  /** Calls `visit` once for each reader that the change affects. `visit` may set and delete readers. */
  each({ companyId, source, machineRef, key }: SourceChange, visit: (reader: Reader) => void): void {
    const readers = this.#readers.get(idOf(companyId, source))
    if (!readers) return
    const { ofAll, ofMachine } = readers
    const found = new Set<Reader>()
    collect(found, ofAll, key)
    if (machineRef === null) for (const some of ofMachine.values()) collect(found, some, key)
    else collect(found, ofMachine.get(machineRef), key)
    for (const reader of found) visit(reader)
  }

  isRead(companyId: string, source: Source): boolean {
    return this.#readers.has(idOf(companyId, source))
  }

  isReadByAny(source: Source): boolean {
    const start = idOf('', source)
    for (const id of this.#readers.keys()) if (id.startsWith(start)) return true
    return false
  }

  #readersOf(reader: Reader, { source, machines }: Read, mayCreate: boolean): readonly KeysOfReaders<Reader>[] {
    const id = idOf(reader.companyId, source)
    let readers = this.#readers.get(id)
    if (!readers && mayCreate) this.#readers.set(id, (readers = { ofAll: new Map(), ofMachine: new Map() }))
    if (!readers) return []
    if (machines === null) return [readers.ofAll]
    const { ofMachine } = readers
    return [...machines].flatMap(machineRef => {
      let some = ofMachine.get(machineRef)
      if (!some && mayCreate) ofMachine.set(machineRef, (some = new Map()))
      return some ? [some] : []
    })
  }

  #deleteEmpty(companyId: string, { source, machines }: Read): void {
    const id = idOf(companyId, source)
    const readers = this.#readers.get(id)
    if (!readers) return
    for (const machineRef of machines ?? [])
      if (readers.ofMachine.get(machineRef)?.size === 0) readers.ofMachine.delete(machineRef)
    if (readers.ofAll.size === 0 && readers.ofMachine.size === 0) this.#readers.delete(id)
  }
}

function idOf(companyId: string, source: Source): string {
  return `${source} ${companyId}`
}

function widened(read: Read): Read {
  return (read.machines?.size ?? 0) > maxMachines ? { ...read, machines: null } : read
}

/** Adds keys of a reader to its existing ones. The sets are shared, because they may be large. */
function add<Reader>(readers: KeysOfReaders<Reader>, reader: Reader, keys: Read['keys']): void {
  const before = readers.get(reader)
  if (keys === null || before === null) readers.set(reader, null)
  else if (!before) readers.set(reader, [keys])
  else if (!before.includes(keys)) before.push(keys)
}

function collect<Reader>(found: Set<Reader>, readers: KeysOfReaders<Reader> | undefined, key: string | null): void {
  if (!readers) return
  for (const [reader, keys] of readers)
    if (key === null || keys === null || keys.some(some => some.has(key))) found.add(reader)
}
