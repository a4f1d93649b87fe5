import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { defaultGraphqlLimits } from '../../ports/graphql-limits.ts'
import { entriesOf } from '../compile/entries.ts'
import { derivedKeys } from '../model/entities/current-states.ts'
import type { Operations } from '../subscriptions/operations.ts'
import { prepare, type Prepared } from '../subscriptions/prepare.ts'
import type { StateRow } from './state-test.ts'

const query = `query ($machines: [Int!], $keys: [String!]) {
  currentStates(where: {machineRef: {_in: $machines}, metricKey: {_in: $keys}}) { machineRef metricKey type subtype value } }`

/** Machines per read, because the rows of an operation are limited. */
const machinesAtOnce = 1_000

let prepared: Prepared | undefined

/** Reads the derived states by a GraphQL query; null: the query failed. */
export async function readDerivedStates(
  operations: Pick<Operations, 'run' | 'schema'>,
  companyId: string,
  machines: readonly MachineRef[],
  signal: AbortSignal,
): Promise<ReadonlyMap<MachineRef, readonly StateRow[]> | null> {
  prepared ??= prepare(operations.schema, { query, operationName: null }, defaultGraphqlLimits)
  const found = new Map<MachineRef, StateRow[]>()
  for (let first = 0; first < machines.length; first += machinesAtOnce) {
    const variables = { machines: machines.slice(first, first + machinesAtOnce), keys: derivedKeys }
    const { data, errors } = await operations.run(prepared, variables, { companyId, signal })
    if (errors) return null
    for (const row of rowsIn(data)) {
      const same = found.get(row.machineRef)
      if (same) same.push(row)
      else found.set(row.machineRef, [row])
    }
  }
  return found
}

function rowsIn(data: unknown): readonly StateRow[] {
  const [, rows] = entriesOf(data)[0] ?? []
  if (!Array.isArray(rows)) return []
  return rows.map((row: unknown) => {
    const values = new Map(entriesOf(row))
    const text = (name: string) => String(values.get(name))
    return {
      machineRef: asMachineRef(Number(values.get('machineRef'))),
      metricKey: text('metricKey'),
      type: text('type'),
      subtype: text('subtype'),
      value: text('value'),
    }
  })
}
