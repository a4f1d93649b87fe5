import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import type { BatchDeps } from './evaluate-machines.ts'
import { KnownHour } from './known-hour.ts'
import { StateTable } from './packed-states.ts'

type MachineHour = Awaited<ReturnType<BatchDeps['readHistory']>>[number]

export interface RecentHistoriesDeps extends Pick<BatchDeps, 'readHistory'> {
  /** The fences of the partitions that this process owns. */
  readonly fences: () => ReadonlyMap<number, number>
  readonly partitionOf: (machineRef: MachineRef) => number
  readonly clock: () => number
}

/** A machine in whose documents rules see a difference from an instant on, UTC ms. */
export interface ChangedHistory extends Pick<MachineHour, 'machineRef'> {
  readonly changedFromMs: number
}

/** The documents of a machine from an instant on. */
interface History {
  /** Fence of the partition: after another owner, documents may be missing. */
  readonly fence: number
  /** Start of an hour, UTC ms. */
  fromMs: number
  /** In order. */
  hours: readonly KnownHour[]
  /** Size that is counted, bytes. */
  bytes: number
}

/** Limit of the documents in memory, bytes: those of 5,000 machines that change their state every 10 s. */
const maxBytes = 96_000_000
/** Number of hours before a new one that stay in memory: an evaluation begins an hour before what has changed. */
const keptHours = 2

/**
 * Reads histories, and keeps those of machines that are evaluated often in memory: after each document, the
 * store would return what was just written.
 */
export class RecentHistories {
  readonly #deps: RecentHistoriesDeps
  /** In the order of their last reads, the oldest first. */
  readonly #histories = new Map<MachineRef, History>()
  /** Documents that are written while the store is read, by machine. */
  readonly #writtenMeanwhile = new Map<MachineRef, MachineHour[]>()
  readonly #table = new StateTable()
  #bytes = 0

  constructor(deps: RecentHistoriesDeps) {
    this.#deps = deps
  }

  /**
   * Notes documents that are in the store. Returns from when on they differ from the known ones in what rules see: most do
   * not, because other samples change documents too. Call it for all documents of a partition from the take-over on.
   */
  written(documents: readonly MachineHour[]): readonly ChangedHistory[] {
    const fences = this.#deps.fences()
    return documents.flatMap(document => {
      const changedFromMs = this.#written(document, fences)
      return changedFromMs === null ? [] : [{ machineRef: document.machineRef, changedFromMs }]
    })
  }

  /** Returns the instant from which on rules may see a difference, UTC ms; null: there is none. */
  #written(document: MachineHour, fences: ReadonlyMap<number, number>): number | null {
    const { machineRef, slotMs } = document
    const history = this.#current(machineRef, fences)
    this.#writtenMeanwhile.get(machineRef)?.push(document)
    if (!history || slotMs < history.fromMs) return slotMs
    const changedMs = this.#replace(history, document)
    if (changedMs !== null) this.#count(machineRef, history)
    return changedMs
  }

  /**
   * Reads the documents of hours that overlap [fromMs, toMs), at least with the states that end after `fromMs`, and an earlier one
   * if that of `fromMs` does not exist. Those of a machine are in order.
   */
  readonly read: BatchDeps['readHistory'] = async (companyRef, machines, fromMs, toMs) => {
    const fences = this.#deps.fences()
    const lacking = machines.filter(ref => (this.#current(ref, fences)?.fromMs ?? Infinity) > slotOf(fromMs))
    // Before the store is read: histories may be removed meanwhile.
    const lacks = new Set(lacking)
    const known = machines.flatMap(ref => (lacks.has(ref) ? [] : this.#known(ref, fromMs, toMs)))
    // Most holds begin in the hour before.
    const read = lacking.length > 0 ? await this.#readStored(companyRef, lacking, slotOf(fromMs) - hourMs, toMs) : []
    return [...known, ...read]
  }

  async #readStored(
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ): Promise<readonly MachineHour[]> {
    const { readHistory, fences, partitionOf, clock } = this.#deps
    const before = fences()
    for (const ref of machines) this.#writtenMeanwhile.set(ref, [])
    try {
      const hours = await readHistory(companyRef, machines, fromMs, toMs)
      // With a backlog, the documents of later hours may exist already.
      if (toMs <= clock()) return hours
      const byMachine = groupBy(hours, ({ machineRef }) => machineRef)
      const after = fences()
      for (const ref of machines) {
        const fence = before.get(partitionOf(ref))
        if (fence === undefined || after.get(partitionOf(ref)) !== fence) continue
        const read = (byMachine.get(ref) ?? []).map(hour => new KnownHour(hour, this.#table, false))
        const history: History = { fence, fromMs, hours: read, bytes: 0 }
        for (const document of this.#writtenMeanwhile.get(ref) ?? [])
          if (document.slotMs >= history.fromMs) this.#replace(history, document)
        this.#remove(ref)
        this.#count(ref, history)
      }
      return hours
    } finally {
      for (const ref of machines) this.#writtenMeanwhile.delete(ref)
    }
  }

  #current(machineRef: MachineRef, fences: ReadonlyMap<number, number>): History | undefined {
    const history = this.#histories.get(machineRef)
    return history?.fence === fences.get(this.#deps.partitionOf(machineRef)) ? history : undefined
  }

  #known(machineRef: MachineRef, fromMs: number, toMs: number): readonly MachineHour[] {
    const history = this.#histories.get(machineRef)
    if (!history) return []
    this.#histories.delete(machineRef)
    this.#histories.set(machineRef, history)
    const first = history.hours.findLastIndex(({ slotMs }) => slotMs <= fromMs)
    return history.hours
      .slice(Math.max(0, first))
      .filter(({ slotMs }) => slotMs < toMs)
      .map(hour => Object.assign(hour.since(fromMs), { machineRef }))
  }

  /** Replaces a document; that of a new hour removes the oldest ones. Returns the instant from which on rules may see a difference. */
  #replace(history: History, document: MachineHour): number | null {
    const { slotMs } = document
    const known = history.hours.find(each => each.slotMs === slotMs)
    if (known) return known.replace(document)
    const hour = new KnownHour(document, this.#table, true)
    const isNewest = slotMs > (history.hours.at(-1)?.slotMs ?? -Infinity)
    if (isNewest) history.fromMs = Math.max(history.fromMs, slotMs - keptHours * hourMs)
    const kept = history.hours.filter(each => each.slotMs >= history.fromMs)
    history.hours = [...kept, hour].toSorted((a, b) => a.slotMs - b.slotMs)
    return slotMs
  }

  /** Counts the size of a history, and removes the oldest histories if they have become too large together. */
  #count(machineRef: MachineRef, history: History): void {
    const bytes = history.hours.reduce((sum, hour) => sum + hour.bytes, 0)
    this.#bytes += bytes - history.bytes
    history.bytes = bytes
    this.#histories.set(machineRef, history)
    for (const ref of this.#histories.keys()) {
      if (this.#bytes <= maxBytes) return
      this.#remove(ref)
    }
  }

  #remove(machineRef: MachineRef): void {
    this.#bytes -= this.#histories.get(machineRef)?.bytes ?? 0
    this.#histories.delete(machineRef)
  }
}
