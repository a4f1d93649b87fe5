import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Health } from '../../schema/requests/health.ts'
import type { MachineListItem } from '../../schema/records/machine.ts'
import { startService, type TestService } from '../support/service.ts'

const noisy = '00000000-0000-4000-8000-0000000000a1'
const quiet = '00000000-0000-4000-8000-0000000000a2'
const nowMs = Date.UTC(2026, 2, 2, 8, 30)
const instant = (ms: number) => new Date(nowMs + ms).toISOString()

describe('machine with 200,000 conditions in one request', function () {
  let service: TestService

  before(async () => {
    service = await startService({ nowMs })
    for (const [id, name] of [
      [noisy, 'Noisy'],
      [quiet, 'Quiet'],
    ])
      await service.call('PUT', `/machines/${id}`, { name, commissionedAt: '2026-03-02T08:00:00Z' })
  })

  after(() => service.stop())

  it('A machine with 200,000 conditions gets a machine fault, and reports of other machines stay current', async () => {
    const storm = Array.from({ length: 200_000 }, (_, i) => ({
      timestamp: instant(-600_000 + i),
      key: 'system',
      type: 'SYSTEM',
      value: 'FAULT',
      nativeCode: `code ${i}`,
    }))
    expect((await service.call('POST', '/ingest/samples', { machineId: noisy, samples: storm })).status).to.equal(202)
    const active = { timestamp: instant(-300_000), key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
    expect((await service.call('POST', '/ingest/samples', { machineId: quiet, samples: [active] })).status).to.equal(
      202,
    )
    await service.settled()
    const { lag, liveLag }: Health = JSON.parse(JSON.stringify((await service.call('GET', '/health')).body))
    expect([lag.records, liveLag.records]).to.deep.equal([0, 0])

    const report = await service.call('POST', '/reports/production', {
      start: '2026-03-02T08:00:00Z',
      end: '2026-03-02T08:30:00Z',
      groupBy: [{ group: 'machine' }],
      data: [{ metric: 'timeInCycle' }],
    })
    expect(JSON.stringify(report.body)).to.contain('"timeInCycle":300000')

    // Faults are published every second.
    const told = async () => {
      const { body } = await service.call('GET', '/machines')
      const machines: readonly MachineListItem[] = JSON.parse(JSON.stringify(body))
      return machines.map(({ name, faults }) => [name, faults.map(({ code, count }) => [code, count >= 198_000])])
    }
    while (!JSON.stringify(await told()).includes('true')) await sleep(200)
    expect(await told()).to.deep.equal([
      [
        'Noisy',
        [
          ['no_execution', false],
          ['too_many_conditions', true],
        ],
      ],
      ['Quiet', []],
    ])
  })
})
