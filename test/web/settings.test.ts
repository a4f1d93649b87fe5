import { assert } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Browser, Locator, Page } from 'playwright-core'
import { hashPassword } from '../../api/auth/password.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { MachineListItem } from '../../schema/records/machine.ts'
import type { ScheduleResponse } from '../../schema/records/schedule.ts'
import { Problems } from '../../shared/problems.ts'
import { topics } from '../../schema/topics.ts'
import { post, shapeOf } from '../api/live/plant.ts'
import { assertAccessible, assertNotWide, assertWalkable, openChromium, watchPage } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

const password = 'correct horse battery'
const hourMs = 3_600_000
const parts = [
  'machines',
  'groups',
  'schedules',
  'reasons',
  'types',
  'operators',
  'users',
  'company',
  'audit',
  'system',
] as const
/** Width of a small laptop in CSS pixels. */
const narrowLaptop = 1280

async function assertInView(part: Locator, width: number, name: string): Promise<void> {
  const box = await part.boundingBox()
  assert.isAtLeast(box?.x ?? -1, 0, name)
  assert.isAtMost((box?.x ?? 0) + (box?.width ?? 0), width, name)
}

/** One service and one browser; each test continues the previous one, as in the first day of an administrator. */
describe('settings and jobs in the web application', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]
  const conditions = new Problems()

  before(async function () {
    browser = await openChromium(this)
    service = await startService({ problems: conditions })
    const ann = { email: 'ann@plant.example', displayName: 'Ann', role: 'it_admin' } as const
    const payload = { ...ann, passwordHash: await hashPassword(password) }
    resultOrThrow(await service.commands.submit('user.create', payload, { companyId: service.companyId }))
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    page = await context.newPage()

    problems = watchPage(page, service.url, /status of 4(00|09)/)
    await page.goto(service.url)
    await page.getByLabel('Email address').fill('ann@plant.example')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Floor' }).waitFor()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })
  afterEach(() => {
    assert.deepEqual(problems.splice(0), [])
  })

  const dialog = () => page.getByRole('dialog')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
  const closed = () => dialog().waitFor({ state: 'detached' })
  const openPart = async (link: string, title = link) => {
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { level: 2, name: title }).waitFor()
  }
  const machines = async () => shapeOf<MachineListItem[]>((await service.call('GET', '/machines')).body)

  it('An administrator creates a group and machines, and each error is next to its field', async () => {
    await page.getByRole('link', { name: 'Settings' }).click()
    await openPart('Groups', 'Machine groups')
    await page.getByText('There are no groups yet.').waitFor()
    await button('Add a group').click()
    await dialog().getByLabel('Name').fill('Lathes')
    await inDialog('Create').click()
    await page.getByRole('row', { name: /Lathes/ }).waitFor()
    await openPart('Machines')
    // The button is disabled until the list is loaded.
    await page.getByRole('button', { name: 'Add a machine', exact: true, disabled: false }).focus()
    await page.keyboard.press('Enter')
    await dialog().getByLabel('Name').fill('Lathe 1')
    await dialog().getByLabel('ERP id').fill('L-1')
    await dialog().getByRole('checkbox', { name: 'Lathes' }).check()
    await assertAccessible(page, 'add a machine')
    await inDialog('Create').click()
    await page.getByRole('row', { name: /Lathe 1.*Lathes.*L-1/ }).waitFor()
    await button('Add a machine').click()
    await dialog().getByLabel('Name').fill('Lathe 2')
    await dialog().getByLabel('ERP id').fill('L-1')
    await inDialog('Create').click()
    await dialog()
      .locator('.field', { hasText: 'ERP id' })
      .getByText("erpMachineId 'L-1' is another machine's")
      .waitFor()
    await page.keyboard.press('Escape')
    // Entered text is dropped only after a second request.
    await page.keyboard.press('Escape')
    await closed()
  })

  it('Editing a machine leaves fields outside the form unchanged', async () => {
    const [machine] = await machines()
    const id = machine?.id ?? ''
    const before = shapeOf<object>((await service.call('GET', `/machines/${id}`)).body)
    await service.call('PUT', `/machines/${id}`, { ...before, spindleAbove: 7, maxPartJump: 5 })
    await button('Edit Lathe 1').click()
    await dialog().getByLabel('Make').fill('Mazak')
    await inDialog('Save').click()
    await page.getByRole('row', { name: /Mazak/ }).waitFor()
    const { body } = await service.call('GET', `/machines/${id}`)
    assert.deepInclude(body, { make: 'Mazak', spindleAbove: 7, maxPartJump: 5, erpMachineId: 'L-1' })
  })

  it('Editing the machines of a group keeps its decommissioned members', async () => {
    const group = shapeOf<{ id: string; name: string; machineIds: string[] }[]>(
      (await service.call('GET', '/machine-groups')).body,
    ).find(({ name }) => name === 'Lathes')
    const gone1 = randomUUID()
    await service.call('PUT', `/machines/${gone1}`, { name: 'Old', machineGroupIds: [group?.id] })
    await service.call('DELETE', `/machines/${gone1}`)
    await openPart('Groups', 'Machine groups')
    await button('Edit Lathes').click()
    await dialog().getByRole('checkbox', { name: 'Lathe 1' }).uncheck()
    await inDialog('Save').click()
    await closed()
    await button('Edit Lathes').click()
    await dialog().getByRole('checkbox', { name: 'Lathe 1' }).check()
    await inDialog('Save').click()
    await closed()
    const { body } = await service.call('GET', '/machine-groups')
    const [now] = shapeOf<{ machineIds: string[] }[]>(body)
    const [lathe] = await machines()
    assert.sameMembers([...(now?.machineIds ?? [])], [lathe?.id ?? '', gone1])
    await openPart('Machines')
  })

  it('A list of machines is imported after a preview of every error', async () => {
    await button('Paste a list').click()
    const rows = [
      'Mill 1\tM-1\tDMG\tDMU 50\tLathes',
      'Lathe 1\tL-1',
      '\tX-1',
      'Mill 2\tM-1\t\t\tMills\tNights',
      'Mill 1',
    ]
    await dialog().getByRole('textbox', { name: 'List' }).fill(rows.join('\n'))
    await dialog().getByText('5 machines, 4 with errors.').waitFor()
    for (const fault of [
      'A machine “Lathe 1” exists already.',
      'ERP id “L-1” belongs to another machine.',
      'The name is missing.',
      'ERP id “M-1” occurs twice in the list.',
      'Unknown group “Mills”.',
      'Unknown schedule “Nights”.',
      '“Mill 1” occurs twice in the list.',
    ])
      await dialog().getByText(fault).waitFor()
    assert.isTrue(await inDialog('Add all').isDisabled())
    await assertAccessible(page, 'paste a list')
    assert.lengthOf(await machines(), 1)
    await dialog()
      .getByRole('textbox', { name: 'List' })
      .fill(['Mill 1;M-1;DMG;DMU 50;lathes', 'Mill 2;M-2'].join('\n'))
    await dialog().getByText('2 machines, no errors.').waitFor()
    await inDialog('Add all').click()
    await closed()
    await page.getByRole('row', { name: /Mill 1.*Lathes.*M-1.*DMG DMU 50/ }).waitFor()
    assert.sameMembers(
      (await machines()).map(({ name }) => name),
      ['Lathe 1', 'Mill 1', 'Mill 2'],
    )
  })

  it('A schedule is created, and a change from a day on leaves the past unchanged', async () => {
    await openPart('Schedules')
    await button('Add a schedule').click()
    await dialog().getByLabel('Name', { exact: true }).fill('Two shifts')
    for (const [name, start, end] of [
      ['Early', '06:00', '14:00'],
      ['Night', '22:00', '06:00'],
    ] as const) {
      await inDialog('Add a shift').click()
      const shift = dialog()
        .getByRole('group', { name: /^Shift \d/ })
        .last()
      await shift.getByLabel('Name of the shift').fill(name)
      await shift.getByLabel('From').fill(start)
      await shift.getByLabel('To').fill(end)
      await shift.getByRole('button', { name: 'Sat' }).click()
      await shift.getByRole('button', { name: 'Sun' }).click()
    }
    await dialog().getByLabel('Date', { exact: true }).fill('2026-12-25')
    await inDialog('Add holiday').click()
    await assertAccessible(page, 'schedule')
    await inDialog('Save').click()
    await closed()
    await page.getByText('1 version, 1 holiday').waitFor()
    const [machine] = await machines()
    const schedules = async () => shapeOf<ScheduleResponse[]>((await service.call('GET', '/schedules')).body)
    const [schedule] = await schedules()
    const id = machine?.id ?? ''
    const details = shapeOf<object>((await service.call('GET', `/machines/${id}`)).body)
    await service.call('PUT', `/machines/${id}`, { ...details, scheduleId: schedule?.id })
    const report = async () => {
      await service.settled()
      const day = new Date(Date.now() - 24 * hourMs).toISOString().slice(0, 10)
      const body = { startDay: day, endDay: day, data: ['scheduledTime'], filter: { machine: [id] } }
      return (await service.call('POST', '/reports/production', body)).body
    }
    const before = await report()
    await button('Edit Two shifts').click()
    await dialog().getByText('This version is in effect').waitFor()
    await inDialog('New version').click()
    await dialog().getByRole('button', { name: 'Delete shift Night' }).click()
    await inDialog('Save').click()
    await closed()
    await page.getByText('2 versions, 1 holiday').waitFor()
    await button('Edit Two shifts').click()
    await dialog().getByLabel('Effective from').fill('')
    await dialog().getByLabel('Version').getByText('from –').waitFor({ state: 'attached' })
    await inDialog('Delete this version').click()
    await page.getByRole('dialog', { name: /^Delete this version: from –\?/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await closed()
    const [changed] = await schedules()
    assert.deepEqual(
      changed?.versions.map(({ shifts }) => shifts.map(({ name }) => name)),
      [['Early', 'Night'], ['Early']],
    )
    assert.deepEqual(changed?.versions[0]?.shifts, schedule?.versions[0]?.shifts)
    assert.deepEqual(await report(), before)
  })

  it('The errors of a schedule are shown', async () => {
    await button('Edit Two shifts').click()
    await inDialog('Add a shift').click()
    const shift = dialog()
      .getByRole('group', { name: /^Shift \d/ })
      .last()
    await shift.getByLabel('Name of the shift').fill('Clash')
    await shift.getByLabel('From').fill('07:00')
    await shift.getByLabel('To').fill('08:00')
    await inDialog('Save').click()
    await dialog()
      .getByRole('alert')
      .getByText(/overlap/i)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await closed()
  })

  it('Reasons, operators and users are created, changed and deleted in their lists', async () => {
    await openPart('Downtime reasons')
    await button('Add a reason').click()
    await dialog().getByLabel('Name').fill('Tool change')
    await dialog()
      .getByRole('checkbox', { name: /Planned/ })
      .check()
    await inDialog('Create').click()
    await page.getByRole('row', { name: /Tool change.*yes.*All machines/ }).waitFor()
    await button('Edit Tool change').click()
    await dialog().getByLabel('Group of reasons').fill('Setup')
    await dialog().getByRole('checkbox', { name: 'Lathes' }).check()
    await assertAccessible(page, 'edit a reason')
    await inDialog('Save').click()
    const setup = page.getByRole('rowheader', { name: 'Setup', exact: true })
    const ofSetup = page.getByRole('rowgroup').filter({ has: setup })
    await ofSetup.getByRole('row', { name: /Tool change.*yes.*Lathes/ }).waitFor()
    await assertAccessible(page, 'groups of reasons')
    await button('Add a reason').click()
    await dialog().getByLabel('Name').fill('Fixture change')
    await dialog().getByLabel('Group of reasons').fill('Setup')
    await inDialog('Create').click()
    await ofSetup.getByRole('row', { name: /Fixture change.*no.*All machines/ }).waitFor()
    await openPart('Reject reasons', 'Reject reasons and corrections')
    await button('Add a reject reason').click()
    await dialog().getByLabel('Name').fill('Burr')
    await dialog().getByLabel('Rejects count as').selectOption('scrap')
    await inDialog('Create').click()
    await page.getByRole('row', { name: /Burr.*Rejects.*scrap/ }).waitFor()
    await openPart('Operators')
    await button('Add an operator').click()
    await dialog().getByLabel('Name').fill('Olga')
    await dialog().getByLabel('Id').fill('4711')
    await inDialog('Create').click()
    await page.getByRole('row', { name: /Olga.*4711/ }).waitFor()
    await button('Delete Olga').click()
    await inDialog('Delete').click()
    await page.getByText('There are no operators yet.').waitFor()
    await openPart('Users')
    await button('Add a user').click()
    await dialog().getByLabel('Name').fill('Bob')
    await dialog().getByLabel('Email address').fill('ANN@plant.example')
    await dialog().getByLabel('Password').fill('a long one of his own')
    await inDialog('Create').click()
    await dialog().getByText('Another user has this email address').waitFor()
    await dialog().getByLabel('Email address').fill('bob@plant.example')
    await inDialog('Create').click()
    const bob = page.getByRole('row', { name: /Bob/ })
    await bob.getByText('In use').waitFor()
    await button('Edit Bob').click()
    await dialog().getByLabel('Role').selectOption('manager')
    await dialog()
      .getByRole('checkbox', { name: /Disabled/ })
      .check()
    await inDialog('Save').click()
    await bob.getByText('Disabled').waitFor()
    await bob.getByText('Manager').waitFor()
    await button('Delete Ann').click()
    await inDialog('Delete').click()
    await dialog().getByText('The company needs an it_admin').waitFor()
    await page.keyboard.press('Escape')
    await closed()
  })

  it('The company settings are changed, and every change is in the audit trail', async () => {
    await openPart('Company')
    await page.getByLabel('Time zone of the plant').fill('Mars/Olympus')
    await button('Save').click()
    await page.locator('.field', { hasText: 'Time zone' }).locator('.fault').waitFor()
    await page.getByLabel('Time zone of the plant').fill('Europe/Berlin')
    await page.getByLabel('OEE: warning below').fill('')
    await button('Save').click()
    await page.locator('input:invalid').waitFor()
    await page.getByLabel('OEE: warning below').fill('80.5')
    await button('Save').click()
    await page.getByText('Saved.').waitFor()
    const { body } = await service.call('GET', '/settings')
    assert.deepInclude(body, { timeZone: 'Europe/Berlin', companyName: 'My plant' })
    assert.nestedInclude(body, { 'thresholds.oeeWarning': 0.805, 'thresholds.oeeFailure': 0.6 })
    await service.settled()
    await openPart('Audit trail')
    await page.getByLabel('Show').selectOption('Company')
    await page.getByText('Changed Company My plant').first().click()
    await page.getByRole('row', { name: /settings.*Mars|settings.*Berlin/ }).waitFor()
    assert.include(page.url(), 'kind=company')
    await page.getByLabel('Show').selectOption('Downtime reason')
    const made = page.locator('.audit li', { hasText: 'Created Downtime reason' }).last()
    await made.locator('summary').click()
    await made.getByRole('row', { name: /^name/ }).waitFor()
    await page.getByLabel('Show').selectOption('Session')
    await page.getByText('Created Session', { exact: true }).first().waitFor()
  })

  it('The system page shows the state of processing and resends dead letters after their machine exists', async () => {
    const id = randomUUID()
    const sample = {
      machineId: id,
      timestamp: new Date().toISOString(),
      key: 'execution',
      type: 'EXECUTION',
      value: 'ACTIVE',
    }
    await service.log.append(topics.samples, [{ key: null, value: Buffer.from(JSON.stringify(sample)) }])
    await service.settled()
    await openPart('System')
    await page.getByRole('heading', { name: /Unknown machine/ }).waitFor()
    await page.getByText('Samples are accepted, reports are available.').waitFor()
    await button('Resend').click()
    await page.getByText('0 resent, 1 skipped.').waitFor()
    await service.call('PUT', `/machines/${id}`, { name: 'Found' })
    await page.getByText('Latest').click()
    await page.getByRole('region', { name: 'Sample', exact: true }).getByText(id).waitFor()
    await button('Resend').click()
    await page.getByText('1 resent, 0 skipped.').waitFor()
  })

  it('The system page shows that the service is not ready, and its problems', async () => {
    await page.getByText('No problems.').waitFor()
    assert.equal(await page.getByText('The service is not ready').count(), 0)
    const place = { topic: topics.samples, partition: 3, offset: 17 }
    const message = 'The inserts of partition 3 fail. See the log of the process.'
    conditions.report('test', { code: 'insert_failing', message, ...place, unreadyAfterMs: 0 })
    await page.getByRole('alert').getByText('The service is not ready: Samples are not stored.').waitFor()
    const item = page.getByRole('listitem').filter({ hasText: message })
    await item.getByRole('heading', { name: 'Samples are not stored' }).waitFor()
    assert.include(await item.innerText(), `${topics.samples} / 3 / 17`)
    await assertAccessible(page, 'problems')
    conditions.clear('test')
    await page.getByText('No problems.').waitFor()
    await page.getByText('The service is not ready').waitFor({ state: 'detached' })
    for (const text of problems.splice(0)) assert.match(text, /status of 503/)
  })

  it('A job is started, shows its progress against the plan and is stopped', async () => {
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByText('No jobs in the last 7 days.').waitFor()
    await button('Start a job').click()
    await dialog().getByLabel('Machine').selectOption('Lathe 1')
    await dialog().getByLabel('Job', { exact: true }).fill('J-1')
    await dialog().getByLabel('Parts required').fill('8')
    await dialog().getByLabel('Run').fill('R-1')
    await assertAccessible(page, 'start a job')
    await inDialog('Start a job').click()
    const row = page.getByRole('row', { name: /J-1/ })
    await row.getByText('Setup', { exact: true }).waitFor()
    await row.getByText('of 8').waitFor()
    await button('Start production of J-1').click()
    await row.getByText('Production', { exact: true }).waitFor()
    const lathe = (await machines()).find(({ name }) => name === 'Lathe 1')?.id ?? ''
    const parts = (value: number) => ({ at: Date.now(), key: 'parts', type: 'PART_COUNT', value })
    await post(service, lathe, [{ at: Date.now() - 5, key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }])
    await post(service, lathe, [parts(10)])
    await post(service, lathe, [{ ...parts(12), at: Date.now() + 2 }])
    await row.getByText('2 of 8').waitFor()
    await row.getByText('25%').waitFor()
    await button('Stop J-1').click()
    await inDialog('Stop').click()
    await page.getByText('No running jobs.').waitFor()
    await button('Last 7 days').click()
    await row.getByText('Ended', { exact: true }).waitFor()
    const later = { erpJobOperationRunId: 'R-2', erpMachineId: 'L-1', jobName: 'J-1' }
    const startAt = new Date(Date.now() + hourMs).toISOString()
    assert.equal((await service.call('POST', '/erp/jobdispatch/start', { ...later, startAt })).status, 200)
    await page.getByRole('row', { name: /R-2/ }).getByText('Scheduled').waitFor()
  })

  it('A job file is imported after a preview of every error', async () => {
    await button('Import jobs').click()
    const choose = (text: string) =>
      dialog()
        .getByLabel('File (CSV, or XLSX)')
        .setInputFiles({ name: 'jobs.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await inDialog('Preview').click()
    await dialog().getByText('Select a file first.').waitFor()
    await choose('job,quantity\nJ-1,9\n')
    await inDialog('Preview').click()
    await dialog().getByText('1 error. Nothing was changed').waitFor()
    await dialog()
      .getByRole('row', { name: /^The file Missing column name/ })
      .waitFor()
    await choose('name,quantity\nJ-1,9\nJ-2,many\n,3\n')
    await inDialog('Preview').click()
    await dialog().getByText('2 errors. Nothing was changed').waitFor()
    await dialog()
      .getByRole('row', { name: /row 3.quantity/ })
      .waitFor()
    await assertAccessible(page, 'import')
    await choose('name,quantity\nJ-1,9\nJ-2,5\n')
    await inDialog('Preview').click()
    await dialog()
      .getByText('2 new jobs, 0 changed, 0 archived.')
      .or(dialog().getByText('1 new job, 1 changed, 0 archived.'))
      .waitFor()
    const jobs = async () => shapeOf<{ jobName: string }[]>((await service.call('GET', '/job-operations')).body)
    assert.lengthOf(await jobs(), 1)
    await inDialog('Apply').click()
    await dialog().getByText('The file was imported.').waitFor()
    assert.sameMembers(
      (await jobs()).map(({ jobName }) => jobName),
      ['J-1', 'J-2'],
    )
    await inDialog('Close').last().click()
  })

  it('Every settings screen works by keyboard with visible focus and no trap', async () => {
    for (const path of ['/app/keys', '/app/account', ...parts.map(part => `/app/settings?part=${part}`)]) {
      await page.goto(service.url + path)
      await page.locator('main h1').waitFor()
      if (path.includes('part=')) await page.locator('.settings-part h2').waitFor()
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      await assertWalkable(page, path)
    }
  })

  for (const [colorScheme, width] of [
    ['light', 390],
    ['dark', 1440],
  ] as const)
    it(`No settings screen breaks a rule of WCAG 2.2 AA or scrolls sideways in ${colorScheme} at ${width} pixels`, async () => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      for (const path of ['/app/jobs?show=recent', ...parts.map(part => `/app/settings?part=${part}`)]) {
        const link = page.locator(`.settings-nav a[href="${path}"]`)
        // The parts are loaded one by one into the open screen.
        if ((await link.count()) > 0) await link.click()
        else await page.goto(service.url + path)
        await page.locator('main h1, main h2').first().waitFor()
        await page.getByText('Loading …').first().waitFor({ state: 'detached' })
        await assertAccessible(page, `${path} ${colorScheme} ${width}`)
        await assertNotWide(page, path)
        // The open part is visible in the line of parts, even at its right end.
        const current = page.locator('.settings-nav [aria-current="page"]')
        if ((await current.count()) > 0) await assertInView(current, width, path)
        if (width < narrowLaptop) continue
        for (const narrower of [narrowLaptop, 1024]) {
          await page.setViewportSize({ width: narrower, height: 900 })
          await assertNotWide(page, `${path} at ${narrower} pixels`)
        }
        await page.setViewportSize({ width, height: 900 })
      }
    })
})
