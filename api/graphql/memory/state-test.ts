import type { MachineRef } from '../../../schema/refs.ts'
import { entriesOf, listOf } from '../compile/entries.ts'

/** A current state of a machine, by GraphQL field names. */
export interface StateRow {
  readonly machineRef: MachineRef
  readonly metricKey: string
  readonly type: string
  readonly subtype: string
  readonly value: string
}

type Test<T> = (item: T) => boolean
type Tests<T> = Readonly<Record<string, (comparison: unknown) => Test<T> | null>>

/** Returns the id of a machine; null: the company has no such machine. */
export type MachineIdOf = (machineRef: MachineRef) => string | null

/** Pure: a test of whether a filter matches a state; null: the filter needs data of other entities. */
export function stateTest(where: unknown, machineIdOf: MachineIdOf): Test<StateRow> | null {
  const ofMachine: Tests<MachineRef> = {
    machineRef: comparison => compared(comparison, ref => ref),
    machineId: comparison => compared(comparison, machineIdOf),
  }
  const column = (name: keyof StateRow) => (comparison: unknown) => compared<StateRow>(comparison, row => row[name])
  const ofState: Tests<StateRow> = {
    metricKey: column('metricKey'),
    value: column('value'),
    type: column('type'),
    subtype: column('subtype'),
    machineRef: column('machineRef'),
    machine: exp => {
      const test = filterTest(exp, ofMachine)
      return test && (({ machineRef }) => machineIdOf(machineRef) !== null && test(machineRef))
    },
  }
  return filterTest(where, ofState)
}

function filterTest<T>(exp: unknown, tests: Tests<T>): Test<T> | null {
  return allOf(
    entriesOf(exp).map(([name, value]) => {
      if (name === '_and') return allOf(listOf(value).map(each => filterTest(each, tests)))
      if (name === '_or') return anyOf(listOf(value).map(each => filterTest(each, tests)))
      if (name === '_not') return not(filterTest(value, tests))
      return tests[name]?.(value) ?? null
    }),
  )
}

function compared<T>(comparison: unknown, read: (item: T) => unknown): Test<T> | null {
  return allOf(
    entriesOf(comparison).map(([operator, operand]): Test<T> | null => {
      if (operator === '_eq' && isValue(operand)) return item => read(item) === operand
      if (operator === '_neq' && isValue(operand)) return item => read(item) !== operand
      if (!Array.isArray(operand) || !operand.every(isValue)) return null
      const among = new Set<unknown>(operand)
      if (operator === '_in') return item => among.has(read(item))
      return operator === '_nin' ? item => !among.has(read(item)) : null
    }),
  )
}

function isValue(operand: unknown): operand is string | number {
  return typeof operand === 'string' || typeof operand === 'number'
}

function allOf<T>(tests: readonly (Test<T> | null)[]): Test<T> | null {
  const known = tests.filter(test => test !== null)
  return known.length === tests.length ? item => known.every(test => test(item)) : null
}

function anyOf<T>(tests: readonly (Test<T> | null)[]): Test<T> | null {
  const known = tests.filter(test => test !== null)
  return known.length === tests.length ? item => known.some(test => test(item)) : null
}

function not<T>(test: Test<T> | null): Test<T> | null {
  return test && (item => !test(item))
}
