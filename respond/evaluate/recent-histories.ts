import { isDeepStrictEqual } from 'node:util'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { type HistorySegment, isSame, joinSegments } from '../holds/machine-history.ts'
import type { BatchDeps } from './evaluate-machines.ts'

type MachineHour = Awaited<ReturnType<BatchDeps['readHistory']>>[number]

export interface RecentHistoriesDeps extends Pick<BatchDeps, 'readHistory'> {
  /** The fences of the partitions that this process owns. */
  readonly fences: () => ReadonlyMap<number, number>
  readonly partitionOf: (machineRef: MachineRef) => number
  readonly clock: () => number
}

/** The documents of a machine from an instant on. */
interface History {
  /** Fence of the partition: after another owner, documents may be missing. */
  readonly fence: number
  /** Start of an hour, UTC ms. */
  readonly fromMs: number
  /** In order. */
  readonly hours: readonly MachineHour[]
}

/** Limit of the states and alarms in memory, of about 100 bytes each. */
const maxSize = 500_000
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
  #size = 0

  constructor(deps: RecentHistoriesDeps) {
    this.#deps = deps
  }

  /**
   * Notes documents that are in the store. Returns those that differ from the known ones in what rules see: most do not,
   * because other samples change documents too. Call it for all documents of a partition from the take-over on.
   */
  written<Document extends MachineHour>(documents: readonly Document[]): readonly Document[] {
    const fences = this.#deps.fences()
    return documents.filter(document => this.#written(document, fences))
  }

  #written(document: MachineHour, fences: ReadonlyMap<number, number>): boolean {
    const { machineRef, slotMs } = document
    const history = this.#current(machineRef, fences)
    const meanwhile = this.#writtenMeanwhile.get(machineRef)
    if (!history && !meanwhile) return true
    const hour = rulePartsOf(document)
    meanwhile?.push(hour)
    if (!history || slotMs < history.fromMs) return true
    const before = history.hours.find(each => each.slotMs === slotMs)
    if (before && isEqual(before, hour)) return false
    this.#put(machineRef, withHour(history, hour))
    return true
  }

  /** Reads the documents of hours that overlap [fromMs, toMs). Those of a machine are in order. */
  readonly read: BatchDeps['readHistory'] = async (companyRef, machines, fromMs, toMs) => {
    const fences = this.#deps.fences()
    const lacking = machines.filter(ref => (this.#current(ref, fences)?.fromMs ?? Infinity) > slotOf(fromMs))
    // Before the store is read: histories may be removed meanwhile.
    const lacks = new Set(lacking)
    const known = machines.flatMap(ref => (lacks.has(ref) ? [] : this.#use(ref)))
    const read = lacking.length > 0 ? await this.#readStored(companyRef, lacking, fromMs, toMs) : []
    return [...known.filter(({ slotMs }) => slotMs + hourMs > fromMs && slotMs < toMs), ...read]
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
        const read: History = { fence, fromMs: slotOf(fromMs), hours: (byMachine.get(ref) ?? []).map(rulePartsOf) }
        const written = this.#writtenMeanwhile.get(ref) ?? []
        this.#put(ref, written.filter(({ slotMs }) => slotMs >= read.fromMs).reduce(withHour, read))
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

  #use(machineRef: MachineRef): readonly MachineHour[] {
    const history = this.#histories.get(machineRef)
    if (!history) return []
    this.#histories.delete(machineRef)
    this.#histories.set(machineRef, history)
    return history.hours
  }

  #put(machineRef: MachineRef, history: History): void {
    this.#size += sizeOf(history) - sizeOf(this.#histories.get(machineRef))
    this.#histories.set(machineRef, history)
    for (const [ref, oldest] of this.#histories) {
      if (this.#size <= maxSize) return
      this.#size -= sizeOf(oldest)
      this.#histories.delete(ref)
    }
  }
}

/** Returns a history with a document, which replaces an earlier one of its hour; a new hour removes the oldest ones. */
function withHour(history: History, hour: MachineHour): History {
  const { slotMs } = hour
  const isNew = slotMs > (history.hours.at(-1)?.slotMs ?? -Infinity)
  const fromMs = isNew ? Math.max(history.fromMs, slotMs - keptHours * hourMs) : history.fromMs
  const others = history.hours.filter(each => each.slotMs >= fromMs && each.slotMs !== slotMs)
  return { ...history, fromMs, hours: isNew ? [...others, hour] : [...others, hour].toSorted(bySlot) }
}

function bySlot(a: MachineHour, b: MachineHour): number {
  return a.slotMs - b.slotMs
}

function sizeOf(history: History | undefined): number {
  return history?.hours.reduce((size, { segments, alarms }) => size + 1 + segments.length + alarms.length, 0) ?? 0
}

/** Returns what rules see of a document. */
function rulePartsOf({ machineRef, slotMs, segments, alarms }: MachineHour): MachineHour {
  return { machineRef, slotMs, segments: joinSegments(segments), alarms }
}

function isEqual(a: MachineHour, b: MachineHour): boolean {
  if (a.segments.length !== b.segments.length) return false
  const isSameAt = (segment: HistorySegment, index: number) => {
    const other = b.segments[index]
    return other?.start === segment.start && other.end === segment.end && isSame(other, segment)
  }
  return a.segments.every(isSameAt) && isDeepStrictEqual(a.alarms, b.alarms)
}
