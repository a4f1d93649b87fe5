import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { AlarmInstancesResponse } from '../../schema/requests/alarm-instances.ts'
import { readAs } from '../support/read-as.ts'
import { parseRfc4180 } from '../support/rfc4180.ts'
import { startService, type TestService } from '../support/service.ts'

const nowMs = Date.parse('2026-03-03T12:00:00.000Z')

describe('files of alarm instances', function () {
  let service: TestService
  before(async () => {
    service = await startService({ nowMs })
    const machineId = randomUUID()
    await service.call('PUT', `/machines/${machineId}`, { name: '=Mill', commissionedAt: '2026-03-01T00:00:00Z' })
    const condition = (minute: number, value: string) => ({
      machineId,
      timestamp: new Date(Date.parse('2026-03-02T08:00:00Z') + minute * 60_000).toISOString(),
      key: 'system_cond',
      type: 'SYSTEM',
      value,
      nativeCode: '-17',
      message: 'Oil, "low"',
    })
    const values = ['FAULT', 'WARNING', 'NORMAL', 'FAULT']
    const samples = values.map((value, i) => condition(30 * i, value))
    await service.call('POST', '/ingest/samples', samples)
    await service.settled()
  })
  after(() => service.stop())

  it('The file of alarm instances contains the rows of the requested page', async () => {
    const request = { start: '2026-03-02T00:00:00Z', csv: true }
    const { body } = await service.call('POST', '/reports/alarm/instances', request)
    const page = readAs<AlarmInstancesResponse>(body)
    assert.lengthOf(page.instances, 3)
    assert.equal(page.range.end, '2026-03-03T12:00:00.000Z')
    assert.match(page.csv?.url ?? '', /^http:\/\/127\.0\.0\.1:\d+\/csv\/alarm\/instances\/\d+$/)
    const { body: token } = await service.call('GET', '/user-token')
    const csv = await (await fetch(`${page.csv?.url}?token=${String(token)}`)).text()
    assert.deepEqual(parseRfc4180(csv), [
      ['alarmId', 'machineId', 'machine', 'state', 'nativeCode', 'message', 'start', 'end', 'durationMs'],
      ...page.instances.map(({ alarmId, machineId, state, message, start, end, durationMs }) => [
        String(alarmId),
        machineId,
        "'=Mill",
        state,
        "'-17",
        message,
        start,
        end ?? '',
        String(durationMs),
      ]),
    ])
  })

  it('A file of alarm instances is written only on request', async () => {
    const { body } = await service.call('POST', '/reports/alarm/instances', { start: '2026-03-02T00:00:00Z' })
    assert.notProperty(body, 'csv')
    assert.notNestedProperty(body, 'range.end')
  })
})
