import type { Client } from '../../data/client.ts'
import { idParts } from '../../data/id-parts.ts'
import type { OpenStop } from './floor-machine.ts'

/** Records are current up to a moment ago: an ongoing one overlaps at least this time. */
const recentMs = 60_000
/** The most that one request lists. */
const maxStops = 1000

/**
 * Reads the ongoing downtime records of machines (null: of all), the longest if they are many, by machine. A machine that is not scheduled
 * has none.
 */
export async function readOpenStops(
  client: Client,
  machineIds: readonly string[] | null,
): Promise<ReadonlyMap<string, OpenStop>> {
  const nowMs = client.now()
  const query = {
    start: new Date(nowMs - recentMs).toISOString(),
    end: new Date(nowMs).toISOString(),
    orderBy: 'start',
    direction: 'ASC',
    limit: String(maxStops),
  }
  const records = await Promise.all(
    idParts(machineIds).map(machineId => client.call('GET /downtime-records', { query: { ...query, machineId } })),
  )
  return new Map(
    records
      .flat()
      .filter(({ endAt }) => endAt === null)
      .map(({ id, machineId, startAt, reasonId, reason }) => [
        machineId,
        { id, sinceMs: Date.parse(startAt), reason: reasonId === 'uncategorized' ? null : reason },
      ]),
  )
}
