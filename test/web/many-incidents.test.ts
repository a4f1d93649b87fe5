import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { mapConcurrently } from '../../shared/async/map-concurrently.ts'
import { openChromium, watchPage } from '../support/chromium.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

const kinds = ['material', 'maintenance', 'quality', 'help'] as const
const machineCount = 260
const newest = { id: randomUUID(), name: '<img src=x onerror=alert(1)> & "Press"' }
const note = `<script>alert(2)</script>${'x'.repeat(1_900)}`

/** More open incidents than the page reads; those of the newest machine are the newest. */
describe('more open incidents than the page shows', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]

  before(async function () {
    browser = await openChromium(this)
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
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    page = await context.newPage()
    problems = watchPage(page, service.url)
    await page.goto(`${service.url}/app/now#key=${encodeURIComponent(testKey)}`)
    await page.getByText('the oldest 1,000').waitFor()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })
  afterEach(() => assert.deepEqual(problems.splice(0), []))

  const open = async (path: string, status: string) => {
    await page.goto(service.url + path)
    await page.getByRole('status').getByText(status).waitFor()
  }

  it('The page shows the oldest, and the newest if the filter selects them', async () => {
    await open('/app/now', 'the oldest 1,000')
    assert.equal(await page.getByRole('article', { name: newest.name }).count(), 0)
    await open(`/app/now?machine=${newest.id}`, '2 of 1,000 or more')
    assert.equal(await page.getByRole('article', { name: newest.name }).count(), 2)
    await open('/app/now?rule=help', '1 of 1,000 or more')
    await page.getByText('Call: Help').waitFor()
    await page.goto(`${service.url}/app/now?state=acknowledged`)
    await page.getByText('No matching incidents.').waitFor()
  })

  it('A filter that a request cannot contain selects among the oldest, and the page states this', async () => {
    await page.goto(`${service.url}/app/now?state=mine`)
    await page.getByText('No matching incidents among the oldest 1,000.').waitFor()
    await open('/app/now?rule=none,help', 'the oldest 1,000')
  })

  it('The tile of a machine names a critical incident that is newer', async () => {
    await page.goto(service.url)
    await page.getByText('Call: Help').waitFor()
  })
})
