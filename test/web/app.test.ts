import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { assert } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { MachineListItem } from '../../schema/records/machine.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { post } from '../api/live/plant.ts'
import { assertAccessible, openChromium, testLooks, watchPage } from '../support/chromium.ts'
import { readAs } from '../support/read-as.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

const password = 'correct horse battery'

/** One service and one browser; each test continues the previous one, as in the first hour of a company. */
describe('the web application', function () {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: string[]

  before(async function () {
    browser = await openChromium(this)
    service = await startService()
    context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    page = await context.newPage()
    problems = watchPage(page, service.url, /status of 40[13]/)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })
  afterEach(() => {
    assert.deepEqual(problems.splice(0), [])
  })

  const open = (path: string) => page.goto(service.url + path)
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const send = (machineId: string, value: string) =>
    post(service, machineId, [{ at: Date.now() - 10, key: 'execution', type: 'EXECUTION', value }])

  /** Resolves when a condition holds in the page. The page's policy forbids `waitForFunction`, which evaluates a string. */
  async function until(condition: string): Promise<void> {
    while (!(await page.evaluate<boolean>(condition))) await sleep(50)
  }

  async function addMachines(count: number): Promise<readonly string[]> {
    const ids = Array.from({ length: count }, () => randomUUID())
    await Promise.all(
      ids.map(async (id, index) => {
        const payload = { id, name: `Machine ${String(index + 1).padStart(4, '0')}` }
        resultOrThrow(await service.commands.submit('machine.put', payload, { companyId: service.companyId }))
      }),
    )
    return ids
  }

  it('A visitor without a session sees the sign-in page', async () => {
    await open('/')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await assertAccessible(page, 'sign-in')
  })

  it('The set-up link creates the company and its first user, and expires after its use', async () => {
    const link = `/app/set-up#token=${service.setUpToken}`
    await open('/app/set-up#token=that-of-an-earlier-start')
    await page.getByText('Link expired').waitFor()
    await open(link)
    await page.getByLabel('Name of the company or plant').fill('Mill & Co')
    await page.getByLabel('Time zone of the plant').fill('Europe/Berlin')
    await page.getByLabel('Start of day').fill('06:00')
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('Email address').fill('ann@plant.example')
    await page.getByLabel('Password').fill(password)
    await assertAccessible(page, 'set-up')
    await button('Set up and sign in').click()
    await heading('Floor')
    await page.getByText('There are no machines yet.').waitFor()
    assert.equal(page.url(), `${service.url}/`)
    const { body } = await service.call('GET', '/settings')
    assert.deepInclude(body, {
      companyName: 'Mill & Co',
      timeZone: 'Europe/Berlin',
      startOfDay: '06:00',
      microstopMs: 120_000,
    })
    const other = await context.newPage()
    await other.route('**/set-up/check', route => route.abort())
    await other.goto(service.url + link)
    await other.getByText('The service does not respond').waitFor()
    await other.unroute('**/set-up/check')
    await other.getByRole('button', { name: 'Try again' }).click()
    await other.getByText('Link expired').waitFor()
    await other.close()
  })

  it('A wrong password is rejected, and a user can sign out and in by keyboard', async () => {
    await button('Sign out').click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Email address').focus()
    await page.keyboard.type('ann@plant.example')
    await page.keyboard.press('Tab')
    await page.keyboard.type('not her password')
    await page.keyboard.press('Enter')
    await page.getByText('The email address or the password is wrong').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('')
    await page.getByLabel('Password', { exact: true }).focus()
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await heading('Floor')
    await page.reload()
    await heading('Floor')
  })

  it('An ended session is shown in every tab, and all tabs resume after the sign-in', async () => {
    const second = await context.newPage()
    await second.goto(service.url)
    await second.getByRole('heading', { level: 1, name: 'Floor' }).waitFor()
    assert.equal(await page.evaluate("fetch('/session', { method: 'DELETE' }).then(({ status }) => status)"), 200)
    for (const each of [page, second]) await each.getByText('Your session has ended').waitFor()
    await open('/app/sign-in')
    await page.getByLabel('Email address').fill('ann@plant.example')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await heading('Floor')
    assert.equal(page.url(), `${service.url}/`)
    await second.getByRole('heading', { level: 1, name: 'Floor' }).waitFor()
    await second.close()
  })

  it('A failed sign-out shows an error, and the session continues', async () => {
    await page.route('**/session', route => route.abort())
    await button('Sign out').click()
    await page.getByText('The service does not respond').waitFor()
    await heading('Floor')
    await page.unroute('**/session')
    problems.splice(0)
  })

  it('A user adds a machine and creates its key, and the machine appears after the shown command has sent a sample', async () => {
    await page.getByRole('link', { name: 'Connect the first one' }).click()
    await heading('Connect machines')
    await button('A gateway sends samples').click()
    await page.getByLabel('Name of the new machine').fill('Lathe 1')
    await button('Add machine').click()
    await page.getByText('Waiting for a sample of Lathe 1').waitFor()
    await button('Create a key').click()
    const command = page.getByRole('region', { name: 'Command' })
    await command.getByText('takt_').waitFor()
    await assertAccessible(page, 'connect')
    await promisify(execFile)('bash', ['-c', await command.innerText()])
    await page.getByText('Receiving samples of Lathe 1.').waitFor()
    await page.getByRole('row', { name: /execution.*ACTIVE/ }).waitFor()
  })

  it('The floor shows a new status immediately and reads the list of machines only occasionally', async () => {
    let lists = 0
    page.on('request', request => {
      if (request.url() === `${service.url}/machines`) lists++
    })
    await page.getByRole('link', { name: 'Floor', exact: true }).click()
    const [machine]: readonly MachineListItem[] = JSON.parse(
      JSON.stringify((await service.call('GET', '/machines')).body),
    )
    const tile = page.locator('.tile', { hasText: 'Lathe 1' })
    for (const [value, shown] of [
      ['READY', 'Inactive'],
      ['ACTIVE', 'Active'],
      ['READY', 'Inactive'],
    ] as const) {
      await send(machine?.id ?? '', value)
      await tile.getByText(shown, { exact: true }).waitFor()
      await page.getByRole('button', { name: `${shown} 1`, exact: true }).waitFor()
    }
    await page.getByText('Live', { exact: true }).waitFor()
    await tile.getByText(/^since \d+:\d\d/).waitFor()
    assert.isAtMost(lists, 2)
  })

  it('The floor shows the figures of the current shop date, with a dash for a missing one', async () => {
    await service.settled()
    await page.reload()
    const figures = page.locator('.figures').first()
    await figures.locator('[data-figure="goodParts"]').getByText('0', { exact: true }).waitFor()
    const { body } = await service.call('POST', '/reports/production', {
      startDay: new Date(Date.now() - 6 * 3_600_000).toISOString().slice(0, 10),
      endDay: new Date().toISOString().slice(0, 10),
      data: ['performance', 'quality'],
    })
    assert.deepInclude(body, { aggregate: { performance: null, quality: null } })
    for (const name of ['performance', 'quality', 'oee'])
      assert.equal(await figures.locator(`[data-figure="${name}"] .value`).innerText(), '–')
  })

  it('A machine on the floor opens by keyboard, and closing it returns the focus to its tile', async () => {
    await page.locator('.tile').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Lathe 1' }).waitFor()
    assert.include(page.url(), 'machine=')
    await assertAccessible(page, 'machine')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.include(await page.evaluate<string>('document.activeElement.className'), 'tile')
  })

  it('A user creates a key that works with curl, changes its scopes and revokes it', async () => {
    await page.getByRole('link', { name: 'API keys' }).click()
    await heading('API keys')
    await button('Create key').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Nothing')
    await page.keyboard.press('Escape')
    await dialog.getByText('Press Escape once more to drop them.').waitFor()
    assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Nothing')
    // The focus returns before the next frame: no frame without it is drawn.
    await page.evaluate(`window.focusedAfter = new Promise(resolve =>
      new MutationObserver(() => {
        if (document.querySelector('dialog') === null)
          requestAnimationFrame(() => resolve(document.activeElement.textContent))
      }).observe(document.body, { childList: true, subtree: true })); 0`)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate<string>('focusedAfter'), 'Create key')
    assert.equal(await page.evaluate<string>('document.activeElement.textContent'), 'Create key')
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Name', { exact: true }).fill('Dashboard')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Select at least one scope.').waitFor()
    await dialog.getByRole('checkbox', { name: /^Reporting Read/ }).focus()
    await page.keyboard.press('Space')
    await assertAccessible(page, 'create key')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Your new key').waitFor()
    await assertAccessible(page, 'new key')
    // The key would otherwise be lost.
    for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
    const value = await dialog.getByRole('region', { name: 'Key' }).innerText()
    await dialog.getByRole('button', { name: 'Copy' }).first().click()
    await dialog.getByText('Copied', { exact: true }).waitFor()
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), value)
    await button('I have copied it').click()
    assert.match(value, /^takt_/)
    assert.equal(await curlStatus(value), '200')

    await page.reload()
    const row = page.getByRole('row', { name: /Dashboard/ })
    await row.getByText('Reporting Read').waitFor()
    assert.notInclude(await page.content(), value)
    await row.getByRole('button', { name: 'Edit key Dashboard' }).click()
    await dialog.getByRole('checkbox', { name: /^Reporting Read/ }).uncheck()
    await dialog.getByRole('checkbox', { name: /^ERP Read/ }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('ERP Read').waitFor()
    assert.equal(await curlStatus(value), '403')

    await row.getByRole('button', { name: 'Disable: Dashboard' }).click()
    await row.getByText('Disabled').waitFor()
    assert.equal(await curlStatus(value), '401')
    await assertAccessible(page, 'keys')
    await row.getByRole('button', { name: 'Revoke key Dashboard' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    assert.equal(await curlStatus(value), '401')
  })

  async function curlStatus(key: string): Promise<string> {
    const answer = ['-s', '-o', '/dev/null', '-w', '%{http_code}', `${service.url}/machines`]
    const { stdout } = await promisify(execFile)('curl', [...answer, '-H', `Authorization: Bearer ${key}`])
    return stdout
  }

  it('A user changes the password in the chosen language', async () => {
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Language').selectOption('Deutsch')
    await heading('Konto')
    assert.equal(await page.getAttribute('html', 'lang'), 'de')
    await page.getByLabel('Bisheriges Passwort').fill('not the one')
    await page.getByLabel('Neues Passwort').fill(`${password}!`)
    await button('Passwort ändern').click()
    await page.getByText('currentPassword is wrong').first().waitFor()
    problems.splice(0)
    await page.getByLabel('Bisheriges Passwort').fill(password)
    await button('Passwort ändern').click()
    await page.getByText('Ihr Passwort ist geändert.').waitFor()
    await assertAccessible(page, 'account')
    await page.reload()
    await heading('Konto')
    await page.getByLabel('Sprache').selectOption('English')
    await heading('Account')
  })

  it('The floor renders only the visible tiles of 1,001 machines, and the keyboard moves between all of them', async () => {
    await addMachines(1000)
    let asked = 0
    page.on('request', request => {
      if (request.url() === `${service.url}/machines/states`) asked++
    })
    await open('/?by=none')
    await page.getByRole('button', { name: 'All 1,001' }).waitFor()
    const shown = await page.locator('.tile').count()
    assert.isBelow(shown, 120)
    await page
      .locator('.tile', { hasText: 'Lathe 1' })
      .locator('.state-bar rect')
      .first()
      .waitFor({ state: 'attached' })
    // Usually two; more while a busy machine draws the tiles in several steps.
    assert.isBelow(asked, shown / 3, 'few requests for all visible tiles')
    await page.locator('.tile').first().focus()
    await page.keyboard.press('End')
    await until("document.activeElement.textContent.includes('Machine 1000')")
    await page.keyboard.press('ArrowLeft')
    await until("document.activeElement.textContent.includes('Machine 0999')")
    await page.keyboard.press('Home')
    await until("document.activeElement.textContent.includes('Lathe 1')")
  })

  it('The bars of the tiles show the last shift, and the last 8 hours of a company without shifts', async () => {
    const readBar = async () => {
      const request = page.waitForRequest(`${service.url}/machines/states`)
      await open('/?by=none')
      const { start, end } = (await request).postDataJSON()
      const name = await page.locator('.state-bar title').first().textContent()
      return { hours: (Date.parse(end) - Date.parse(start)) / 3_600_000, start, end, name }
    }
    assert.deepInclude(await readBar(), { hours: 8, name: 'Last 8 hours' })
    const clock = (time: number | string) =>
      new Date(time).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' })
    const [start, end] = [5, 3].map(hours => clock(Date.now() - hours * 3_600_000))
    const created = await service.call('PUT', '/schedules/bars', {
      name: 'Bars',
      versions: [{ effectiveFrom: '2020-01-01', shifts: [{ name: 'Day', start, end, days: [1, 2, 3, 4, 5, 6, 7] }] }],
    })
    assert.equal(created.status, 200)
    const bar = await readBar()
    // Clocks may have changed between them.
    assert.deepEqual([clock(bar.start), clock(bar.end)], [start, end])
    assert.match(bar.name ?? '', /^Last shift, .+ to /)
    assert.equal((await service.call('DELETE', '/schedules/bars')).status, 200)
  })

  it('Compact tiles show more machines, with the states of each, and their size is in the address', async () => {
    const visible = async () => {
      const { height } = page.viewportSize() ?? { height: 0 }
      const tops = await page.locator('.tile').evaluateAll(tiles => tiles.map(tile => tile.getBoundingClientRect().top))
      return tops.filter(top => top < height).length
    }
    await open('/?by=none')
    await page.getByRole('button', { name: 'All 1,001' }).waitFor()
    const before = await visible()
    await page.getByLabel('Tiles').selectOption('Compact')
    await page.locator('.tile[data-size="compact"] .state-bar rect').first().waitFor({ state: 'attached' })
    assert.isAbove(await visible(), 2 * before)
    assert.include(page.url(), 'tiles=compact')
    const cut = await page
      .locator('.tile')
      .evaluateAll(tiles => tiles.filter(tile => tile.scrollHeight > tile.clientHeight).length)
    assert.equal(cut, 0, 'tiles whose content is cut')
    await assertAccessible(page, 'compact tiles')
    await page.getByLabel('Tiles').selectOption('Large')
    assert.notInclude(page.url(), 'tiles=')
  })

  it('The search and the filter of the floor are in its address', async () => {
    await page.getByLabel('Find').fill('0718')
    await page.getByText('1 of 1,001 machines').waitFor()
    assert.deepEqual(await page.locator('.tile-name').allTextContents(), ['Machine 0718'])
    assert.include(page.url(), 'q=0718')
    await page.reload()
    await page.getByText('1 of 1,001 machines').waitFor()
    await page.getByRole('button', { name: /^Fault/ }).click()
    await page.getByText('No matching machines.').waitFor()
    await button('Clear filters').click()
    await page.getByRole('button', { name: 'All 1,001' }).waitFor()
    assert.notInclude(page.url(), 'q=')
  })

  it('On a phone, the filters of the floor are behind a button that shows their number', async () => {
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
    await page.setViewportSize({ width: 390, height: 844 })
    const find = page.getByLabel('Find')
    await find.waitFor({ state: 'hidden' })
    await button('Filter and sort').click()
    await find.fill('0718')
    await button('Filter and sort (1)').click()
    await find.waitFor({ state: 'hidden' })
    await page.setViewportSize({ width, height })
    await find.fill('')
    await page.getByRole('button', { name: 'All 1,001' }).waitFor()
  })

  it('The displayed duration of a status increases while other machines change their status', async () => {
    const { body } = await service.call('GET', '/machines')
    const machines: readonly MachineListItem[] = JSON.parse(JSON.stringify(body))
    const idOf = (name: string) => machines.find(machine => machine.name === name)?.id ?? ''
    await open(`/?machine=${idOf('Lathe 1')}`)
    const lasts = page.getByRole('dialog', { name: 'Lathe 1' }).locator('.card-status')
    await lasts.getByText(/\d+ (s|min)/).waitFor()
    await send(idOf('Lathe 1'), 'ACTIVE')
    await lasts.getByText('Active', { exact: true }).waitFor()
    const before = await lasts.innerText()
    // 3 s on an idle machine; a busy one may draw later.
    for (let turn = 0; turn < 15 || (turn < 300 && (await lasts.innerText()) === before); turn++) {
      await send(idOf('Machine 0001'), turn % 2 === 0 ? 'ACTIVE' : 'READY')
      await sleep(200)
    }
    assert.notEqual(await lasts.innerText(), before)
    await page.keyboard.press('Escape')
  })

  it('The wall screen shows one page of machines after another', async () => {
    await open('/app/wall?every=3')
    await page.getByText(/^1 of \d+/).waitFor()
    const shown = await pageOfWall()
    await until(`!document.querySelector('.wall-foot').textContent.includes(${JSON.stringify(shown.label)})`)
    const next = await pageOfWall()
    assert.isAbove(shown.names.length, 1)
    assert.isEmpty(shown.names.filter(name => next.names.includes(name)))
    assert.isFalse(await page.evaluate<boolean>('document.documentElement.scrollHeight > innerHeight + 1'))
    await assertAccessible(page, 'wall')
  })

  it('The wall screen of a group requests only its machines and their figures', async () => {
    const group = randomUUID()
    assert.equal((await service.call('PUT', `/machine-groups/${group}`, { name: 'Hall 1' })).status, 200)
    const [request, list] = await Promise.all([
      page.waitForRequest(each => each.url().endsWith('/reports/production')),
      page.waitForRequest(each => new URL(each.url()).pathname === '/machines'),
      page.goto(`${service.url}/app/wall?group=${group}`),
    ])
    const body = readAs<{ filter?: unknown }>(JSON.parse(request.postData() ?? ''))
    assert.deepEqual(body.filter, { machineGroup: [group] })
    assert.equal(new URL(list.url()).searchParams.get('machineGroupId'), group)
    await page.getByText('No matching machines.').waitFor()
    assert.isBelow((await service.call('DELETE', `/machine-groups/${group}`)).status, 300)
  })

  /** Label and machines of the current page of the wall screen, read at one instant. */
  function pageOfWall(): Promise<{ readonly label: string; readonly names: readonly string[] }> {
    return page.evaluate(`({
      label: document.querySelector('.wall-foot').textContent.match(/\\d+ of \\d+/)[0],
      names: [...document.querySelectorAll('.tile-name')].map(each => each.textContent),
    })`)
  }

  it('An outdated figure on the floor is hidden', async () => {
    const own = await browser.newContext()
    const other = await own.newPage()
    await other.clock.install()
    await other.goto(`${service.url}/#key=${encodeURIComponent(testKey)}`)
    const goodParts = other.locator('.figures').first().locator('[data-figure="goodParts"] .value')
    const passes = async (isThere: () => Promise<boolean>) => {
      while (!(await isThere())) {
        await other.clock.fastForward('00:20')
        await sleep(200)
      }
    }
    await goodParts.filter({ hasText: /^\d/ }).waitFor()
    const shown = await goodParts.innerText()
    await other.route('**/reports/production', route => route.abort())
    await passes(() => other.getByText('Connection lost').isVisible())
    assert.equal(await goodParts.innerText(), shown)
    await passes(async () => (await goodParts.innerText()) === '–')
    await other.unroute('**/reports/production')
    await passes(async () => (await goodParts.innerText()) === shown)
    await own.close()
  })

  it('An unknown address shows "Page not found" with a link to the floor', async () => {
    await open('/app/nothing')
    await page.getByText('Page not found.').waitFor()
    await page.getByRole('link', { name: 'Go to the floor' }).click()
    await heading('Floor')
  })

  const screens = [
    ['/', 'Floor'],
    ['/app/connect', 'Connect machines'],
    ['/app/keys', 'API keys'],
    ['/app/developers', 'For developers'],
    ['/app/account', 'Account'],
  ] as const
  testLooks(
    () => page,
    screens,
    async (path, title) => {
      await open(path)
      await heading(title)
      await page.getByText('Loading …').waitFor({ state: 'detached' })
    },
  )

  it('A key in the address of the application is removed from the address, stored for the tab and deleted on request', async () => {
    const own = await browser.newContext()
    const other = await own.newPage()
    const found = watchPage(other, service.url)
    await other.goto(`${service.url}/#key=${encodeURIComponent(testKey)}`)
    await other.getByRole('button', { name: 'All 1,001' }).waitFor()
    assert.equal(other.url(), `${service.url}/`)
    await other.reload()
    await other.getByRole('button', { name: 'All 1,001' }).waitFor()
    assert.equal(await other.getByRole('link', { name: 'API keys' }).count(), 0)
    await other.getByRole('button', { name: 'Forget key' }).click()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.deepEqual(found, [])
    await own.close()
  })

  it('The live channel stays open when the service reports late updates', async () => {
    const own = await browser.newContext()
    const other = await own.newPage()
    let opened = 0
    await other.routeWebSocket(/events\/machine\/status/, socket => {
      opened++
      const server = socket.connectToServer()
      server.onMessage(message => {
        socket.send(message)
        if (String(message).includes('channel_join_success'))
          socket.send(JSON.stringify({ event: 'channel_error', data: { code: 'store_unavailable', message: 'late' } }))
      })
    })
    await other.goto(`${service.url}/#key=${encodeURIComponent(testKey)}`)
    await other.getByText('Live', { exact: true }).waitFor()
    await sleep(2500)
    assert.equal(opened, 1)
    await other.getByText('Live', { exact: true }).waitFor()
    await own.close()
  })

  it('A wrong API key is rejected in the form, and a valid one shows the machines', async () => {
    const own = await browser.newContext()
    const other = await own.newPage()
    const found = watchPage(other, service.url, /status of 401/)
    await other.goto(service.url)
    await other.getByText('View with an API key').click()
    await other.getByLabel('API key').fill('a wrong key, though of sufficient length')
    await other.getByRole('button', { name: 'Show machines' }).click()
    await other.getByText('The access token is invalid').waitFor()
    await other.getByLabel('API key').fill(testKey)
    await other.getByRole('button', { name: 'Show machines' }).click()
    await other.getByRole('button', { name: 'All 1,001' }).waitFor()
    assert.deepEqual(found, [])
    await own.close()
  })
})
