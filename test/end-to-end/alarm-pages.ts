import { strict as assert } from 'node:assert'
import type { AlarmInstanceRow, AlarmInstancesResponse } from '../../schema/requests/alarm-instances.ts'
import type { TestService } from '../support/service.ts'

type Caller = Pick<TestService, 'call'>

/** Requests one page of alarm instances. */
export async function alarmPage({ call }: Caller, body: object): Promise<AlarmInstancesResponse> {
  const answered = await call('POST', '/reports/alarm/instances', body)
  const text = JSON.stringify(answered.body)
  assert.equal(answered.status, 200, text)
  const answer: AlarmInstancesResponse = JSON.parse(text)
  return answer
}

/** Requests pages by alarmId until a page is not full; calls `between` after every page. */
export async function pageById(
  caller: Caller,
  { between = async () => {}, ...body }: { limit: number; direction?: 'ASC' | 'DESC'; between?: () => Promise<void> },
): Promise<readonly AlarmInstanceRow[]> {
  const rows: AlarmInstanceRow[] = []
  let startId = body.direction === 'DESC' ? 2 ** 31 - 1 : 0
  for (;;) {
    const { instances } = await alarmPage(caller, { ...body, startId, orderBy: 'id' })
    rows.push(...instances)
    const last = instances.at(-1)
    if (!last || instances.length < body.limit) return rows
    startId = last.alarmId
    await between()
  }
}

/**
 * Requests pages by start: the first page from `start` on, the others from the last `startId` on; calls `between` after
 * every page.
 */
export async function pageByStart(
  caller: Caller,
  {
    start,
    between = async () => {},
    ...body
  }: { start: string; limit: number; direction?: 'ASC' | 'DESC'; between?: () => Promise<void> },
): Promise<readonly AlarmInstanceRow[]> {
  const rows: AlarmInstanceRow[] = []
  let from: { start: string } | { startId: number } = { start }
  for (;;) {
    const { instances } = await alarmPage(caller, { ...body, ...from })
    rows.push(...instances)
    const last = instances.at(-1)
    if (!last || instances.length < body.limit) return rows
    from = { startId: last.alarmId }
    await between()
  }
}

/** Returns an instance without its id. */
export function withoutId(row: AlarmInstanceRow): Omit<AlarmInstanceRow, 'alarmId'> {
  const { alarmId: _, ...rest } = row
  return rest
}
