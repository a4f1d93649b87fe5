import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Page } from 'playwright-core'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { mapConcurrently } from '../../shared/async/map-concurrently.ts'
import { openWithKey, usePages } from '../support/application-page.ts'
import { startService, type TestService } from '../support/service.ts'

const kinds = ['material', 'maintenance', 'quality', 'help'] as const
const machineCount = 260
const newest = { id: randomUUID(), name: '<img src=x onerror=alert(1)> & "Press"' }
const note = `<script>alert(2)</script>${'x'.repeat(1_900)}`

/** Machines with a call of each kind, and a newer machine with a critical one. */
describe('many open incidents', function () {
  let service: TestService
  let page: Page
  const openPage = usePages()

  before(async function () {
    service = await startService()
    const { companyId, commands } = service
    const by = { kind: 'key', id: 'gateway', name: 'Gateway' } as const
    const machineIds = Array.from({ length: machineCount }, () => randomUUID())
    const call = async (machineId: string, kind: string, note: string) =>
      resultOrThrow(await commands.submit('call.open', { machineId, kind, note, by }, { companyId }))
    await mapConcurrently(machineIds, 50, async id => {
      resultOrThrow(await commands.submit('machine.put', { id, name: id.slice(0, 8) }, { companyId }))
      for (const kind of kinds) await call(id, kind, '')
    })
    resultOrThrow(await commands.submit('machine.put', newest, { companyId }))
    const rule = { name: '<b>Help</b>', severity: 'critical', condition: { call: ['help'] } }
    const created = await service.call('PUT', '/alert-rules/help', rule)
    assert.equal(created.status, 200)
    await call(newest.id, 'material', note)
    await call(newest.id, 'help', note)
    page = await openPage(this, service)
    await openWithKey(page, service, '/app/now')
    await page.getByText('1,042 ·').waitFor()
  })
  after(() => service?.stop())

  const open = async (path: string, status: string) => {
    await page.goto(service.url + path)
    await page.getByRole('status').getByText(status).waitFor()
  }

  it('The page counts all incidents, a filter selects among them, and the critical one is first', async () => {
    await open('/app/now', '1,042 · critical first')
    await page.getByRole('article', { name: newest.name }).first().getByText('Call: Help').waitFor()
    await open(`/app/now?machine=${newest.id}`, '2 of 1,042')
    assert.equal(await page.getByRole('article', { name: newest.name }).count(), 2)
    await open('/app/now?rule=help', '1 of 1,042')
    await open('/app/now?rule=none,help', '1,042')
    await page.goto(`${service.url}/app/now?state=acknowledged`)
    await page.getByText('No matching incidents.').waitFor()
  })

  it('The tile of a machine names a critical incident that is newer', async () => {
    await page.goto(service.url)
    await page.getByText('Call: Help').waitFor()
  })
})
