import type { MachineRef } from '../../../schema/refs.ts'
import type { Source } from '../model/readings.ts'
import type { Read } from '../run/reads.ts'

/** A change of something that operations read. */
export interface SourceChange {
  readonly companyId: string
  readonly source: Source
  /** null: of no machine, or of an unknown one: everyone who reads the source is told. */
  readonly machineRef: MachineRef | null
  /** null: of no key. */
  readonly key: string | null
}

/** The readers of one source of a company. */
interface Readers<Reader> {
  readonly ofAll: Map<Reader, Read['keys']>
  readonly ofMachine: Map<MachineRef, Map<Reader, Read['keys']>>
}

/** Finds whom a change concerns, by what each reads. */
export class Watches<Reader extends { readonly companyId: string }> {
  /** By company and source. */
  readonly #readers = new Map<string, Readers<Reader>>()
  readonly #reads = new Map<Reader, readonly Read[]>()

  /** From now on the reader reads this, and nothing else. */
  set(reader: Reader, reads: readonly Read[]): void {
    this.delete(reader)
    this.#reads.set(reader, reads)
    for (const read of reads) for (const readers of this.#placesOf(reader, read, true)) add(readers, reader, read.keys)
  }

  delete(reader: Reader): void {
    for (const read of this.#reads.get(reader) ?? []) {
      for (const readers of this.#placesOf(reader, read, false)) readers.delete(reader)
      this.#forgetEmpty(reader.companyId, read)
    }
    this.#reads.delete(reader)
  }

  /** Calls `visit` for everyone whom the change concerns. */
  each({ companyId, source, machineRef, key }: SourceChange, visit: (reader: Reader) => void): void {
    const readers = this.#readers.get(idOf(companyId, source))
    if (!readers) return
    visitAll(readers.ofAll, key, visit)
    if (machineRef === null) for (const some of readers.ofMachine.values()) visitAll(some, key, visit)
    else visitAll(readers.ofMachine.get(machineRef), key, visit)
  }

  #placesOf(reader: Reader, { source, machines }: Read, mayMake: boolean): readonly Map<Reader, Read['keys']>[] {
    const id = idOf(reader.companyId, source)
    let readers = this.#readers.get(id)
    if (!readers && mayMake) this.#readers.set(id, (readers = { ofAll: new Map(), ofMachine: new Map() }))
    if (!readers) return []
    if (machines === null) return [readers.ofAll]
    const { ofMachine } = readers
    return [...machines].flatMap(machineRef => {
      let some = ofMachine.get(machineRef)
      if (!some && mayMake) ofMachine.set(machineRef, (some = new Map()))
      return some ? [some] : []
    })
  }

  #forgetEmpty(companyId: string, { source, machines }: Read): void {
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

/** A reader that reads a source in several ways reads the keys of all of them. */
function add<Reader>(readers: Map<Reader, Read['keys']>, reader: Reader, keys: Read['keys']): void {
  const before = readers.get(reader)
  const isAll = keys === null || before === null
  readers.set(reader, isAll ? null : new Set([...(before ?? []), ...keys]))
}

function visitAll<Reader>(
  readers: ReadonlyMap<Reader, Read['keys']> | undefined,
  key: string | null,
  visit: (reader: Reader) => void,
): void {
  if (!readers) return
  for (const [reader, keys] of readers) if (key === null || keys === null || keys.has(key)) visit(reader)
}
