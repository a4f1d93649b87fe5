import type { MachineRecord } from '../../schema/records/machine.ts'
import { recordIntervalMs } from '../../schema/records/timed-records.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import type { Range } from '../timeline/commission.ts'
import type { MachineInputs, MachineParameters } from '../timeline/types.ts'
import { type DocumentChange, isDocumentChange } from './document-change.ts'
import { type CalendarOf, joinInputs, machineInputs, machineParameters, timedInputs } from './machine-inputs.ts'
import type { RecordHistory } from './record-history.ts'
import type { Records } from './records.ts'
import { maxSignInMs } from '../../schema/records/company.ts'

export interface MachineInputCacheDeps {
  readonly records: Records
  readonly calendarOf: CalendarOf
  /** Access to records that are not in memory; default: `records` contain all of them. */
  readonly history?: Pick<RecordHistory, 'inMemoryFromMs' | 'readRecords'>
}

/** Maximum number of blocks of the inputs that each machine keeps for its newest hours. */
const maxNewestBlocks = 2
/** Maximum number of records in the cached inputs of older hours, of all machines together. */
const maxOlderRecords = 200_000

/** Inputs of a machine for the hours in a span. */
interface CachedSpan {
  readonly span: Range
  readonly inputs: MachineInputs
  readonly size: number
}

/**
 * Inputs of machines' documents, cached in spans of whole blocks: per machine one span of the newest hours, which are
 * computed with every sample, and one of older hours. A change of records on which a machine's inputs depend removes
 * them.
 */
export class MachineInputCache {
  readonly #records: Records
  readonly #calendarOf: CalendarOf
  readonly #history: MachineInputCacheDeps['history'] | null
  readonly #newest = new Map<string, CachedSpan>()
  /** The least recently added span is first. */
  readonly #older = new Map<string, CachedSpan>()
  #olderSize = 0
  /** Per read of the store: ids of the machines whose inputs have changed since it began, or `every`. */
  readonly #changedDuringRead = new Set<Set<string>>()
  /** Removes the listener of changes. */
  readonly stop: () => void

  constructor({ records, calendarOf, history }: MachineInputCacheDeps) {
    this.#records = records
    this.#calendarOf = calendarOf
    this.#history = history ?? null
    this.stop = records.onChange(change => {
      if (!isDocumentChange(change)) return
      const machineId = affectedMachineOf(change)
      for (const changed of this.#changedDuringRead) changed.add(machineId)
      if (machineId === 'every') this.#clear()
      else if (machineId !== 'none') this.#remove(machineId)
    })
  }

  /** Returns the inputs of a machine that do not depend on records with a time. */
  parametersOf(machine: MachineRecord): MachineParameters {
    return machineParameters(this.#records, machine, this.#calendarOf)
  }

  /**
   * Returns the inputs of machines for the hours in a range, by the current records. Inputs that are read from the store
   * may lack changes that arrive meanwhile. Rejects with a `StoreError`.
   */
  async read(machines: readonly MachineRecord[], range: Range): Promise<ReadonlyMap<MachineRef, MachineInputs>> {
    const inputs = new Map<MachineRef, MachineInputs>()
    const stored: MachineRecord[] = []
    for (const machine of machines) {
      const found = this.#find(machine, range) ?? this.#readMemory(machine, range)
      if (found) inputs.set(machine.ref, found)
      else stored.push(machine)
    }
    for (const [companyId, ofCompany] of groupBy(stored, machine => machine.companyId))
      await this.#readStore(companyId, ofCompany, blocksAround(range), inputs)
    return inputs
  }

  #find({ id }: MachineRecord, range: Range): MachineInputs | null {
    for (const cached of [this.#newest.get(id), this.#older.get(id)])
      if (cached && cached.span.fromMs <= range.fromMs && cached.span.toMs >= range.toMs) return cached.inputs
    return null
  }

  /** Returns inputs from the records in memory; null if they do not contain all records of the range. */
  #readMemory(machine: MachineRecord, range: Range): MachineInputs | null {
    const fromMs = this.#history?.inMemoryFromMs(machine) ?? -Infinity
    if (range.fromMs < fromMs) return null
    const blocks = blocksAround(range)
    const span = { fromMs: Math.max(blocks.fromMs, fromMs), toMs: blocks.toMs }
    const inputs = machineInputs(this.#records, machine, this.#calendarOf, span)
    this.#keep(machine.id, span, inputs)
    return inputs
  }

  /** Adds the inputs of a company's machines in a span, from stored records. */
  async #readStore(
    companyId: string,
    machines: readonly MachineRecord[],
    span: Range,
    inputs: Map<MachineRef, MachineInputs>,
  ): Promise<void> {
    const settings = this.#records.company(companyId)?.settings
    if (!settings || !this.#history) throw new Error(`The records of company ${companyId} cannot be read`)
    const changed = new Set<string>()
    this.#changedDuringRead.add(changed)
    try {
      const spans = machines.map(({ id }) => ({ machineId: id, ...span }))
      const read = await this.#history.readRecords(companyId, spans, maxSignInMs(settings))
      const slice = new TimeSlice()
      for (const [index, machine] of machines.entries()) {
        const timed = read[index]
        if (!timed) throw new Error('Invariant: the store returns the records of every span')
        const parameters = machineParameters(this.#records, machine, this.#calendarOf)
        const found = joinInputs(parameters, timedInputs(this.#records, machine, timed, span))
        inputs.set(machine.ref, found)
        if (!changed.has(machine.id) && !changed.has('every')) this.#keep(machine.id, span, found)
        if (slice.isOver) await slice.next()
      }
    } finally {
      this.#changedDuringRead.delete(changed)
    }
  }

  #keep(id: string, span: Range, inputs: MachineInputs): void {
    const { runs, operators, annotations, adjustments } = inputs
    const size = 1 + runs.length + operators.length + annotations.length + adjustments.length
    const isNewest = span.toMs >= (this.#newest.get(id)?.span.toMs ?? -Infinity)
    if (isNewest && span.toMs - span.fromMs <= maxNewestBlocks * recordIntervalMs) {
      this.#newest.set(id, { span, inputs, size })
      return
    }
    this.#removeOlder(id)
    this.#older.set(id, { span, inputs, size })
    this.#olderSize += size
    for (const first of this.#older.keys()) {
      if (this.#olderSize <= maxOlderRecords) return
      this.#removeOlder(first)
    }
  }

  #remove(id: string): void {
    this.#newest.delete(id)
    this.#removeOlder(id)
  }

  #removeOlder(id: string): void {
    this.#olderSize -= this.#older.get(id)?.size ?? 0
    this.#older.delete(id)
  }

  #clear(): void {
    this.#newest.clear()
    this.#older.clear()
    this.#olderSize = 0
  }
}

/** Returns the smallest span of whole blocks that contains a range. */
function blocksAround({ fromMs, toMs }: Range): Range {
  return {
    fromMs: Math.floor(fromMs / recordIntervalMs) * recordIntervalMs,
    toMs: Math.ceil(toMs / recordIntervalMs) * recordIntervalMs,
  }
}

/** Returns the id of the machine whose inputs a change may affect, `every` or `none`. */
function affectedMachineOf(change: DocumentChange): string {
  switch (change.kind) {
    case 'machine':
      return change.id
    case 'jobRun':
    case 'operatorRun':
    case 'annotation':
    case 'partAdjustment':
      return sameMachine(change.before?.machineId, change.after?.machineId)
    case 'company':
    case 'schedule':
    case 'partAdjustmentType':
      return 'every'
  }
}

function sameMachine(before: string | undefined, after: string | undefined): string {
  if (before !== undefined && after !== undefined && before !== after) return 'every'
  return after ?? before ?? 'none'
}
