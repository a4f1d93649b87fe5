import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { pino } from 'pino'
import { read, utils } from 'xlsx'
import type { Browser, BrowserContext, Locator, Page, Route } from 'playwright-core'
import { type Demo, startDemo } from '../../demo/demo.ts'
import type { MetricName } from '../../schema/metrics.ts'
import type { CycleTimesResponse } from '../../schema/requests/cycle-times.ts'
import { shapeOf } from '../api/live/plant.ts'
import { assertAccessible, assertWalkable, openChromium, testLooks, watchPage } from '../support/chromium.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

type Values = Readonly<Partial<Record<MetricName, number | null>>>
interface Report {
  readonly aggregate: Values
  readonly items: readonly (Values & Readonly<Record<string, string | number | null>>)[]
}

/** One service with a simulated plant of two days, which includes all of yesterday, and one browser. */
describe('the screens of reports', function () {
  let service: TestService
  let demo: Demo
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: string[]
  let folder: string

  before(async function () {
    browser = await openChromium(this)
    service = await startService()
    folder = mkdtempSync(join(tmpdir(), 'takt-reports-'))
    const { companyId, records, commands, log } = service
    demo = startDemo({
      companyId,
      records,
      commands,
      log,
      settings: { dataDir: folder, machines: 6, seed: 3, hours: 48 },
      logger: pino({ level: 'silent' }),
    })
    await demo.live
    // Figures of a report must not change while it is compared with the page.
    await demo.stop()
    await service.settled()
    context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-US',
      acceptDownloads: true,
    })
    page = await context.newPage()
    problems = watchPage(page, service.url)
    await page.goto(`${service.url}/app/account#key=${encodeURIComponent(testKey)}`)
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await demo?.stop()
    await service?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })
  afterEach(() => {
    assert.deepEqual(problems.splice(0), [])
  })

  const button = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: typeof name === 'string' })
  const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

  async function open(path: string, title: string): Promise<void> {
    await page.goto(service.url + path)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await loaded()
  }

  async function loaded(): Promise<void> {
    await page.getByText('Loading …').first().waitFor({ state: 'detached' })
    await page.locator('[data-stale="true"]').waitFor({ state: 'detached' })
  }

  async function report(name: string, body: object): Promise<Report> {
    const days = { startDay: yesterday(), endDay: yesterday() }
    const answer = await service.call('POST', `/reports/${name}`, { ...days, ...body, flatten: true })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return shapeOf<Report>(answer.body)
  }

  it('A link to the application can name 1,000 machines', async () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `a0000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
    await page.goto('about:blank')
    await open(`/app/downtime#~period=yesterday&machine=${ids.join('%2C')}`, 'Downtime')
    await button(/^Machines: 1,000/).waitFor()
  })

  it('Every report screen works by keyboard with visible focus and no trap, and a closed dialog returns the focus', async () => {
    for (const [path, title] of [
      ['/', 'Floor'],
      ['/app/performance?period=yesterday', 'Performance'],
      // All stops have equal controls: the stops of a quarter of an hour are enough.
      [`/app/downtime?period=custom&from=${yesterday()}T08:00&to=${yesterday()}T08:15`, 'Downtime'],
      ['/app/quality?period=yesterday', 'Quality'],
      ['/app/alarms', 'Alarms'],
      ['/app/machine', 'Machine'],
      ['/app/jobs', 'Jobs'],
      ['/app/connect', 'Connect machines'],
    ] as const) {
      await open(path, title)
      await assertWalkable(page, title)
    }
    await open('/app/performance?period=yesterday', 'Performance')
    const filter = button('Machines: all')
    await filter.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Machines' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.isTrue(await filter.evaluate('document.activeElement?.textContent?.startsWith("Machines")'))
  })

  it('The performance screen shows the biggest loss with its machines and reasons, equal to the report', async () => {
    await open('/app/performance?period=yesterday', 'Performance')
    const { aggregate, items } = await report('production', {
      data: ['oee', 'scheduledTime', 'unplannedDowntime', 'plannedDowntime', 'goodParts'],
      groupBy: ['machine'],
    })
    const head = page.locator('[data-figure="oee"] .value')
    assert.equal(await head.innerText(), `${(100 * (aggregate.oee ?? NaN)).toFixed(1)}%`)
    await page.getByText('Biggest loss').waitFor()
    const shown = durationText(aggregate.unplannedDowntime ?? NaN)
    await page.locator('[data-name="unplanned"] .step-value', { hasText: shown }).waitFor()
    await page.locator('.waterfall [data-biggest="true"]').waitFor()
    const [worst] = [...items].sort((a, b) => (b.unplannedDowntime ?? 0) - (a.unplannedDowntime ?? 0))
    const pareto = page.getByRole('list', { name: 'Pareto of losses' }).getByRole('listitem')
    const biggest = await page.locator('.waterfall [data-biggest="true"] .step-name').innerText()
    const name = await pareto.first().locator('.bar-name').innerText()
    assert.isTrue(biggest.startsWith(name), `${biggest}, ${name}`)
    assert.include(await pareto.last().innerText(), 'Cumulative 100%')
    await page.locator('.step-row').filter({ hasText: 'Unplanned downtime' }).click()
    const where = page.getByRole('list', { name: 'Unplanned downtime by machine' })
    assert.include(await where.getByRole('listitem').first().innerText(), String(worst?.['machine']))
    const why = page.getByRole('list', { name: 'Unplanned downtime by reason' })
    await why.getByText('Uncategorized').waitFor()
    // Planned reasons and setup are not among the unplanned stops.
    assert.equal(await why.getByText('Break', { exact: true }).count(), 0)
    await button(/^Rejected parts/).click()
    assert.include(page.url(), 'loss=quality')
    await page.getByRole('list', { name: 'Rejected parts by reason' }).getByText('Out of tolerance').waitFor()
    await assertAccessible(page, 'performance')
  })

  it('On the performance screen, a long number fits into its tile at 1280 pixels', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await open('/app/performance?period=yesterday', 'Performance')
    for (const text of ['7,684 parts', '1,234,567 parts']) {
      const excess = await page.evaluate<number>(`{
        const head = document.querySelector('.head[data-figure="goodParts"]')
        const value = head.querySelector('.value')
        value.textContent = ${JSON.stringify(text)}
        const { paddingRight } = getComputedStyle(head.querySelector('.head-main'))
        value.getBoundingClientRect().right + parseFloat(paddingRight) - head.getBoundingClientRect().right
      }`)
      assert.isAtMost(excess, 0, text)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('/app/performance?period=yesterday&loss=quality', 'Performance')
  })

  it('The performance screen shows the cycle times of the selected job, equal to the report', async () => {
    const { items } = await report('production', { data: ['totalParts'], groupBy: ['jobOperation'] })
    const made = items
      .filter(({ jobOperationId }) => jobOperationId !== null && jobOperationId !== 'none')
      .toSorted((a, b) => (b.totalParts ?? 0) - (a.totalParts ?? 0))
    const jobOperation = String(made[0]?.['jobOperationId'])
    const days = { startDay: yesterday(), endDay: yesterday() }
    const { body } = await service.call('POST', '/reports/cycle-times', { ...days, jobOperation })
    const { cycleCount, medianMs, bins } = shapeOf<CycleTimesResponse>(body)
    assert.isAbove(cycleCount, 0)
    const query = new URLSearchParams({ period: 'yesterday', job: jobOperation })
    await open(`/app/performance?${query.toString()}`, 'Performance')
    const seconds = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
    const section = page.getByRole('region', { name: 'Cycle times' })
    await section
      .getByText(`${seconds.format((medianMs ?? NaN) / 1000)} s`, { exact: true })
      .first()
      .waitFor()
    await section.getByRole('img').waitFor()
    await section.getByText('Values as a table').click()
    assert.equal(await section.getByRole('row').count(), bins.length + 1)
    await assertAccessible(page, 'cycle times')
  })

  it('On the performance screen, the loss steps add up from all time to good parts', async () => {
    const value = async (name: string) => {
      const text = await page.locator(`[data-name="${name}"] .step-value`).innerText()
      const amountOf = (unit: string) =>
        Number(new RegExp(`([\\d,]+) ${unit}\\b`).exec(text)?.[1]?.replace(',', '') ?? 0)
      return amountOf('h') + amountOf('min') / 60 + amountOf('s') / 3600
    }
    const sum = async (names: readonly string[]) => (await Promise.all(names.map(value))).reduce((a, b) => a + b, 0)
    for (const name of ['unscheduled', 'setup', 'planned', 'unplanned'])
      if ((await value(name)) > 0)
        assert.match(await page.locator(`[data-name="${name}"] .step-value`).innerText(), /^−/, name)
    assert.closeTo(await sum(['unscheduled', 'setup', 'scheduled']), await value('all'), 0.1)
    assert.closeTo(await sum(['planned', 'unplanned', 'inCycle']), await value('scheduled'), 0.1)
    assert.closeTo(await sum(['speed', 'quality', 'good']), await value('inCycle'), 0.1)
  })

  it('A user drills down from the company to a group, a machine and an hour by keyboard, and back', async () => {
    await open('/app/performance?period=yesterday&by=machineGroup', 'Performance')
    const table = page.getByRole('table').last()
    const enter = async (name: RegExp | string) => {
      await button(name, table).first().focus()
      await page.keyboard.press('Enter')
      await loaded()
    }
    const { items } = await report('production', { data: ['oee'], groupBy: ['machineGroup', 'machine'] })
    const [{ machineGroup = '', machine = '' } = {}] = items
    await enter(String(machineGroup))
    await page.getByRole('heading', { name: 'By machine', exact: true }).waitFor()
    await enter(String(machine))
    assert.match(page.url(), /group=.*machine=.*by=hour|by=hour/)
    await page.getByRole('heading', { name: 'OEE over time' }).waitFor()
    await page.getByText('Values as a table').focus()
    await page.keyboard.press('Enter')
    const hours = page.locator('details .table tbody tr')
    assert.isAbove(await hours.count(), 10)
    await hours.first().getByRole('button').focus()
    await page.keyboard.press('Enter')
    await loaded()
    assert.match(page.url(), /from=\d{4}-\d\d-\d\dT\d\d%3A00/)
    // A step can be undone.
    const closer = page.url()
    await page.goBack()
    await page.waitForURL(/by=hour/)
    await page.goForward()
    await page.waitForURL(closer)
    await loaded()
    // The address contains the whole view: a link is enough for a colleague.
    const other = await context.newPage()
    await other.goto(`${page.url()}#key=${encodeURIComponent(testKey)}`)
    await button(`Machines: ${String(machine)}`, other).waitFor()
    await other.close()
    await button('Clear filters').click()
    await loaded()
    await button('Machines: all').waitFor()
  })

  it('The performance screen groups by two dimensions in chart, table, link and file', async () => {
    await open('/app/performance?period=days7&by=machine', 'Performance')
    await page.getByLabel('Then by').selectOption('Day')
    await page.getByRole('heading', { name: 'By machine and day' }).waitFor()
    assert.match(page.url(), /by=machine&within=day/)
    const days = {
      startDay: new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10),
      endDay: new Date().toISOString().slice(0, 10),
    }
    const { items } = await report('production', { ...days, data: ['goodParts'], groupBy: ['machine', 'day'] })
    await page
      .locator('.nested tbody tr')
      .nth(items.length - 1)
      .waitFor()
    assert.equal(await page.locator('.nested tbody tr').count(), items.length)
    await page
      .getByRole('img', { name: /^OEE over time/ })
      .last()
      .waitFor()
    assert.equal(await page.locator('.nested-name').count(), 6)
    await assertAccessible(page, 'two groupings')
    await button('Share and download').click()
    const command = page.getByRole('dialog').getByRole('region', { name: 'The same report in a shell' })
    assert.match(await command.innerText(), /"groupBy":\["machine","day"\]/)
    await page.keyboard.press('Escape')
    await page.getByLabel('Then by').selectOption('None')
    await page.getByRole('heading', { name: 'By machine', exact: true }).waitFor()
  })

  it('Two ranges of any dates are compared, with the earlier values beside the changes', async () => {
    const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
    const oeeOf = async (startDay: string, endDay: string) =>
      (await report('production', { startDay, endDay, data: ['oee'], groupBy: ['machine'] })).aggregate.oee ?? NaN
    await open(`/app/performance?period=custom&from=${dayBefore(1)}&to=${dayBefore(1)}&by=machine`, 'Performance')
    await page.getByLabel('Compare with').selectOption('From … to …')
    await page.getByLabel('Compare from', { exact: true }).fill(dayBefore(2))
    await page.getByLabel('Compare to', { exact: true }).fill(dayBefore(1))
    const before = await oeeOf(dayBefore(2), dayBefore(1))
    const by = 100 * ((await oeeOf(dayBefore(1), dayBefore(1))) - before)
    const head = page.locator('[data-figure="oee"]')
    await head.getByText(`vs. ${(100 * before).toFixed(1)}%`).waitFor()
    await head.getByText(`${by < 0 ? '−' : '+'}${Math.abs(by).toFixed(1)} points`).waitFor()
    await page.getByRole('columnheader', { name: 'Compared period' }).first().waitFor()
    assert.include(page.url(), `againstFrom=${dayBefore(2)}&againstTo=${dayBefore(1)}`)
    await assertAccessible(page, 'comparison')
    const trend = page.getByRole('region', { name: 'OEE over time' })
    const bucket = (title: string) => trend.locator('th', { hasText: title }).waitFor({ state: 'attached' })
    await bucket('Hour')
    await page.getByLabel('Compare from', { exact: true }).fill(dayBefore(9))
    await bucket('Day')
    await page.getByLabel('Group by').selectOption('Hour')
    await page.getByText('Only the last days of a range are shown: by hour at most 7.').waitFor()
    await page.getByLabel('Group by').selectOption('Machine')
    await page.getByLabel('Compare with').selectOption('Previous period')
    await page.getByRole('columnheader', { name: 'Previous period' }).first().waitFor()
    assert.notInclude(page.url(), 'against')
  })

  it('A metric is explained by its formula and inputs', async () => {
    await open('/app/performance?period=yesterday', 'Performance')
    const { aggregate } = await report('production', {
      data: ['availability', 'scheduledTime', 'scheduledTimeInCycle'],
    })
    await button('Explain Availability').click()
    const dialog = page.getByRole('dialog', { name: 'Availability' })
    await dialog.getByText('workedInCycleMs / workedMs', { exact: true }).waitFor()
    const hours = (ms: number | null | undefined) => durationText(ms ?? NaN)
    const shown = `${hours(aggregate.scheduledTimeInCycle)} / ${hours(aggregate.scheduledTime)} = ${(100 * (aggregate.availability ?? NaN)).toFixed(1)}%`
    await dialog.getByText(shown, { exact: true }).waitFor()
    await assertAccessible(page, 'explanation')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('The filters of a report offer the values in the range', async () => {
    const isBusy = { status: 429, headers: { 'retry-after': '1' }, json: { message: 'Too many reports at once' } }
    await page.route('**/reports/production', route => route.fulfill(isBusy), { times: 1 })
    await button('Shifts: all').click()
    const dialog = page.getByRole('dialog', { name: 'Shifts' })
    await dialog.getByText('Loading …').waitFor()
    await dialog.getByRole('checkbox', { name: 'Early' }).check()
    assert.match(problems.splice(0).join(), /429/)
    await assertAccessible(page, 'filter')
    await button('Apply', dialog).click()
    await button('Shifts: Early').waitFor()
    await loaded()
    const { items } = await report('production', { data: ['oee'], groupBy: ['shift'] })
    const early = items.find(({ shift }) => shift === 'Early')
    const head = page.locator('[data-figure="oee"] .value')
    assert.equal(await head.innerText(), `${(100 * (early?.oee ?? NaN)).toFixed(1)}%`)
  })

  it('A report in the application can be downloaded as files and copied as a command with the same result', async () => {
    await open('/app/performance?period=yesterday&by=machine', 'Performance')
    const { items } = await report('production', { data: ['oee'], groupBy: ['machine'] })
    await button('Share and download').click()
    const dialog = page.getByRole('dialog', { name: 'Share and download' })
    await assertAccessible(page, 'sharing')
    const download = async (name: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), button(name, dialog).click()])
      return readFileSync(await file.path())
    }
    const lines = (await download('CSV')).toString().trim().split('\r\n')
    assert.lengthOf(lines, items.length + 1)
    assert.include(lines[0], 'OEE')
    assert.equal((await download('Parquet')).subarray(0, 4).toString(), 'PAR1')
    const book = read(await download('Excel (XLSX)'))
    const rows = utils.sheet_to_json<Record<string, unknown>>(book.Sheets['production'] ?? {})
    assert.sameMembers(
      rows.map(row => row['OEE'] ?? null),
      items.map(({ oee }) => oee),
    )
    const command = await dialog.getByRole('region', { name: 'The same report in a shell' }).innerText()
    const { stdout } = await promisify(execFile)('bash', ['-c', command], {
      env: { ...process.env, TAKT_KEY: testKey },
    })
    const answer: Report = JSON.parse(stdout)
    assert.deepEqual(
      answer.items.map(({ machine, oee }) => ({ machine, oee })),
      items.map(({ machine, oee }) => ({ machine, oee })),
    )
    await page.keyboard.press('Escape')
  })

  it('The quality screen shows rejects by reason, and entered and corrected rejects appear', async () => {
    await open('/app/quality?period=days7', 'Quality')
    const pareto = page.getByRole('list', { name: 'Rejects by reason' })
    await pareto.getByText('Out of tolerance').waitFor()
    await pareto.getByText('Cumulative 100%').waitFor()
    await assertAccessible(page, 'quality')
    const figure = page.locator('[data-figure="rejectedParts"] .value')
    const rejected = async () => Number((await figure.innerText()).replaceAll(/\D/g, ''))
    const becomes = async (count: number) => {
      for (const untilMs = Date.now() + 120_000; (await rejected()) !== count && Date.now() < untilMs;) await sleep(100)
      assert.equal(await rejected(), count)
    }
    const before = await rejected()
    await button('Enter rejects').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Enter rejects' })
    await button('Save', dialog).click()
    await dialog.getByText('Select a machine.').waitFor()
    await dialog.getByText('Enter a whole number other than 0.').waitFor()
    await dialog.getByLabel('Machine', { exact: true }).selectOption({ index: 1 })
    await dialog.getByLabel('Time').fill('')
    await dialog.getByLabel('Rejected parts', { exact: true }).fill('7')
    await button('Save', dialog).click()
    await dialog.getByText('Enter date and time.').waitFor()
    await dialog.getByLabel('Time').fill(new Date().toISOString().slice(0, 16))
    await dialog.getByLabel('Reason').selectOption('Surface')
    await dialog.getByLabel('Note').fill('scratched')
    await assertAccessible(page, 'enter rejects')
    // The response is lost: after a second save, the entry counts once.
    const loseAnswer = async (route: Route) => {
      await route.fetch()
      await route.abort()
    }
    await page.route('**/part-adjustment', loseAnswer, { times: 1 })
    await dialog.getByLabel('Note').press('Enter')
    await dialog.getByText('The service does not respond').waitFor()
    assert.match(problems.splice(0).join(), /ERR_FAILED/)
    await button('Save', dialog).click()
    const row = page.getByRole('row', { name: /scratched/ })
    await row.getByText('7 parts', { exact: true }).waitFor()
    await row.getByText('Nonconforming').waitFor()
    await becomes(before + 7)
    await button(/^Edit /, row).click()
    const change = page.getByRole('dialog', { name: 'Edit entry' })
    await change.getByLabel('Rejected parts', { exact: true }).fill('4')
    await button('Save', change).click()
    await row.getByText('−4 parts').waitFor()
    await becomes(before + 4)
    await button(/^Delete /, row).click()
    await button('Delete', page.getByRole('dialog')).click()
    await row.waitFor({ state: 'detached' })
    await becomes(before)
    await pareto.getByRole('button', { name: 'Surface' }).click()
    await page.getByText('only Surface').first().waitFor()
    assert.include(page.url(), 'reason=')
  })

  it('The quality screen shows the rejects of one group, and entries of more machines than an address can contain', async () => {
    const { items } = await report('production', { data: ['rejectedParts'], groupBy: ['machineGroup'] })
    const [{ machineGroup = '', machineGroupId = '', rejectedParts = null } = {}] = items
    await open(`/app/quality?period=yesterday&group=${machineGroupId}`, 'Quality')
    await button(`Groups: ${machineGroup}`).waitFor()
    const figure = page.locator('[data-figure="rejectedParts"] .value')
    await figure.filter({ hasText: new RegExp(`^${rejectedParts}\\b`) }).waitFor()
    const statuses: string[] = []
    page.on('response', response => {
      if (response.url().includes('/part-adjustments?')) statuses.push(String(response.status()))
    })
    const unknownIds = Array.from({ length: 340 }, () => randomUUID())
    await page.evaluate(`history.replaceState(null, '', '?period=yesterday&machine=${unknownIds.join(',')}')`)
    await page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    await button('Machines: 340 selected').waitFor()
    await loaded()
    while (statuses.length < 5) await sleep(50)
    assert.deepEqual([...new Set(statuses)], ['200'])
  })

  it('The alarm screen shows active alarms, the most costly codes and each alarm', async () => {
    await open('/app/alarms?period=days7', 'Alarms')
    const { items } = await report('alarm', {
      startDay: new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10),
      endDay: new Date().toISOString().slice(0, 10),
      data: ['durationMs', 'recordCount'],
      groupBy: ['nativeCode'],
    })
    const longest = [...items].sort((a, b) => Number(b['durationMs']) - Number(a['durationMs']))[0]
    const pareto = page.getByRole('list', { name: 'Top alarm codes' })
    const name = `${String(longest?.['nativeCode'])} ${String(longest?.['nativeCodeMessage'])}`
    assert.include(await pareto.getByRole('listitem').first().innerText(), name)
    await assertAccessible(page, 'alarms')
    await pareto.getByRole('button', { name }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(`only ${name}`).waitFor()
    const codes = page.locator('tbody td[data-label="Code"]')
    const otherCodes = codes.filter({ hasNotText: String(longest?.['nativeCode']) })
    for (const untilMs = Date.now() + 120_000; (await otherCodes.count()) > 0 && Date.now() < untilMs;) await sleep(50)
    assert.equal(await otherCodes.count(), 0)
    const { body } = await service.call('GET', '/machines')
    const [machine] = shapeOf<readonly { readonly id: string; readonly name: string }[]>(body)
    const sample = { machineId: machine?.id, key: 'door', type: 'SYSTEM', timestamp: new Date().toISOString() }
    await service.call('POST', '/ingest/samples', [
      { ...sample, value: 'FAULT', nativeCode: 'D7', message: 'Door open' },
    ])
    const current = page.locator('.current-alarm', { hasText: 'Door open' })
    await current.getByText(machine?.name ?? '').waitFor()
  })

  it('The report screens explain what to do for an empty period and an unavailable service', async () => {
    await open('/app/performance?period=custom&from=2020-01-01&to=2020-01-02', 'Performance')
    await page.getByText('No data in this period.').waitFor()
    await open('/app/quality?period=custom&from=2020-01-01&to=2020-01-02', 'Quality')
    await page.getByText('No rejects in this period.').waitFor()
    await open('/app/quality?period=custom&from=2020-01-01&to=2020-01-02&reason=4711', 'Quality')
    await page.getByText('only a reason without entries in this period').waitFor()
    await button('Clear').click()
    await page.waitForURL(url => !url.searchParams.has('reason'))
    assert.equal(await page.locator('[data-figure="quality"] .value').innerText(), '–')
    await open('/app/alarms?period=custom&from=2020-01-01&to=2020-01-02', 'Alarms')
    await page.getByText('There was no alarm in this range.').waitFor()
    await open('/app/alarms?period=custom&from=2020-01-01&to=2020-01-02&code=X9', 'Alarms')
    await page.getByText('only a code without alarms in this period').waitFor()
    await button('Clear').click()
    await page.waitForURL(url => !url.searchParams.has('code'))
    await page.route('**/reports/production', route => route.abort())
    await open('/app/performance?period=yesterday', 'Performance')
    await page.getByText('The service does not respond').first().waitFor()
    await page.unroute('**/reports/production')
    problems.splice(0)
    await button('Try again').first().click()
    await page.getByText('Biggest loss').waitFor()
  })

  const screens = [
    ['/app/performance?period=yesterday', 'Performance'],
    ['/app/quality', 'Quality'],
    ['/app/alarms', 'Alarms'],
  ] as const
  testLooks(() => page, screens, open)
})

/** Duration of an hour or more, as the application shows it. */
function durationText(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  return `${hours.toLocaleString('en-US')} h ${String(minutes % 60).padStart(2, '0')} min`
}
