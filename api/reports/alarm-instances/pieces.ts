import { machineRef, storedText, wide } from '../../../clickhouse/client/kinds.ts'
import { rows } from '../../../clickhouse/client/rows.ts'
import { levelCodes, openEnd } from '../../../clickhouse/tables/values.ts'
import { alarmIdentityOf, type AlarmInstance } from '../../../schema/alarm-instance.ts'
import { cachedCanonicalName } from '../../../schema/canonical-name.ts'
import type { QueryContext } from '../query/query-context.ts'
import type { HourKey } from '../../../schema/document-store.ts'
import { compilePieces } from './compile.ts'
import type { CompanyRef } from '../../../schema/refs.ts'

/** The part of an instance that one hour's document holds. */
interface InstancePiece {
  readonly message: string
  /** UTC ms; null: ongoing after the hour. */
  readonly endMs: number | null
}

/** The pieces that were read, by instance and hour. */
export interface InstancePieces {
  of(instance: AlarmInstance, slotMs: number): InstancePiece | null
}

/** An hour that may contain an element of the instance. */
export interface AlarmHour {
  readonly instance: AlarmInstance
  readonly slotMs: number
}

/** Most places of one query. */
const placesPerQuery = 2000

const pieceShape = {
  machineRef,
  slotMs: wide,
  key: storedText,
  nativeCode: storedText,
  message: storedText,
  level: levelCodes.kind,
  startMs: wide,
  endMs: openEnd.kind,
} as const

/** Reads the pieces of instances from the documents of their hours. */
export async function readPieces(
  companyRef: CompanyRef,
  places: readonly AlarmHour[],
  { store, options }: QueryContext,
): Promise<InstancePieces> {
  const found = new Map<string, InstancePiece>()
  for (let from = 0; from < places.length; from += placesPerQuery) {
    const some = places.slice(from, from + placesPerQuery)
    const hours = some.map(({ instance, slotMs }): HourKey => ({ machineRef: instance.machineRef, slotMs }))
    const starts = some.map(({ instance }) => instance.startMs)
    for (const row of await rows(store, compilePieces(companyRef, hours, starts), pieceShape, options)) {
      const { slotMs, endMs, key, ...instance } = row
      const place = { instance: { ...instance, key: cachedCanonicalName(key) }, slotMs }
      found.set(placeOf(place), { message: instance.message, endMs })
    }
  }
  return { of: (instance, slotMs) => found.get(placeOf({ instance, slotMs })) ?? null }
}

function placeOf({ instance, slotMs }: AlarmHour): string {
  return `${slotMs}${alarmIdentityOf(instance)}`
}
