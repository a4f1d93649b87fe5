import type { MachineRef } from '../../../schema/refs.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import type { LatestValues } from '../../live/values/latest-values.ts'
import type { ListRequest } from '../compile/list.ts'
import { currentStates, derivedKeys } from '../model/entities/current-states.ts'
import type { ResponseBudget } from '../run/response-budget.ts'
import type { RowsByParent } from '../run/context.ts'
import { charsOf, type Selected } from '../run/selection.ts'
import type { DerivedStateCache } from './derived-state-cache.ts'
import { type MachineIdOf, type StateRow, stateTest } from './state-test.ts'

export interface StatesMemoryDeps {
  readonly values: Pick<LatestValues, 'each' | 'isWhole'>
  /** Whether the latest values are completely restored. */
  readonly isRestored: () => boolean
  readonly derived: Pick<DerivedStateCache, 'readRows'>
  readonly machinesOf: (companyId: string) => readonly MachineRef[]
  readonly machineIdOf: (companyId: string) => MachineIdOf
}

const columns: ReadonlySet<string> = new Set<keyof StateRow>(['machineRef', 'metricKey', 'type', 'subtype', 'value'])
const isDerived: ReadonlySet<string> = new Set(derivedKeys)

/** Returns lists of current states from the latest values of this process, equal to those of the store. */
export class StatesMemory {
  readonly #deps: StatesMemoryDeps

  constructor(deps: StatesMemoryDeps) {
    this.#deps = deps
  }

  /** Returns the rows; null: only the store has them. Throws if the budget is exceeded. */
  async list(
    request: ListRequest,
    fields: readonly Selected[],
    companyId: string,
    budget: ResponseBudget,
  ): Promise<RowsByParent | null> {
    const { entity, args, parents } = request
    const { values, derived, machinesOf, machineIdOf, isRestored } = this.#deps
    if (entity !== currentStates || !isRestored()) return null
    if (fields.some(({ name, typeName }) => typeName === null && !columns.has(name))) return null
    if (Object.entries(args).some(([name, value]) => name !== 'where' && value !== null && value !== undefined))
      return null
    const test = stateTest(args['where'], machineIdOf(companyId))
    if (!test) return null
    const derivedRows = await derived.readRows(companyId)
    if (!derivedRows) return null
    const grouped = new Map<unknown, Readonly<Record<string, unknown>>[]>()
    const all: Readonly<Record<string, unknown>>[] = []
    const slice = new TimeSlice()
    const requested = machinesOf(companyId).filter(machineRef => !parents || parents.occurrences.has(machineRef))
    if (!requested.every(machineRef => values.isWhole(machineRef))) return null
    const rowChars = charsOf(fields)
    for (const machineRef of requested.toSorted((a, b) => a - b)) {
      const rows = (derivedRows.get(machineRef) ?? []).filter(test)
      values.each(machineRef, ({ metric: { key, type, subtype }, value }) => {
        const row = { machineRef, metricKey: key, type, subtype, value }
        if (!isDerived.has(key) && test(row)) rows.push(row)
      })
      const each = parents?.occurrences.get(machineRef) ?? 1
      const count = rows.length * each
      budget.countRows(count)
      budget.countValues(count * fields.length)
      budget.countChars(count * rowChars)
      const shown = rows.toSorted(byNames).map(row => shownOf(row, fields))
      const occurrences = fields.map(() => each)
      await budget.countTexts(
        shown.map(row => Object.values(row)),
        occurrences,
      )
      if (parents) grouped.set(machineRef, shown)
      else for (const row of shown) all.push(row)
      if (slice.isOver) await slice.next()
    }
    return parents ? grouped : new Map([[null, all]])
  }
}

function shownOf(row: StateRow, fields: readonly Selected[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>(Object.entries(row))
  return Object.fromEntries(fields.map(({ key, name, typeName }) => [key, typeName ?? values.get(name)]))
}

function byNames(a: StateRow, b: StateRow): number {
  return byBytes(a.metricKey, b.metricKey) || byBytes(a.type, b.type) || byBytes(a.subtype, b.subtype)
}

/** Compares UTF-8 bytes, as the store does. */
function byBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
