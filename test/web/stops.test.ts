import { buffer as streamBuffer, text as streamText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from 'chai'
import { read, utils } from 'xlsx'
import type { Browser, Page } from 'playwright-core'
import type { DowntimeRecordResponse } from '../../schema/requests/downtime-records.ts'
import { hourMs, minuteMs } from '../../shared/time/units.ts'
import { post, shapeOf } from '../api/live/plant.ts'
import { assertAccessible, openChromium, testLooks, watchPage } from '../support/chromium.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

const machines = {
  lathe: 'a0000000-0000-4000-8000-000000000001',
  mill: 'a0000000-0000-4000-8000-000000000002',
} as const

const group = 'b0000000-0000-4000-8000-000000000001'

/** One service with several hours of two machines; each test of the screens Downtime and Machine continues the previous one. */
describe('the downtime and machine screens', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]
  const settings = { companyName: 'Mill & Co', timeZone: 'Europe/Berlin', startOfDay: '00:00' }
  /** The plant's past ends now, so that its last state is live. */
  const startMs = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs
  const at = (minutes: number) => startMs + minutes * minuteMs

  before(async function () {
    browser = await openChromium(this)
    service = await startService()
    assert.equal((await service.call('PUT', '/settings', settings)).status, 200)
    for (const [name, id] of Object.entries(machines)) {
      const body = {
        name: name === 'lathe' ? 'Lathe 1' : 'Mill 2',
        make: 'Mazak',
        erpMachineId: name,
        commissionedAt: new Date(startMs).toISOString(),
      }
      assert.equal((await service.call('PUT', `/machines/${id}`, body)).status, 200)
    }
    const mills = { name: 'Mills', machineIds: [machines.mill] }
    assert.equal((await service.call('PUT', `/machine-groups/${group}`, mills)).status, 200)
    for (const [name, color, planned] of [
      ['Tool change', '#2f7ed8', true],
      ['Material missing', '#c2571a', false],
      ['Cleaning', '#2a9d74', true],
    ] as const)
      assert.equal((await service.call('POST', '/downtime-reasons', { name, color, planned })).status, 200)
    await execute(machines.lathe, {
      0: 'ACTIVE',
      30: 'READY',
      55: 'ACTIVE',
      90: 'READY',
      100: 'ACTIVE',
      200: 'READY',
      212: 'ACTIVE',
    })
    await execute(machines.mill, { 0: 'ACTIVE', 60: 'READY', 100: 'ACTIVE', 150: 'READY', 155: 'ACTIVE' })
    const speeds = Array.from({ length: 300 }, (_, minute) => ({
      at: at(minute) + 1,
      key: 'spindle_speed',
      type: 'ROTARY_VELOCITY',
      value: Math.round(1000 + 400 * Math.sin(minute / 9)),
    }))
    await post(service, machines.lathe, speeds)
    await post(service, machines.lathe, [
      {
        at: at(30),
        key: 'system',
        type: 'SYSTEM',
        category: 'CONDITION',
        value: 'FAULT',
        nativeCode: 'E42',
        message: 'Chuck open',
      },
      { at: at(52), key: 'system', type: 'SYSTEM', category: 'CONDITION', value: 'NORMAL', nativeCode: 'E42' },
    ])
    const operation = { jobName: 'J-7', operationName: '10', partName: 'Flange' }
    assert.equal((await service.call('PUT', '/operators/ann', { name: 'Ann' })).status, 200)
    const signIn = { machineId: machines.lathe, operatorId: 'ann', startAt: new Date(at(20)).toISOString() }
    assert.equal((await service.call('POST', '/operator-runs', signIn)).status, 200)
    assert.equal((await service.call('PUT', '/job-operations/j7', operation)).status, 200)
    await service.settled()
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    page = await context.newPage()
    problems = watchPage(page, service.url)
    await page.goto(`${service.url}/app/downtime?period=days7#key=${encodeURIComponent(testKey)}`)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })
  afterEach(() => {
    assert.deepEqual(problems.splice(0), [])
  })

  function execute(machineId: string, changes: Readonly<Record<number, string>>): Promise<void> {
    const samples = Object.entries(changes).map(([minutes, value]) => ({
      at: at(Number(minutes)),
      key: 'execution',
      type: 'EXECUTION',
      value,
    }))
    return post(service, machineId, samples)
  }
  /** Puts two reasons in the group Setup, one of them for mills only; or in no group, for all machines. */
  async function groupReasons(isGrouped = true): Promise<void> {
    const tool = { name: 'Tool change', color: '#2f7ed8', planned: true }
    const cleaning = { name: 'Cleaning', color: '#2a9d74', planned: true }
    const inSetup = isGrouped ? 'Setup' : null
    for (const [id, body] of [
      [1, { ...tool, group: inSetup, machineGroupIds: isGrouped ? [group] : [] }],
      [3, { ...cleaning, group: inSetup }],
    ] as const)
      assert.equal((await service.call('PUT', `/downtime-reasons/${id}`, body)).status, 200)
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  const rows = () => page.locator('.stops tbody tr')
  /** Pixels from the heading of the stops to their list, which are read together: the page may scroll in between. */
  const depthOfList = async () => {
    const heading = await page.getByRole('heading', { name: 'Stops' }).elementHandle()
    return page
      .locator('.stops')
      .evaluate(
        (list, other) => list.getBoundingClientRect().top - (other?.getBoundingClientRect().top ?? NaN),
        heading,
      )
  }
  const figure = (name: string) => page.locator(`[data-figure="${name}"] .value`)
  const stops = async (query = '') =>
    shapeOf<readonly DowntimeRecordResponse[]>(
      (await service.call('GET', `/downtime-records?start=${new Date(startMs).toISOString()}${query}`)).body,
    )
  const shots = process.env['TAKT_SHOTS']
  async function shoot(name: string): Promise<void> {
    if (shots === undefined) return
    for (const [size, viewport] of Object.entries({
      phone: { width: 390, height: 844 },
      desk: { width: 1440, height: 900 },
      wall: { width: 2560, height: 1440 },
    }))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize(viewport)
        await page.waitForTimeout(400)
        await page.screenshot({ path: `${shots}/${name}-${size}-${colorScheme}.png` })
      }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  it('Uncategorized stops are listed by length, with their totals', async () => {
    await page.getByRole('heading', { level: 1, name: 'Downtime' }).waitFor()
    await rows().first().waitFor()
    const shown = await rows().allInnerTexts()
    assert.lengthOf(shown, 5)
    assert.match(shown[0] ?? '', /Mill 2[^]*40 min 00 s/)
    assert.match(shown[1] ?? '', /Lathe 1[^]*25 min 00 s/)
    assert.equal(await figure('total').innerText(), '1 h 32 min')
    assert.equal(await figure('stops').innerText(), '5')
    assert.equal(await figure('share').innerText(), '0%')
    const machinesOfBars = page.getByRole('list', { name: 'By machine' }).getByRole('button')
    await machinesOfBars.first().waitFor()
    assert.deepEqual(await machinesOfBars.allInnerTexts(), ['Lathe 1', 'Mill 2'])
    await assertAccessible(page, 'downtime')
    await shoot('downtime-open')
  })

  it('A stop is categorized by keyboard, and the effect on the report is shown immediately', async () => {
    const depth = await depthOfList()
    await page.locator('.stops tbody tr').first().locator('td').nth(1).click()
    await page.keyboard.press('2')
    await page
      .getByText(
        '1 × Material missing. Material missing: 0 s → 40 min 00 s. Uncategorized: 1 h 32 min → 52 min 00 s.',
        { exact: false },
      )
      .waitFor()
    assert.equal(await rows().count(), 4)
    assert.equal(await depthOfList(), depth, 'the message moves no row under the pointer')
    assert.equal(await figure('share').innerText(), '43%')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.keyboard.press('1')
    await page.getByText('2 × Tool change. Tool change: 0 s → 35 min 00 s.').waitFor()
    assert.equal(await rows().count(), 2)
    const given = await stops('&reason=1')
    assert.sameMembers(
      given.map(({ durationMs }) => durationMs / minuteMs),
      [25, 10],
    )
  })

  it('Undo reverts the last change of a reason', async () => {
    await button('Undo').click()
    await page.getByText('Undo Tool change: 35 min 00 s → 0 s.').waitFor()
    assert.equal(await rows().count(), 4)
    assert.deepEqual((await stops('&reason=1')).length, 0)
  })

  it('A stop gets a note, is split, and its parts are merged', async () => {
    await page.locator('.stops input').first().focus()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').selectOption('Cleaning')
    await dialog.getByLabel('Note').fill('Chips in the chuck')
    await assertAccessible(page, 'note')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1 × Cleaning.').waitFor()
    await button(/^All/).click()
    const row = page.getByRole('row', { name: /Cleaning Chips in the chuck/ })
    await row.waitFor()
    assert.match(await row.innerText(), /Lathe 1[^]*25 min 00 s[^]*Cleaning/)
    await row.getByRole('checkbox').focus()
    await page.keyboard.press('s')
    await dialog.getByLabel(/^Split at/).fill('600')
    await dialog.getByRole('group', { name: 'After' }).getByLabel('Reason').selectOption('Cleaning')
    await dialog.getByText('The parts need different reasons').waitFor()
    await dialog.getByRole('group', { name: 'After' }).getByLabel('Reason').selectOption('Tool change')
    await assertAccessible(page, 'split')
    await shoot('downtime-split')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2 × Cleaning, Tool change.').waitFor()
    await page.getByRole('row', { name: /10 min 00 s Cleaning/ }).waitFor()
    const parts = (await stops()).filter(({ reasonId }) => reasonId === '1' || reasonId === '3')
    assert.deepEqual(
      parts.map(({ reason, durationMs, note }) => [reason, durationMs / minuteMs, note]),
      [
        ['Cleaning', 10, 'Chips in the chuck'],
        ['Tool change', 15, ''],
      ],
    )
    await page
      .getByRole('row', { name: /10 min 00 s Cleaning/ })
      .getByRole('checkbox')
      .check()
    await page
      .getByRole('row', { name: /15 min 00 s Tool change/ })
      .getByRole('checkbox')
      .check()
    await button('Merge …').click()
    await dialog.getByLabel('Reason').selectOption('Cleaning')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /25 min 00 s Cleaning/ }).waitFor()
    await shoot('downtime')
  })

  it('Undo is offered only for a change that it can revert completely', async () => {
    const row = (name: RegExp) => page.getByRole('row', { name })
    const reason = (name: string) => page.locator('.reason-key', { hasText: name })
    const splitAgain = async () => {
      await row(/25 min 00 s Cleaning/)
        .getByRole('checkbox')
        .focus()
      await page.keyboard.press('s')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(/^Split at/).fill('600')
      await dialog.getByRole('group', { name: 'After' }).getByLabel('Reason').selectOption('Tool change')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await row(/15 min 00 s Tool change/).waitFor()
    }
    await splitAgain()
    await button('Undo').click()
    await row(/25 min 00 s Cleaning/).waitFor()
    const [whole] = await stops('&reason=3')
    assert.deepEqual([whole?.durationMs, whole?.note], [25 * minuteMs, 'Chips in the chuck'])
    await splitAgain()
    await row(/10 min 00 s Cleaning/)
      .getByRole('checkbox')
      .check()
    // With the reason of its neighbour, the stop merges with it.
    await reason('Tool change').click()
    await row(/25 min 00 s Tool change/).waitFor()
    assert.equal(await button('Undo').count(), 0)
    await row(/25 min 00 s Tool change/)
      .getByRole('checkbox')
      .check()
    // After the change, a failed report does not count as a failed change.
    await page.route('**/reports/downtime', route => route.abort(), { times: 1 })
    await reason('Cleaning').click()
    await page.getByText(/^1 × Cleaning\. .*Cleaning: .+ → 25 min 00 s\./).waitFor()
    assert.isAtMost(problems.splice(0).length, 2)
  })

  it('The reports are shown even if the range is too long for the list, and for one group of machines', async () => {
    await page.goto(
      `${service.url}/app/downtime?period=custom&from=2024-01-01&to=${new Date().toISOString().slice(0, 10)}`,
    )
    await page.locator('.stops-head').waitFor()
    await page.getByRole('alert').getByText('366 days', { exact: false }).waitFor()
    assert.equal(await figure('total').innerText(), '1 h 32 min')
    problems.splice(0)
    await page.goto(`${service.url}/app/downtime?period=days7&reason=all&group=${group}`)
    await button('Groups: Mills').waitFor()
    await rows().first().waitFor()
    const shown = await rows().allInnerTexts()
    assert.lengthOf(shown, 2)
    for (const text of shown) assert.include(text, 'Mill 2')
    assert.equal(await figure('total').innerText(), '45 min 00 s')
    await page.goto(`${service.url}/app/downtime?period=days7&reason=all`)
    await rows().first().waitFor()
  })

  it('Reasons are listed under their groups, and only those that apply to the machines of the selected stops', async () => {
    await groupReasons()
    await page.reload()
    const palette = page.getByRole('complementary', { name: 'Assign reason' })
    const keys = async () => {
      const shown = await palette.locator('.reason-key').allInnerTexts()
      return shown.map(text => text.replace(/\s+/g, ' '))
    }
    await palette.getByRole('heading', { level: 4, name: 'Setup' }).waitFor()
    assert.lengthOf(await palette.getByRole('list', { name: 'Setup' }).getByRole('button').all(), 2)
    assert.deepEqual(await keys(), ['Material missing 1', 'Tool change 2', 'Cleaning 3', 'Remove reason 0'])
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) }).first()
    // A second click on a row clears its selection.
    await row('Mill 2').locator('td').nth(1).click({ clickCount: 2 })
    assert.include(await keys(), 'Tool change 2')
    await row('Lathe 1').locator('td').nth(1).click()
    await palette.getByRole('button', { name: 'Tool change' }).waitFor({ state: 'detached' })
    assert.deepEqual(await keys(), ['Material missing 1', 'Cleaning 2', 'Remove reason 0'])
    await page.keyboard.press('n')
    const options = page.getByRole('dialog').getByLabel('Reason').locator('option')
    await options.filter({ hasText: 'Setup: Cleaning' }).waitFor({ state: 'attached' })
    assert.includeMembers(await options.allTextContents(), ['Material missing', 'Setup: Cleaning'])
    await page.keyboard.press('Escape')
    await row('Mill 2').getByRole('checkbox').check()
    assert.deepEqual(await keys(), ['Material missing 1', 'Cleaning 2', 'Remove reason 0'])
    await assertAccessible(page, 'groups of reasons')
    await shoot('downtime-groups')
    await palette.getByText('New reason').click()
    await palette.getByLabel('Reason', { exact: true }).fill('Fixture change')
    await palette.getByLabel('Group of reasons').fill('Setup')
    await assertAccessible(page, 'a new reason in a group')
    await button('Add reason').click()
    await palette.getByRole('list', { name: 'Setup' }).getByRole('button', { name: 'Fixture change' }).waitFor()
    assert.equal((await service.call('DELETE', '/downtime-reasons/4')).status, 200)
    await groupReasons(false)
    await page.reload()
    await rows().first().waitFor()
  })

  it('Short stops of a machine are one row, which gets a reason like a stop, and the focus stays in the list', async () => {
    assert.equal((await service.call('PUT', '/settings', { ...settings, microstopMs: 15 * minuteMs })).status, 200)
    await page.reload()
    const short = page.getByRole('row', { name: /Lathe 1 2 microstops 22 min 00 s each shorter than 15 min/ })
    await short.waitFor()
    assert.lengthOf(await rows().allInnerTexts(), 4)
    await page.getByRole('row', { name: /Mill 2 1 microstop 5 min/ }).waitFor()
    await assertAccessible(page, 'short stops')
    await shoot('downtime-short')
    await short.locator('td').nth(1).click()
    await page.keyboard.press('1')
    await page.getByText(/^2 × Tool change\. Tool change: 0 s → 22 min 00 s\./).waitFor()
    assert.sameMembers(
      (await stops('&reason=1')).map(({ durationMs }) => durationMs / minuteMs),
      [10, 12],
    )
    const focused = () => page.evaluate<boolean>("document.activeElement?.closest('.stops-root') !== null")
    assert.isTrue(await focused())
    await button('Undo').click()
    await page.getByText(/^Undo Tool change: 22 min 00 s → 0 s/).waitFor()
    assert.lengthOf(await stops('&reason=1'), 0)
    assert.isTrue(await focused())
    const [file] = await Promise.all([page.waitForEvent('download'), button('CSV').click()])
    assert.match(file.suggestedFilename(), /^Stops_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/)
    const text = await streamText(await file.createReadStream())
    assert.include(text, ',40,1,Material missing,')
    assert.include(text, 'Lathe 1,,,22,2,,')
    const [book] = await Promise.all([page.waitForEvent('download'), button('Excel (XLSX)').click()])
    assert.match(book.suggestedFilename(), /^Stops_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.xlsx$/)
    const { Sheets } = read(await streamBuffer(await book.createReadStream()))
    const csv = utils.sheet_to_csv(Sheets['Stops'] ?? {})
    assert.include(csv, ',40.00,1,Material missing,')
    assert.include(csv, 'Lathe 1,,,22.00,2,,')
    assert.equal((await service.call('PUT', '/settings', settings)).status, 200)
    await page.reload()
    await rows().nth(4).waitFor()
  })

  it('The report of the downtime screen is shared as a command with its filters, and as a file', async () => {
    await page.goto(`${service.url}/app/downtime?period=days7&machine=${machines.mill}`)
    await button('Share and download').click()
    const dialog = page.getByRole('dialog', { name: 'Share and download' })
    await dialog.getByText(/\/reports\/downtime.*"groupBy":\["reason"\]/s).waitFor()
    await dialog.getByText(machines.mill).last().waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'CSV', exact: true }).click(),
    ])
    assert.include(await streamText(await file.createReadStream()), 'Uncategorized')
    await page.keyboard.press('Escape')
  })

  it('A period that does not exist is named in a message', async () => {
    await page.goto(`${service.url}/app/downtime?period=last_week`)
    await page.getByText('Unknown period “last_week”. Shown: This week.').waitFor()
    await page.goto(`${service.url}/app/downtime?period=days7&reason=all`)
    await rows().first().waitFor()
  })

  it('A bar of the downtime screen opens its stops and puts the selection into the address', async () => {
    await page.getByRole('list', { name: 'By reason' }).getByRole('button', { name: 'Material missing' }).click()
    await page.getByRole('button', { name: /^Only: Material missing/ }).waitFor()
    await page
      .getByRole('row', { name: /Uncategorized/ })
      .first()
      .waitFor({ state: 'detached' })
    assert.equal(await rows().count(), 1)
    await page.reload()
    await page.getByRole('row', { name: /Mill 2/ }).waitFor()
    assert.include(page.url(), 'reason=2')
  })

  it('A stop opens the timeline of its machine, which shows each lane at the cursor', async () => {
    await button(/^All/).click()
    await page
      .getByRole('row', { name: /25 min 00 s Cleaning/ })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { level: 1, name: 'Lathe 1' }).waitFor()
    const picture = page.getByRole('application')
    await picture.focus()
    await page.keyboard.press('ArrowRight')
    const lane = (name: string) => page.locator(`.lane-reading [data-lane="${name}"] dd`)
    await lane('downtime').getByText('Cleaning · 25 min 00 s').waitFor()
    assert.equal(await lane('states').innerText(), 'Fault · 22 min 00 s')
    assert.equal(await lane('alarms').innerText(), 'E42 Chuck open')
    assert.equal(await lane('operators').innerText(), 'Ann')
    assert.equal(await lane('jobs').innerText(), '–')
    assert.match(await lane('shifts').innerText(), /–/)
    await page.getByRole('complementary', { name: 'Settings' }).getByText('Mazak').waitFor()
    const metric = page.locator('.metric', { hasText: 'spindle_speed' })
    assert.match(await metric.innerText(), /^Rotary velocity\s+spindle_speed\s+[\d,.]+ to [\d,.]+ rev\/min/)
    assert.match(await page.locator('.lane-legend').innerText(), /Cleaning\s+25 min 00 s/)
    await shoot('machine-stop')
  })

  it('The machine screen has the metrics of the day, equal to the report', async () => {
    const today = page.getByRole('region', { name: 'Today' })
    await today.locator('[aria-busy="false"]').waitFor()
    const figure = today.locator('.figure', { has: page.getByText('Availability', { exact: true }) })
    const shown = await figure.locator('.value').innerText()
    const day = new Date().toLocaleDateString('sv', { timeZone: settings.timeZone })
    const request = { startDay: day, endDay: day, data: ['availability'], filter: { machine: [machines.lathe] } }
    const { body } = await service.call('POST', '/reports/production', request)
    const { range, aggregate } = shapeOf<{
      readonly range: { readonly start: string; readonly end: string }
      readonly aggregate: { readonly availability: number }
    }>(body)
    // The machine goes on, and the screen may be a minute old: a large share of a day that has just begun.
    const minutes = (Date.parse(range.end) - Date.parse(range.start)) / minuteMs
    assert.closeTo(Number.parseFloat(shown), aggregate.availability * 100, Math.max(1, 100 / minutes))
    await today.getByText('no ideal part time').waitFor()
  })

  it('The timeline zooms from a year to seconds and back by keyboard, with the range in the address', async () => {
    const shownMs = (name: 'from' | 'to') => Date.parse(new URL(page.url()).searchParams.get(name) ?? '')
    await page.getByRole('application').focus()
    for (let turn = 0; turn < 11; turn++) await page.keyboard.press('+')
    while (!(shownMs('to') - shownMs('from') < 3000)) await page.waitForTimeout(50)
    const zoomedFromMs = shownMs('from')
    await page.getByRole('application').focus()
    for (let turn = 0; turn < 6; turn++) await page.keyboard.press('Shift+ArrowLeft')
    while (!(shownMs('from') < zoomedFromMs)) await page.waitForTimeout(50)
    await button('1 year').click()
    await page.waitForURL(/span=31536000000/)
    await page.locator('.lane-reading').waitFor()
    await button('8 hours').click()
    await page.waitForURL(/span=28800000/)
    await page.reload()
    await page.getByRole('application').waitFor()
    await page.locator('.metric').first().waitFor()
    await shoot('machine')
  })

  it('A span that is chosen while the timeline moves is kept', async () => {
    await page.getByRole('application').focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.waitForTimeout(100)
    await button('8 hours').evaluate((element: { click(): void }) => {
      element.click()
      // The page is busy until after the moment at which it would have written the moved window to the address.
      const startMs = performance.now()
      while (performance.now() - startMs < 500);
    })
    await page.waitForTimeout(500)
    assert.include(page.url(), 'span=28800000')
  })

  it('The right edge of the timeline follows the machine', async () => {
    await page.locator('.machine-status').getByText('Active').waitFor()
    await button('1 hour').click()
    await page
      .locator('.lane-reading [data-lane="states"] dd')
      .getByText(/^Active/)
      .waitFor()
    await page.mouse.move(0, 0)
    await post(service, machines.lathe, [{ at: Date.now() - 500, key: 'execution', type: 'EXECUTION', value: 'READY' }])
    await page.locator('.machine-status').getByText('Inactive').waitFor()
    await page
      .locator('.lane-reading [data-lane="states"] dd')
      .getByText(/^Inactive/)
      .waitFor()
    await page
      .locator('.lane-reading [data-lane="downtime"] dd')
      .getByText(/^Uncategorized/)
      .waitFor()
  })

  it('A timeline with a fixed start follows the present even with slow responses', async () => {
    await page.route(/\/timeline\?/, async route => {
      await sleep(1300)
      await route.continue()
    })
    const from = new Date(Date.now() - 10 * minuteMs).toISOString()
    await page.goto(`${service.url}/app/machine?machine=${machines.lathe}&from=${from}`)
    await page.locator('.lane-reading').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('The timeline opens from a tile of the floor', async () => {
    await page.goto(service.url)
    await page.locator('.tile', { hasText: 'Mill 2' }).click()
    await page.getByRole('dialog', { name: 'Mill 2' }).getByRole('link', { name: 'Timeline' }).click()
    await page.getByRole('heading', { level: 1, name: 'Mill 2' }).waitFor()
    await page.getByText('This machine has sent no numbers yet.').waitFor()
    await page.getByLabel('Machine', { exact: true }).selectOption('Lathe 1')
    await page.getByRole('heading', { level: 1, name: 'Lathe 1' }).waitFor()
  })

  it('A stop gets its reason from the tile of its machine, which also takes rejects and jobs', async () => {
    await groupReasons()
    await page.goto(service.url)
    const tile = page.locator('.tile', { hasText: 'Lathe 1' })
    await tile.getByText(/^since /).waitFor()
    await tile.click()
    const dialog = page.getByRole('dialog', { name: 'Lathe 1' })
    const inSetup = dialog.getByRole('list', { name: 'Setup' }).getByRole('button')
    await inSetup.first().waitFor()
    assert.deepEqual(await inSetup.allInnerTexts(), ['Cleaning'], 'the other reason is for mills only')
    await groupReasons(false)
    await dialog.getByRole('button', { name: 'Cleaning' }).click()
    await dialog.getByText('1 × Cleaning.').waitFor()
    await service.settled()
    assert.include(
      (await stops('&reason=3')).map(({ endAt }) => endAt),
      null,
    )
    await assertAccessible(page, 'tile')
    await shoot('tile')
    await dialog.getByRole('button', { name: 'Enter rejects' }).click()
    const entry = page.getByRole('dialog', { name: 'Enter rejects' })
    await entry.getByRole('spinbutton', { name: 'Rejected parts' }).fill('3')
    await entry.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('The rejects are saved.').waitFor()
    await dialog.getByRole('button', { name: 'Start a job' }).click()
    const start = page.getByRole('dialog', { name: 'Start a job' })
    await start.getByLabel('Job', { exact: true }).fill('J-7')
    await start.getByRole('button', { name: 'Start a job' }).click()
    await dialog.getByText('The job has started.').waitFor()
    await dialog.getByRole('button', { name: 'Stop the job' }).click()
    await page
      .getByRole('dialog', { name: /^Stop the job of/ })
      .getByRole('button', { name: 'Stop', exact: true })
      .click()
    await dialog.getByText('The job has ended.').waitFor()
    await page.keyboard.press('Escape')
  })

  it('Of many machines, one is chosen by a search with the keyboard', async () => {
    await page.route('**/machines?includeDecommissioned=true', async route => {
      const response = await route.fetch()
      const list = shapeOf<readonly { readonly id: string }[]>(await response.json())
      const more = Array.from({ length: 60 }, (_, i) => ({ ...list[0], id: `none-${i}`, name: `Press ${i}` }))
      await route.fulfill({ response, json: [...more, ...list] })
    })
    await page.goto(`${service.url}/app/machine?machine=${machines.mill}`)
    const search = page.getByRole('combobox', { name: 'Machine' })
    await search.click()
    assert.equal(await page.getByRole('option').count(), 50)
    await assertAccessible(page, 'search')
    await shoot('chooser')
    await page.keyboard.type('lathe')
    assert.equal(await page.getByRole('option').count(), 1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Lathe 1' }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  const screens = [
    ['/app/downtime?period=days7&reason=all', 'Downtime'],
    [`/app/machine?machine=${machines.lathe}`, 'Machine'],
  ] as const
  testLooks(
    () => page,
    screens,
    async path => {
      await page.goto(service.url + path)
      await page.getByText('Loading …').waitFor({ state: 'detached' })
      await page.locator('[data-stale="false"], .lane-reading').waitFor()
    },
  )

  it('A new user gets from the set-up link to the biggest loss of the week, its reason and a key for a colleague', async () => {
    const saw = 'a0000000-0000-4000-8000-000000000003'
    const body = { name: 'Saw 3', commissionedAt: new Date(startMs).toISOString() }
    assert.equal((await service.call('PUT', `/machines/${saw}`, body)).status, 200)
    await execute(saw, { 0: 'ACTIVE', 10: 'READY', 310: 'ACTIVE' })
    await service.settled()
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    const engineer = await context.newPage()
    const faults = watchPage(engineer, service.url)
    const press = (name: string) => engineer.getByRole('button', { name, exact: true }).click()
    const arrived = (name: string) => engineer.getByRole('heading', { level: 1, name }).waitFor()
    await engineer.goto(`${service.url}/app/set-up#token=${service.setUpToken}`)
    await engineer.getByLabel('Your name').fill('Eva')
    await engineer.getByLabel('Email address').fill('eva@plant.example')
    await engineer.getByLabel('Password').fill('correct horse battery')
    await press('Set up and sign in')
    await arrived('Floor')
    // The week starts today, on any day: the current week then has few data, and the page offers the last 7 days.
    const { body: settings } = await service.call('GET', '/settings')
    const inBerlin = new Intl.DateTimeFormat('en-US', { weekday: 'short', timeZone: 'Europe/Berlin' }).format()
    const firstDayOfWeek = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(inBerlin) + 1
    const changed = { ...shapeOf<object>(settings), startOfDay: '00:00', firstDayOfWeek }
    assert.equal((await service.call('PUT', '/settings', changed)).status, 200)
    await engineer.reload()
    await engineer.getByRole('link', { name: 'Performance', exact: true }).click()
    await press('Show the last 7 days')
    // Until the report of the new period is shown, its links have the old one.
    await engineer.getByRole('button', { name: 'Show the last 7 days' }).waitFor({ state: 'detached' })
    await engineer.locator('[data-stale="false"]').first().waitFor()
    await engineer.getByText('Biggest loss').waitFor()
    await engineer.getByText(/^Unplanned downtime: .* of scheduled time$/).waitFor()
    await engineer.getByText(/^Largest share: Saw 3, 5 h 00 min$/).waitFor()
    await engineer.getByRole('link', { name: 'Assign reasons' }).click()
    await arrived('Downtime')
    assert.equal(await engineer.getByLabel('Period').inputValue(), 'days7')
    await engineer.getByRole('checkbox', { name: /^Select Saw 3/ }).check()
    const reasons = engineer.getByRole('complementary', { name: 'Assign reason' })
    await reasons.getByRole('button', { name: 'Material missing' }).click()
    await engineer.getByText(/^1 × Material missing\./).waitFor()
    await engineer.getByRole('link', { name: 'API keys' }).click()
    await press('Create key')
    const dialog = engineer.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Reports of Tom')
    await dialog.getByRole('checkbox', { name: /^Reporting Read/ }).check()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    assert.match(await dialog.getByRole('region', { name: 'Key' }).innerText(), /^takt_/)
    await press('I have copied it')
    await engineer.getByRole('row', { name: /^Reports of Tom/ }).waitFor()
    assert.deepEqual(faults, [])
    await context.close()
  })
})
