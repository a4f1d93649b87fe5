import type { MachineRecord } from '../../schema/records/machine.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { hourMs } from '../../shared/time/units.ts'
import type { Range } from '../timeline/commission.ts'
import type { MachineInputs, MachineParameters } from '../timeline/types.ts'
import { type DocumentChange, isDocumentChange } from './document-change.ts'
import { type CalendarOf, machineInputs, machineParameters } from './machine-inputs.ts'
import type { Records } from './records.ts'

export interface MachineInputCacheDeps {
  readonly records: Records
  readonly calendarOf: CalendarOf
}

/** Length of the blocks for which inputs are cached, ms: that of the intervals by which the store sorts the records. */
const blockMs = 720 * hourMs
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
  readonly #deps: MachineInputCacheDeps
  readonly #newest = new Map<string, CachedSpan>()
  /** The least recently added span is first. */
  readonly #older = new Map<string, CachedSpan>()
  #olderSize = 0
  /** Removes the listener of changes. */
  readonly stop: () => void

  constructor(deps: MachineInputCacheDeps) {
    this.#deps = deps
    this.stop = deps.records.onChange(change => {
      if (!isDocumentChange(change)) return
      const machineId = affectedMachineOf(change)
      if (machineId === 'every') this.#clear()
      else if (machineId !== 'none') this.#remove(machineId)
    })
  }

  /** Returns the inputs of a machine that do not depend on records with a time. */
  parametersOf(machine: MachineRecord): MachineParameters {
    return machineParameters(this.#deps.records, machine, this.#deps.calendarOf)
  }

  /** Returns the inputs of machines for the hours in a range, by the current records. */
  async read(machines: readonly MachineRecord[], range: Range): Promise<ReadonlyMap<MachineRef, MachineInputs>> {
    await Promise.resolve()
    return new Map(machines.map(machine => [machine.ref, this.#find(machine, range) ?? this.#create(machine, range)]))
  }

  #find({ id }: MachineRecord, range: Range): MachineInputs | null {
    for (const cached of [this.#newest.get(id), this.#older.get(id)])
      if (cached && cached.span.fromMs <= range.fromMs && cached.span.toMs >= range.toMs) return cached.inputs
    return null
  }

  #create(machine: MachineRecord, range: Range): MachineInputs {
    const { records, calendarOf } = this.#deps
    const span = blocksAround(range)
    const inputs = machineInputs(records, machine, calendarOf, span)
    this.#keep(machine.id, span, inputs)
    return inputs
  }

  #keep(id: string, span: Range, inputs: MachineInputs): void {
    const { runs, operators, annotations, adjustments } = inputs
    const size = 1 + runs.length + operators.length + annotations.length + adjustments.length
    const isNewest = span.toMs >= (this.#newest.get(id)?.span.toMs ?? -Infinity)
    if (isNewest && span.toMs - span.fromMs <= maxNewestBlocks * blockMs) {
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
  return { fromMs: Math.floor(fromMs / blockMs) * blockMs, toMs: Math.ceil(toMs / blockMs) * blockMs }
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
