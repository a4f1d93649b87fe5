import { flag, float, type Kind, nullOr, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { array, float64, int64, type Parameter, type Sql, sql, str, uint8 } from '../../../clickhouse/sql/sql.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { ScalarName } from '../model/entity.ts'
import { problem } from './problem.ts'

/** A parsed scalar value; instants are UTC ms. */
export type Value = string | number | boolean

/** Binds, casts and decodes the values of a scalar type. */
interface ScalarHandler {
  readonly bind: (value: Value) => Parameter
  readonly bindAll: (values: readonly Value[]) => Parameter
  /** Casts a column to the type of the result; Nullable if it may have no value. */
  readonly cast: (value: Sql) => Sql
  readonly kind: Kind<unknown>
}

const texts: ScalarHandler = {
  bind: value => str(String(value)),
  bindAll: values => array(str, values.map(String)),
  cast: value => sql`CAST(${value}, 'Nullable(String)')`,
  kind: nullOr(storedText),
}

const integers: ScalarHandler = {
  bind: value => int64(Number(value)),
  bindAll: values => array(int64, values.map(Number)),
  cast: value => sql`CAST(${value}, 'Nullable(Int64)')`,
  kind: nullOr(wide),
}

const instantKind: Kind<string> = {
  accepts: wide.accepts,
  read: value => isoText(Number(value)),
}

const scalarHandlers: Readonly<Record<ScalarName, ScalarHandler>> = {
  uuid: texts,
  String: texts,
  Int: integers,
  bigint: integers,
  timestamptz: { ...integers, kind: nullOr(instantKind) },
  numeric: {
    bind: value => float64(Number(value)),
    bindAll: values => array(float64, values.map(Number)),
    cast: value => sql`CAST(${value}, 'Nullable(Float64)')`,
    kind: nullOr(float),
  },
  Boolean: {
    bind: value => uint8(Number(value)),
    bindAll: values => array(uint8, values.map(Number)),
    cast: value => sql`CAST(${value}, 'Nullable(UInt8)')`,
    kind: nullOr(flag),
  },
}

export function scalarHandlerOf(type: ScalarName): ScalarHandler {
  return scalarHandlers[type]
}

/** Returns the operand of a comparison; throws a `GraphQLError` if it is null, because nothing equals NULL. */
export function requireValue(value: unknown, field: string): Value {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw problem('validation-failed', `unexpected null value for ${field}`)
}

export function requireValues(value: unknown, field: string): readonly Value[] {
  if (!Array.isArray(value)) throw problem('validation-failed', `unexpected null value for ${field}`)
  return value.map(each => requireValue(each, field))
}
