import { buffer as streamBuffer } from 'node:stream/consumers'
import { assert } from 'chai'
import { read, utils } from 'xlsx'
import type { Browser, Locator, Page } from 'playwright-core'
import type { MetricName } from '../../schema/metrics.ts'
import type { PartAdjustmentResponse } from '../../schema/records/part-adjustment.ts'
import type { DowntimeRecordResponse } from '../../schema/requests/downtime-records.ts'
import { dayMs, hourMs, minuteMs } from '../../shared/time/units.ts'
import { post, shapeOf } from '../api/live/plant.ts'
import { fixClock, openChromium, watchPage } from '../support/chromium.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

/** A Thursday: the week and the month began days ago. */
const nowMs = Date.parse('2026-03-12T13:20:00Z')
const firstDayMs = Date.parse('2026-02-01T00:00:00Z')
const todayMs = Date.parse('2026-03-12T00:00:00Z')

const night = 'c0000000-0000-4000-8000-000000000001'
const milling = 'b0000000-0000-4000-8000-000000000001'

/** A machine, and the minute of today since which it is stopped; null: in cycle. */
interface Machine {
  readonly id: string
  readonly name: string
  readonly stoppedAt: number | null
  /** Whether it should be in cycle by day. */
  readonly isScheduled: boolean
}

function machine(number: number, name: string, stoppedAt: number | null, isScheduled = true): Machine {
  return { id: `a0000000-0000-4000-8000-00000000000${number}`, name, stoppedAt, isScheduled }
}

const lathe1 = machine(1, 'Lathe 1', 13 * 60)
const mill1 = machine(3, 'Mill 1', 13 * 60 + 15)
const mill2 = machine(4, 'Mill 2', 12 * 60 + 30)
const plant: readonly Machine[] = [lathe1, machine(2, 'Lathe 2', null), mill1, mill2, machine(5, 'Saw', 8 * 60, false)]

/** Minutes of a stop from ten o'clock on. */
function stopMinutes({ name }: Machine, dayStartMs: number): number {
  if (name === 'Lathe 2' && dayStartMs === todayMs - 2 * dayMs) return 8 * 60
  return name.startsWith('Mill') && dayStartMs >= Date.parse('2026-03-01') ? 90 : 60
}

/** Values of EXECUTION: a stop each day, and the one of now. */
function* executionOf(of: Machine) {
  for (let dayStartMs = firstDayMs; dayStartMs < todayMs; dayStartMs += dayMs) {
    const stopMs = dayStartMs + 10 * hourMs
    yield [dayStartMs + hourMs, 'ACTIVE'] as const
    yield [stopMs, 'READY'] as const
    yield [stopMs + stopMinutes(of, dayStartMs) * minuteMs, 'ACTIVE'] as const
  }
  if (of.stoppedAt !== null) yield [todayMs + of.stoppedAt * minuteMs, 'READY'] as const
}

/**
 * The tasks of a user about the losses of a plant, with names and texts that the page shows. A click, a key that acts and a text in a field are
 * one interaction each; a choice from a list is two.
 */
describe('the tasks of a shift leader', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]
  let interactions = 0

  before(async function () {
    browser = await openChromium(this)
    service = await startService({ nowMs })
    await put('/settings', { companyName: 'Mill & Co', timeZone: 'UTC', startOfDay: '00:00' })
    const shifts = [{ name: 'Night', days: [1, 2, 3, 4, 5, 6, 7], start: '22:00', end: '06:00' }]
    await put(`/schedules/${night}`, { name: 'Night', versions: [{ effectiveFrom: null, shifts }], exceptions: [] })
    const commissionedAt = new Date(firstDayMs).toISOString()
    for (const { id, name, isScheduled } of plant)
      await put(`/machines/${id}`, { name, commissionedAt, scheduleId: isScheduled ? null : night })
    for (const [id, name, start] of [
      [milling, 'Milling', 'Mill'],
      ['b0000000-0000-4000-8000-000000000002', 'Turning', 'Lathe'],
    ] as const) {
      const machineIds = plant.filter(each => each.name.startsWith(start)).map(each => each.id)
      await put(`/machine-groups/${id}`, { name, machineIds })
    }
    for (const name of ['Tool change', 'Material missing'])
      assert.equal((await service.call('POST', '/downtime-reasons', { name, planned: false })).status, 200)
    for (const each of plant) {
      const samples = [...executionOf(each)].map(([at, value]) => ({
        at,
        key: 'execution',
        type: 'EXECUTION',
        value,
      }))
      await post(service, each.id, samples)
    }
    await service.settled()
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
    page = await context.newPage()
    problems = watchPage(page, service.url)
    await fixClock(page, nowMs)
    await page.goto(`${service.url}/app/account#key=${encodeURIComponent(testKey)}`)
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })
  beforeEach(async () => {
    await page.goto(service.url)
    await tile('Mill 2').waitFor()
    interactions = 0
  })
  afterEach(() => {
    assert.deepEqual(problems.splice(0), [])
  })

  async function put(path: string, body: object): Promise<void> {
    assert.equal((await service.call('PUT', path, body)).status, 200, path)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const tiles = () => page.getByRole('button', { name: /since \d\d:\d\d/ })
  const tile = (name: string) => tiles().filter({ hasText: name })

  async function click(target: Locator): Promise<void> {
    interactions += 1
    await target.click()
  }
  async function press(key: string): Promise<void> {
    interactions += 1
    await page.keyboard.press(key)
  }
  async function enter(label: string, text: string): Promise<void> {
    interactions += 1
    await page.getByLabel(label, { exact: true }).fill(text)
  }
  /** Opens a list and chooses an option. */
  async function choose(label: string, option: string): Promise<void> {
    interactions += 2
    await page.getByLabel(label, { exact: true }).selectOption({ label: option })
  }

  async function stops(query: string): Promise<readonly DowntimeRecordResponse[]> {
    await service.settled()
    const { status, body } = await service.call('GET', `/downtime-records?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return shapeOf<readonly DowntimeRecordResponse[]>(body)
  }

  it('The biggest loss of the week gets its reason in at most 8 interactions', async () => {
    await click(link('Performance'))
    await page.getByText(/^Unplanned downtime: /).waitFor()
    await click(link('Assign reasons'))
    const longest = page.getByRole('row', { name: /Lathe 2/ }).first()
    await click(longest.getByText('8 h 00 min'))
    await press('1')
    await page.getByText(/^1 × Tool change\. .*: 0 s → 8 h 00 min/).waitFor()
    assert.isAtMost(interactions, 8)
    const [worst] = await stops('start=2026-03-09T00:00:00Z&orderBy=duration&direction=DESC&limit=1')
    assert.deepInclude(worst, { durationMs: 8 * hourMs, reason: 'Tool change' })
  })

  it('This month is compared with the previous one for one machine group in at most 6 interactions', async () => {
    await click(link('Performance'))
    await choose('Period', 'This month')
    await click(page.getByRole('button', { name: 'Groups: all' }))
    await click(page.getByLabel('Milling', { exact: true }))
    await click(button('Apply'))
    const availability = async (range: object) => {
      const body = { ...range, data: [{ metric: 'availability' }], filter: { machineGroup: [milling] } }
      const { body: answer } = await service.call('POST', '/reports/production', body)
      const { aggregate } = shapeOf<{ aggregate: Readonly<Record<MetricName, number>> }>(answer)
      return `${(100 * aggregate.availability).toFixed(1)}%`
    }
    const now = await availability({ startDay: '2026-03-01', endDay: '2026-03-12' })
    const before = await availability({ start: '2026-02-01T00:00:00Z', end: '2026-02-12T13:20:00Z' })
    assert.notEqual(now, before)
    const head = page.getByRole('button', { name: /^Availability/ }).filter({ hasText: now })
    await head.getByText(`vs. ${before}`).waitFor()
    assert.isAtMost(interactions, 6)
  })

  it('All machines that are down for more than 10 min in their shift are found, and one gets its reason, in at most 4 interactions', async () => {
    await choose('Sort by', 'Longest stop')
    await tiles().first().getByText('Mill 2').waitFor()
    const texts = await tiles().allInnerTexts()
    const down = texts.filter(text => !/Active|Not scheduled/.test(text) && minutesIn(text) > 10)
    const isLongDown = ({ stoppedAt, isScheduled }: Machine) =>
      isScheduled && stoppedAt !== null && todayMs + stoppedAt * minuteMs < nowMs - 10 * minuteMs
    const expected = plant.filter(isLongDown).map(({ name }) => name)
    assert.sameMembers(
      down.map(text => plant.find(({ name }) => text.includes(name))?.name),
      expected,
    )
    assert.deepEqual(down, texts.slice(0, expected.length), 'they come first')
    await click(tiles().first())
    await click(button('Material missing'))
    await page
      .getByText(/Material missing/)
      .and(page.getByRole('status'))
      .waitFor()
    assert.isAtMost(interactions, 4)
    const [open] = await stops(`start=2026-03-12T13:00:00Z&machineId=${mill2.id}`)
    assert.deepInclude(open, { endAt: null, reason: 'Material missing' })
  })

  /** The duration that a tile shows, in minutes. */
  function minutesIn(text: string): number {
    const [, hours = '0', minutes = '0'] = /· (?:(\d+) h )?(\d+) min/.exec(text) ?? []
    return Number(hours) * 60 + Number(minutes)
  }

  it('Scrap of a machine is entered in at most 5 interactions', async () => {
    await click(tile('Lathe 1'))
    await click(button('Enter rejects'))
    await enter('Rejected parts', '3')
    await click(button('Save'))
    await page.getByText('The rejects are saved.').waitFor()
    assert.isAtMost(interactions, 5)
    const { body } = await service.call('GET', '/part-adjustments?start=2026-03-12T00:00:00Z')
    const [entry, ...others] = shapeOf<readonly PartAdjustmentResponse[]>(body)
    assert.deepInclude(entry, { machine_id: lathe1.id, scrapcount: 3 })
    assert.isEmpty(others)
  })

  it('The downtime of the last week is downloaded as XLSX in at most 4 interactions', async () => {
    const lastWeek = 'start=2026-03-02T00:00:00Z&end=2026-03-09T00:00:00Z'
    const ofWeek = await stops(lastWeek)
    const [first] = ofWeek
    const body = { records: [first?.id], reasonId: 1 }
    assert.equal((await service.call('POST', '/downtime-records/categorize', body)).status, 200)
    await click(link('Downtime'))
    await choose('Period', 'Last week')
    const [file] = await Promise.all([page.waitForEvent('download'), click(button('Excel (XLSX)'))])
    assert.isAtMost(interactions, 4)
    const { Sheets } = read(await streamBuffer(await file.createReadStream()))
    const rows = utils
      .sheet_to_csv(Sheets['Stops'] ?? {})
      .trim()
      .split('\n')
    assert.lengthOf(rows, ofWeek.length + 1)
    assert.lengthOf(
      rows.filter(row => row.includes('Tool change')),
      1,
    )
  })

  it('Floor and Machine show the same start of a stop in which the status changed', async () => {
    const at = todayMs + (13 * 60 + 17) * minuteMs
    const fault = { key: 'system', type: 'SYSTEM', category: 'CONDITION', value: 'FAULT', nativeCode: 'E1' }
    await post(service, mill1.id, [{ at, ...fault, message: 'Chip conveyor is jammed' }])
    await service.settled()
    await page.goto(service.url)
    await tile('Mill 1').getByText('Fault', { exact: true }).waitFor()
    await tile('Mill 1').getByText('since 13:15', { exact: true }).waitFor()
    await tile('Mill 1').click()
    await link('Timeline').click()
    const status = page.locator('.machine-status')
    await status.getByText('Fault', { exact: true }).waitFor()
    await status.getByText('since 13:15 · 5 min', { exact: true }).waitFor()
  })
})
