import { coded, type Kind } from '../client/kinds.ts'
import { modes, statuses } from '../../schema/document.ts'
import { int64, uint8, type Parameter } from '../sql/sql.ts'

/** Names that the store contains as numbers. */
export interface Codes<Name extends string> {
  code(name: Name): number
  /** Reads a column of numbers as names. */
  readonly kind: Kind<Name>
  /** Returns the number as a bound parameter. */
  param(name: Name): Parameter
}

export const modeCodes = codes(modes)
export const statusCodes = codes(statuses)

/** Levels of alarms; 0: no level. */
export const alarmLevels = ['WARNING', 'FAULT'] as const
export type AlarmLevel = (typeof alarmLevels)[number]
export const levelCodes = codes<AlarmLevel>(['', ...alarmLevels])

function codes<Name extends string>(names: readonly (Name | '')[]): Codes<Name> {
  const known = new Map<string, number>(names.map((name, i) => [name, i]))
  const code = (name: Name): number => {
    const found = known.get(name)
    if (found === undefined) throw new TypeError(`${name} has no code`)
    return found
  }
  const { accepts, read } = coded(names)
  const kind: Kind<Name> = {
    accepts,
    read: value => {
      const name = read?.(value) ?? ''
      if (name === '') throw new TypeError(`${String(value)} is the code of no name`)
      return name
    },
  }
  return { code, kind, param: name => uint8(code(name)) }
}

/** Stored value of an open end: far in the future, so that `least(end, now)` needs no special case. */
const noEndMs = Number.MAX_SAFE_INTEGER

/** Ends that may be open (null), UTC ms. */
export const openEnd = {
  /** Returns the stored value. */
  stored: (endMs: number | null): number => endMs ?? noEndMs,
  /** Reads a column of ends. */
  kind: {
    accepts: type => type === 'Int64',
    read: value => {
      if (typeof value !== 'number') throw new TypeError(`Invalid end: ${String(value)}`)
      return value >= noEndMs ? null : value
    },
  } satisfies Kind<number | null>,
  /** The open end as a bound parameter. */
  none: int64(noEndMs),
}
