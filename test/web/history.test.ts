import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createSimulatedHistoryPublisher } from '../../service/live/simulated-history.ts'
import { hourMs } from '../../shared/time/units.ts'
import { assertAccessible, openChromium, watchPage } from '../support/chromium.ts'
import { readAs } from '../support/read-as.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

interface Answered {
  readonly warnings?: readonly { readonly field: string; readonly message: string }[]
}

/** The service expects a simulated history, whose progress the test publishes. */
describe('an incomplete simulated history', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]
  let publish: ReturnType<typeof createSimulatedHistoryPublisher>
  const fromMs = Date.now() - 10 * hourMs

  before(async function () {
    browser = await openChromium(this)
    service = await startService({ env: { TAKT_DEMO: '1', TAKT_DEMO_HOURS: '10' } })
    publish = createSimulatedHistoryPublisher(service.log, { warn: () => assert.fail('published') })
    page = await browser.newPage({ locale: 'en-US' })
    problems = watchPage(page, service.url)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  async function warningsOf(path: string, body: object): Promise<Answered['warnings']> {
    const { status, body: answer } = await service.call('POST', path, body)
    assert.equal(status, 200, path)
    return readAs<Answered>(answer).warnings
  }
  const range = (from: number, to: number) => ({
    start: new Date(from).toISOString(),
    end: new Date(to).toISOString(),
  })

  it('Every report of the time of an incomplete simulated history has a warning, and an earlier report has none', async () => {
    const data = [{ metric: 'recordCount' }]
    const today = range(fromMs + hourMs, Date.now())
    const warning = { field: 'range', message: 'The simulated history is 0% complete.' }
    for (const path of ['production', 'production/explanation'])
      assert.deepEqual(await warningsOf(`/reports/${path}`, { ...today, data: ['oee'] }), [warning])
    for (const path of ['downtime', 'quality', 'alarm'])
      assert.deepEqual(await warningsOf(`/reports/${path}`, { ...today, data }), [warning])
    assert.deepEqual(await warningsOf('/reports/alarm/instances', { start: today.start }), [warning])
    const both = await warningsOf('/reports/production', { ...today, data: ['oee'], groupby: [] })
    assert.deepEqual(
      both?.map(({ field }) => field),
      ['range', 'groupby'],
    )
    const earlier = range(fromMs - 3 * hourMs, fromMs - 2 * hourMs)
    assert.isUndefined(await warningsOf('/reports/production', { ...earlier, data: ['oee'] }))
  })

  it('The progress of an incomplete simulated history replaces the figures until the history is complete', async () => {
    await page.goto(`${service.url}/#key=${testKey}`)
    await page.getByText('0% complete').waitFor()
    assert.equal(await page.getByText('OEE').count(), 0)
    await assertAccessible(page, 'progress of the history')
    publish({ fromMs, sentMs: fromMs + 4 * hourMs, isComplete: false })
    await page.getByText(/^(39|40)% complete/).waitFor()
    assert.match(
      JSON.stringify(await warningsOf('/reports/production', { ...range(fromMs, Date.now()), data: ['oee'] })),
      /(39|40)% complete/,
    )
    await page.getByRole('link', { name: 'Performance' }).click()
    await page.getByRole('heading', { level: 1, name: 'Performance' }).waitFor()
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Floor' }).click()
    await page.getByRole('progressbar').waitFor()
    publish({ fromMs, sentMs: Date.now(), isComplete: true })
    await page.getByText('OEE').first().waitFor()
    assert.equal(await page.getByRole('progressbar').count(), 0)
    assert.isUndefined(await warningsOf('/reports/production', { ...range(fromMs, Date.now()), data: ['oee'] }))
    assert.deepEqual(problems, [])
  })
})
