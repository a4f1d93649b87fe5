import { type Sql, sql, str, uint32 } from '../../../clickhouse/sql/sql.ts'
import { sampledWithin } from '../../../clickhouse/samples/within.ts'
import { columnBound } from '../../../clickhouse/sql/time-bounds.ts'
import { asMachineRef, type MachineRef } from '../../../schema/refs.ts'
import { dayMs } from '../../../shared/time/units.ts'
import { entriesOf } from '../compile/entries.ts'
import { problem } from '../compile/problem.ts'

/** A machine, one or all of its keys, and a time range [fromMs, toMs) in UTC ms. */
export interface Window {
  readonly machine: MachineRef
  /** null: all keys. */
  readonly key: string | null
  readonly fromMs: number
  readonly toMs: number
}

/** Maximum time range, days: it prevents that a query reads the whole history of a machine. */
const maxDays = 366

/** Parses the arguments of a function; throws a `GraphQLError` if one is invalid. */
export function parseWindow(args: unknown): Window {
  const values = new Map(entriesOf(args))
  const [machine, key] = [Number(values.get('machineRef')), values.get('metricKey')]
  const [fromMs, toMs] = [Number(values.get('windowStartAt')), Number(values.get('windowEndAt'))]
  if (toMs - fromMs > maxDays * dayMs)
    throw problem('validation-failed', `windowStartAt and windowEndAt are more than ${maxDays} days apart`)
  if (machine < 0) throw problem('validation-failed', 'machineRef must not be negative')
  return {
    machine: asMachineRef(machine),
    key: typeof key === 'string' ? key : null,
    fromMs: columnBound(fromMs),
    toMs: columnBound(toMs),
  }
}

/** SQL conditions on samples: the machine and the key of the window. */
export function windowConditions({ machine, key }: Window): readonly Sql[] {
  return [sql`machine = ${uint32(machine)}`, sql`key = ${str(key ?? '')}`]
}

/** SQL condition: the sample is within the time range of the window. */
export function inWindow({ fromMs, toMs }: Window): Sql {
  return sampledWithin(fromMs, toMs)
}

/** ORDER BY of samples in time; samples of the same time are ordered by their sequence and value. */
export const orderByTime = sql`ORDER BY at_us, instance_id NULLS FIRST, sequence NULLS FIRST, value`
