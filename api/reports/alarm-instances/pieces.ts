import { levelOf } from '../../../clickhouse/documents/alarm-ids.ts'
import { noEndMs } from '../../../clickhouse/documents/document-rows.ts'
import type { QueryOptions, Store } from '../../../clickhouse/client/store.ts'
import { identityOf, type AlarmInstance } from '../../../schema/alarm-instance.ts'
import { nameOf } from '../../../schema/canonical-name.ts'
import { compilePieces, type MachineHour } from './compile.ts'

/** What one hour's document tells of an instance. */
export interface Piece {
  readonly message: string
  /** UTC ms; null: it goes on after the hour. */
  readonly endMs: number | null
}

/** The pieces that were read, by instance and hour. */
export interface Pieces {
  of(instance: AlarmInstance, slotMs: number): Piece | null
}

/** Where instances are looked for. */
export interface Place {
  readonly instance: AlarmInstance
  readonly slotMs: number
}

/** Of one query. */
const placesPerQuery = 2000

type PieceColumns = [number[], number[], string[], string[], string[], number[], number[], number[]]

/** Reads what the documents of those hours tell of those instances. */
export async function readPieces(
  company: number,
  places: readonly Place[],
  store: Store,
  options: QueryOptions,
): Promise<Pieces> {
  const found = new Map<string, Piece>()
  for (let from = 0; from < places.length; from += placesPerQuery) {
    const some = places.slice(from, from + placesPerQuery)
    const hours = some.map(({ instance, slotMs }): MachineHour => ({ machine: instance.machine, slotMs }))
    const starts = some.map(({ instance }) => instance.startMs)
    const [machine, slot, key, code, message, level, start, end] = await store.columns<PieceColumns>(
      compilePieces(company, hours, starts),
      options,
    )
    machine.forEach((ref, i) => {
      const instance = {
        machine: ref,
        key: nameOf(key[i] ?? ''),
        nativeCode: code[i] ?? '',
        message: message[i] ?? '',
        level: levelOf(level[i]),
        startMs: start[i] ?? 0,
      }
      const endMs = end[i] ?? noEndMs
      const piece = { message: instance.message, endMs: endMs >= noEndMs ? null : endMs }
      found.set(placeOf({ instance, slotMs: (slot[i] ?? 0) * 1000 }), piece)
    })
  }
  return { of: (instance, slotMs) => found.get(placeOf({ instance, slotMs })) ?? null }
}

function placeOf({ instance, slotMs }: Place): string {
  return `${slotMs}${identityOf(instance)}`
}
