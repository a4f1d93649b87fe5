import { noteSkipped } from '../support/skipped.ts'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { assert } from 'chai'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { ReportRunner } from '../../api/routes/reports.ts'
import { statuses } from '../../schema/document.ts'
import { addMachine, post } from '../api/live/plant.ts'
import { adminKey, startApi, type TestApi } from '../support/api.ts'
import { startService, testKey, type TestService } from '../support/service.ts'
import { asMachineRef } from '../../schema/refs.ts'

/** Run in the page, as its file has it. */
const lowContrast = `(${readFileSync(new URL('low-contrast.js', import.meta.url), 'utf8').replace('export ', '')})()`
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

describe('the page', () => {
  let browser: Browser
  let api: TestApi
  let page: Page
  let problems: string[]
  const asked: unknown[] = []

  before(async function () {
    if (!existsSync(executablePath)) {
      noteSkipped('tests of the page', `install Chromium, or name it in CHROMIUM (none at ${executablePath})`)
      this.skip()
    }
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  after(() => browser?.close())

  beforeEach(async () => {
    api = await startApi({ production: report })
    await api.call('PUT', '/settings', { companyName: 'Mill & Co', timeZone: 'Pacific/Kiritimati' })
    page = await browser.newPage()
    problems = []
    page.on('console', message => {
      // A refused key is told by a 401, which the browser logs.
      if (message.type() === 'error' && !message.text().includes('401')) problems.push(message.text())
    })
    page.on('pageerror', error => problems.push(String(error)))
    page.on('request', request => {
      if (!request.url().startsWith(api.url)) problems.push(`asked for ${request.url()}`)
    })
  })
  afterEach(async () => {
    await page?.close()
    await api?.close()
  })

  const report: ReportRunner = async ({ body }) => {
    asked.push(body)
    const aggregate = {
      oee: 0.756,
      availability: 0.9,
      performance: null,
      quality: 1,
      goodParts: 1234,
      rejectedParts: 66,
      oeeWarningThreshold: 0.75,
      oeeFailureThreshold: 0.6,
    }
    const items = api.registrar.records
      .machines(api.registrar.company.id)
      .map(({ id }) => ({ entity: { type: 'machine', id }, aggregate }))
    const range = { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }
    return { body: { range, aggregate, entities: {}, items }, lagMs: 0 }
  }

  async function addMachines(count: number): Promise<void> {
    for (let index = 1; index <= count; index++) {
      const name = `Machine ${String(index).padStart(4, '0')}`
      await api.registrar.perform('machine.put', { id: randomUUID(), name })
      const status = statuses[index % statuses.length] ?? 'ACTIVE'
      api.statuses.set(index, { machineRef: asMachineRef(index), status, sinceMs: 0, faults: [] })
    }
  }

  it('asks for a key, refuses a wrong one, and shows the plant with the right one', async () => {
    await addMachines(4)
    await page.goto(api.url)
    await page.getByLabel('API key').fill('a wrong key, though of sufficient length')
    await page.getByRole('button', { name: 'Show machines' }).click()
    await page.getByText('The access token is invalid').waitFor()
    await page.getByLabel('API key').fill(adminKey)
    await page.getByRole('button', { name: 'Show machines' }).click()
    await page.getByText('Machine 0003').waitFor()
    await page.getByText('Mill & Co').waitFor()
    assert.isFalse(await page.getByLabel('API key').isVisible())
    assert.deepEqual(problems, [])
  })

  it('takes the key from the address, and out of it', async () => {
    await addMachines(1)
    await page.goto(`${api.url}/#key=${encodeURIComponent(adminKey)}`)
    await page.getByText('Machine 0001').waitFor()
    assert.equal(page.url(), `${api.url}/`)
    await page.reload()
    await page.getByText('Machine 0001').waitFor()
    await page.getByRole('button', { name: 'Forget key' }).click()
    await page.reload()
    assert.isTrue(await page.getByLabel('API key').isVisible())
    assert.deepEqual(problems, [])
  })

  it('shows today by the shop date, with a dash for what there is none of', async () => {
    await addMachines(1)
    await page.goto(`${api.url}/#key=${encodeURIComponent(adminKey)}`)
    const figures = page.locator('#today')
    await figures.getByText('75.6 %').waitFor()
    const numbers = await figures.locator('dd:not(.hint)').allInnerTexts()
    assert.deepEqual(numbers, ['75.6 %', '90.0 %', '–', '100.0 %', '1,234', '66'])
    assert.equal(await figures.locator('[data-level="good"]').count(), 1)
    const date = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format(new Date())
    assert.deepInclude(asked.at(-1), { startDay: date, endDay: date })
  })

  it('follows statuses while it is open', async () => {
    await addMachines(4)
    await page.goto(`${api.url}/#key=${encodeURIComponent(adminKey)}`)
    const tile = page.locator('.tile', { hasText: 'Machine 0002' })
    await tile.getByText('Active', { exact: true }).waitFor()
    api.statuses.set(2, { machineRef: asMachineRef(2), status: 'FAULT', sinceMs: 0, faults: [] })
    await tile.getByText('Fault', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Fault 2' }).click()
    assert.equal(await page.locator('.tile:visible').count(), 2)
  })

  it('holds thousands of machines, and finds one of them', async () => {
    await addMachines(3000)
    await page.goto(`${api.url}/#key=${encodeURIComponent(adminKey)}`)
    await page.getByRole('button', { name: 'All 3000' }).waitFor()
    assert.equal(await page.locator('.tile').count(), 3000)
    await page.getByLabel('Find').fill('2718')
    assert.deepEqual(await page.locator('.tile:visible').locator('.name').allTextContents(), ['Machine 2718'])
    assert.deepEqual(problems, [])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has enough contrast in ${colorScheme} mode`, async () => {
      await addMachines(4)
      await page.emulateMedia({ colorScheme })
      await page.goto(`${api.url}/#key=${encodeURIComponent(adminKey)}`)
      await page.getByText('Machine 0004').waitFor()
      await page.locator('#today').getByText('75.6 %').waitFor()
      assert.deepEqual(await page.evaluate<string[]>(lowContrast), [])
    })
})

describe('the page with live channels', function () {
  this.timeout(60_000)
  let browser: Browser
  let service: TestService

  before(async function () {
    if (!existsSync(executablePath)) this.skip()
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    service = await startService()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  it('shows a change of status at once, and asks for the list no more than now and then', async () => {
    const machineId = await addMachine(service)
    const page = await browser.newPage()
    const problems: string[] = []
    let lists = 0
    page.on('console', message => message.type() === 'error' && problems.push(message.text()))
    page.on('request', request => {
      if (request.url() === `${service.url}/machines`) lists++
    })
    const opened = page.waitForEvent('websocket')
    await page.goto(`${service.url}/#key=${encodeURIComponent(testKey)}`)
    const socket = await opened
    await socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"UNAVAILABLE"'))
    for (const [value, shown] of [
      ['ACTIVE', 'Active'],
      ['READY', 'Inactive'],
      ['ACTIVE', 'Active'],
    ] as const) {
      await post(service, machineId, [{ at: Date.now() - 10, key: 'execution', type: 'EXECUTION', value }])
      await page.locator('.tile').getByText(shown, { exact: true }).waitFor()
      await page.getByRole('button', { name: `${shown} 1` }).waitFor()
    }
    assert.isAtMost(lists, 2)
    assert.deepEqual(problems, [])
  })
})
