import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** How values of a result column are read. */
export interface Kind<T> {
  /** Returns whether columns of this ClickHouse type can be read. */
  readonly accepts: (type: string) => boolean
  /**
   * Converts a value of the JSON result; throws a `TypeError` for an invalid value. null: values are used unchanged.
   */
  readonly read: ((value: unknown) => T) | null
}

/** Integers of 8 to 32 bits. */
export const narrow: Kind<number> = {
  accepts: oneOf('UInt8', 'UInt16', 'UInt32', 'Int8', 'Int16', 'Int32'),
  read: null,
}

/** Refs of machines and companies. */
export const machineRef: Kind<MachineRef> = { accepts: oneOf('UInt32'), read: null }
export const companyRef: Kind<CompanyRef> = { accepts: oneOf('UInt32'), read: null }

/** Integers of 64 bits below 2^53, such as instants and counts. */
export const wide: Kind<number> = {
  accepts: oneOf('Int64', 'UInt64', 'SimpleAggregateFunction(min, Int64)'),
  read: value => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    throw new TypeError(`Invalid integer (maximum 2^53 - 1): ${String(value)}`)
  },
}

/** Integers of 64 bits of any size, which the query must select as `toString(…)`. */
export const big: Kind<bigint> = { accepts: oneOf('String'), read: value => BigInt(String(value)) }

export const storedText: Kind<string> = { accepts: oneOf('String', 'LowCardinality(String)'), read: null }

/** Booleans, stored as 0 and 1. */
export const flag: Kind<boolean> = { accepts: oneOf('UInt8'), read: value => value === 1 }

export const float: Kind<number> = {
  accepts: oneOf('Float64'),
  read: value => {
    if (typeof value === 'number') return value
    throw new TypeError(`Invalid number: ${String(value)}`)
  },
}

export function nullOr<T>({ accepts, read }: Kind<T>): Kind<T | null> {
  return {
    accepts: type => accepts(/^Nullable\((.*)\)$/.exec(type)?.[1] ?? ''),
    read: read && (value => (value === null ? null : read(value))),
  }
}

/** Arrays of values of a kind. */
export function listOf<T>({ accepts, read }: Kind<T>): Kind<readonly T[]> {
  return {
    accepts: type => accepts(/^Array\((.*)\)$/.exec(type)?.[1] ?? ''),
    read: read && (value => asArray(value).map(read)),
  }
}

/** Names that are stored as their index in `names`. */
export function coded<const Name extends string>(names: readonly Name[]): Kind<Name> {
  return {
    accepts: oneOf('UInt8'),
    read: value => {
      const name = typeof value === 'number' ? names[value] : undefined
      if (name === undefined)
        throw new TypeError(`Invalid code ${String(value)}: expected an index of ${names.join(', ')}`)
      return name
    },
  }
}

function oneOf(...types: readonly string[]): (type: string) => boolean {
  return type => types.includes(type)
}

function asArray(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError('Expected an array in an array column')
}
