import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Page } from 'playwright-core'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { mapConcurrently } from '../../shared/async/map-concurrently.ts'
import { openWithKey, usePages } from '../support/application-page.ts'
import { startService, type TestService } from '../support/service.ts'

const machineIds = Array.from({ length: 500 }, () => randomUUID())
const [jammed = ''] = machineIds

/** All machines stop in the same second while a shift leader has the page on a phone. */
describe('many machines that stop in the same second', function () {
  let service: TestService
  let page: Page
  const openPage = usePages()

  before(async function () {
    service = await startService()
    await mapConcurrently([...machineIds.entries()], 50, async ([index, id]) => {
      const machine = { id, name: `M ${String(index).padStart(3, '0')}` }
      resultOrThrow(await service.commands.submit('machine.put', machine, { companyId: service.companyId }))
    })
    await put('stop', { name: 'Stopped', severity: 'warning', condition: { status: ['INACTIVE'] } })
    const condition = { alarm: { nativeCodes: [], states: ['FAULT'], text: '' } }
    await put('jam', { name: 'Jam', severity: 'critical', condition })
    await post(machineIds.map(machineId => execution(machineId, 'ACTIVE')))
    await service.settled()
    page = await openPage(this, service, 'phone')
    await openWithKey(page, service, '/app/now')
    await page.getByText('No open incidents').waitFor()
  })
  after(() => service?.stop())

  async function put(id: string, rule: object): Promise<void> {
    assert.equal((await service.call('PUT', `/alert-rules/${id}`, rule)).status, 200)
  }

  async function post(samples: readonly object[]): Promise<void> {
    assert.equal((await service.call('POST', '/ingest/samples', samples)).status, 202)
  }

  function execution(machineId: string, value: string): object {
    return { machineId, timestamp: new Date().toISOString(), key: 'execution', type: 'EXECUTION', value }
  }

  it('A tap acknowledges an incident of the flood', async () => {
    await post(machineIds.map(machineId => execution(machineId, 'READY')))
    // Until then, incidents that began earlier may arrive.
    await page.getByRole('status').getByText('500 ·').waitFor()
    const card = page.getByRole('article').first()
    await card.getByRole('button', { name: 'Acknowledge' }).tap()
    await card.getByText('Acknowledged by').waitFor()
    const incidents = service.records.list('incident', service.companyId)
    assert.equal(incidents.filter(({ state }) => state === 'acknowledged').length, 1)
  })

  it('The buttons and fields of the page and of the details are large enough for fingers', async () => {
    await page.getByRole('button', { name: 'Details' }).first().tap()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Comment' }).waitFor()
    const small = await page.evaluate<readonly string[]>(`
      [...document.querySelectorAll('main :is(button, select, input), [role=dialog] :is(button, select, input), dialog :is(button, select, input)')]
        .filter(({ offsetWidth, offsetHeight }) => offsetWidth > 0 && (offsetWidth < 44 || offsetHeight < 44))
        .map(each => each.outerHTML)`)
    assert.deepEqual(small, [])
  })

  it('A second cause in the flood is an incident of its own', async () => {
    const fault = { key: 'system', type: 'SYSTEM', category: 'CONDITION', nativeCode: '7', message: 'Conveyor' }
    await post([{ ...fault, machineId: jammed, timestamp: new Date().toISOString(), value: 'FAULT' }])
    await page.goto(`${service.url}/app/now?rule=jam`)
    await page.getByRole('article', { name: 'M 000' }).getByText('7 Conveyor').waitFor()
    await page.goto(`${service.url}/app/now`)
    // The machine in fault is not inactive any more.
    await page.getByRole('status').getByText('500').waitFor()
  })
})
