import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Page } from 'playwright-core'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { createUser, headingOf, openScreen, signIn, usePages } from '../support/application-page.ts'
import { assertWalkable, testLooks } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

const machineId = randomUUID()

/** One service and one browser; each test continues the previous one. */
describe('incidents and calls in the web application', function () {
  let service: TestService
  let page: Page
  const openPage = usePages('whole')

  before(async function () {
    service = await startService()
    const { companyId, commands } = service
    await createUser(service, 'Ann', 'manager')
    await createUser(service, 'Bob', 'operator')
    resultOrThrow(await commands.submit('machine.put', { id: machineId, name: 'Lathe 1' }, { companyId }))
    page = await openPage(this, service)
    await signIn(page, service, 'Ann')
  })
  after(() => service?.stop())

  const heading = (name: string) => headingOf(page, name)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const open = (path: string, title: string) => openScreen(page, service, path, title)

  it('A call from the page of a machine is an open incident of the machine', async () => {
    await open('/app/now', 'Now')
    await page.getByText('No open incidents.').waitFor()
    await open(`/app/machine?machine=${machineId}`, 'Lathe 1')
    await button('Material').click()
    await page.getByLabel('Note').fill('Bar stock 30 mm')
    await button('Call').click()
    await page.getByRole('article', { name: 'Lathe 1' }).getByText('Bar stock 30 mm').waitFor()
  })

  it('An incident is acknowledged, assigned and commented, and its owner is on the tile and on the wall screen', async () => {
    await page.getByRole('link', { name: 'Now', exact: true }).click()
    await heading('Now')
    const card = page.getByRole('article', { name: 'Lathe 1' })
    await card.getByText('Call: Material').waitFor()
    await button('Acknowledge: Lathe 1').click()
    await card.getByText('Acknowledged by Ann').waitFor()
    await button('Assign to me: Lathe 1').click()
    await card.getByText('Owner: Ann').waitFor()
    await button('Details: Lathe 1').click()
    assert.match(page.url(), /[?&]incident=[0-9a-f-]{36}/)
    await page.getByRole('dialog').getByRole('textbox', { name: 'Comment' }).fill('<b>On its way</b>')
    await button('Add comment').click()
    await page.getByRole('listitem').filter({ hasText: '<b>On its way</b>' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const [path, title] of [
      ['/', 'Floor'],
      ['/app/wall', ''],
    ] as const) {
      await page.goto(service.url + path)
      if (title !== '') await heading(title)
      await page.getByText('Call: Material · Ann').waitFor()
    }
    const usual = page.viewportSize() ?? assert.fail()
    const condition = { key: 'oil', type: 'SYSTEM', category: 'CONDITION', message: 'Oil low' }
    const send = async (execution: string, level: string) => {
      const at = { machineId, timestamp: new Date().toISOString() }
      const samples = [
        { ...at, key: 'execution', type: 'EXECUTION', value: execution },
        { ...at, ...condition, value: level },
      ]
      assert.equal((await service.call('POST', '/ingest/samples', samples)).status, 202)
    }
    await send('READY', 'FAULT')
    await page.getByRole('listitem').getByText('Oil low').waitFor()
    await page.setViewportSize({ width: 210, height: 800 })
    await page.locator('.wall-grid[style*="--letters: 1px"]').waitFor()
    const title = page.locator('.wall-tile .tile-incident-title')
    const cut = await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    assert.equal(cut, 0, 'px of the title that do not fit beside a message on a narrow tile')
    await page.setViewportSize(usual)
    await send('UNAVAILABLE', 'NORMAL')
  })

  it('A manager assigns an incident to another user or to none, and resolves it', async () => {
    await open('/app/now', 'Now')
    await button('Details: Lathe 1').click()
    const dialog = page.getByRole('dialog')
    const owner = dialog.getByLabel('Assign to', { exact: true })
    await owner.selectOption({ label: 'Bob' })
    await page.getByRole('article', { name: 'Lathe 1' }).getByText('Owner: Bob').waitFor()
    await owner.selectOption({ label: 'No owner' })
    await page.getByRole('article', { name: 'Lathe 1' }).getByText('Owner: No owner').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await button('Resolve: Lathe 1').click()
    await page.getByText('No open incidents.').waitFor()
  })

  it('A card assigns an incident to another user and comments it, each in one step', async () => {
    resultOrThrow(
      await service.commands.submit(
        'call.open',
        { machineId, note: '', kind: 'quality', by: { kind: 'key', id: 'k', name: 'Terminal' } },
        { companyId: service.companyId },
      ),
    )
    await open('/app/now', 'Now')
    const card = page.getByRole('article', { name: 'Lathe 1' }).filter({ hasText: 'Call: Quality' })
    await card.getByRole('combobox', { name: 'Assign to: Lathe 1' }).selectOption({ label: 'Bob' })
    await card.getByText('Owner: Bob').waitFor()
    await card.getByRole('textbox', { name: 'Comment: Lathe 1' }).fill('On my way')
    await card.getByRole('button', { name: 'Add comment: Lathe 1' }).click()
    await card.getByText('Comment added.').waitFor()
    const [incident] = service.records.incidents.unresolved(service.companyId)
    assert.deepEqual(
      incident?.comments.map(({ text, by }) => [text, by.name]),
      [['On my way', 'Ann']],
    )
    await card.getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('No open incidents.').waitFor()
  })

  it('While a pointer is used on the list, cards keep their places, and new ones are counted', async () => {
    const { companyId, commands } = service
    const by = { kind: 'key', id: 'k', name: 'Terminal' } as const
    const openCall = async (kind: string) =>
      resultOrThrow(await commands.submit('call.open', { machineId, note: '', kind, by }, { companyId }))
    const [first, second] = [await openCall('quality'), await openCall('help')]
    await open('/app/now', 'Now')
    const cards = page.getByRole('article').getByText(/^Call: /)
    await page.getByText('Call: Help').waitFor()
    // A pointer that is used all the time, on a machine of any speed.
    await page.evaluate(`setInterval(() => {
      document.querySelector('.incidents').dispatchEvent(new PointerEvent('pointermove', { bubbles: true }))
    }, 100)`)
    await button('Details: Lathe 1').first().hover()
    const rule = { name: 'Stuck', severity: 'critical', condition: { call: ['material'] } }
    assert.equal((await service.call('PUT', '/alert-rules/stuck', rule)).status, 200)
    const third = await openCall('material')
    await button('Show 1 new').waitFor()
    await service.call('POST', `/incidents/${first.id}/resolve`)
    await page.getByText('Not open any more').waitFor()
    assert.deepEqual(await cards.allTextContents(), ['Call: Quality', 'Call: Help'])
    await button('Show 1 new').click()
    await page.getByText('Call: Material').waitFor()
    assert.deepEqual(await cards.allTextContents(), ['Call: Material', 'Call: Help'])
    assert.equal((await service.call('DELETE', '/alert-rules/stuck')).status, 200)
    for (const { id } of [second, third]) await service.call('POST', `/incidents/${id}/resolve`)
    await page.getByText('No open incidents.').waitFor()
  })

  it('The page notifies the user of an incident that a rule reports to the user, by the browser if it is hidden', async () => {
    await page.context().grantPermissions(['notifications'], { origin: service.url })
    await page.addInitScript(`globalThis.notified = new Promise(resolve => {
      globalThis.Notification = class extends Notification {
        constructor(...of) {
          super(...of)
          resolve(this)
        }
      }
    })`)
    await open('/app/now', 'Now')
    assert.equal(await page.evaluate('Notification.permission'), 'granted')
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, value: true })")
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    const userId = service.records.list('user', service.companyId).find(({ displayName }) => displayName === 'Ann')?.id
    const target = { name: 'Ann', kind: 'user', userId }
    assert.equal((await service.call('PUT', '/alert-targets/ann', target)).status, 200)
    const steps = [{ afterMs: 0, until: 'resolved', targets: ['ann'] }]
    const rule = { name: 'For Ann', severity: 'warning', condition: { call: ['quality'] }, steps }
    assert.equal((await service.call('PUT', '/alert-rules/ann', rule)).status, 200)
    const { body } = await service.call('POST', '/calls', { machineId, kind: 'quality', note: '' })
    await page.getByRole('alert').getByText('For you: Lathe 1, Call: Quality').waitFor()
    assert.equal(await page.evaluate('notified.then(({ title }) => title)'), 'For you: Lathe 1, Call: Quality')
    await page.evaluate('delete document.hidden')
    await button('Show').click()
    await page.getByRole('dialog', { name: 'Lathe 1' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.evaluate("notified.then(shown => shown.dispatchEvent(new Event('click')))")
    await page.getByRole('dialog', { name: 'Lathe 1' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('article').getByText('For you', { exact: true }).waitFor()
    assert.equal((await service.call('DELETE', '/alert-rules/ann')).status, 200)
    await service.call('POST', `/incidents/${Object(body).id}/resolve`)
    await page.getByText('No open incidents.').waitFor()
  })

  it('The oldest incident is first, an action by keyboard keeps the focus, and a change of another user is shown', async () => {
    const call = { machineId, note: 'Chips', by: { kind: 'key', id: 'k', name: 'Terminal' } } as const
    const openCall = async (kind: string) =>
      resultOrThrow(await service.commands.submit('call.open', { ...call, kind }, { companyId: service.companyId }))
    await openCall('help')
    await open('/app/now', 'Now')
    await page.getByText('Call: Help').waitFor()
    const { id } = await openCall('quality')
    await page.getByText('Call: Quality').waitFor()
    const cards = page.getByRole('article')
    assert.deepEqual(await cards.getByText(/^Call: /).allTextContents(), ['Call: Help', 'Call: Quality'])
    const help = page.getByRole('article').filter({ hasText: 'Call: Help' })
    const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')
    await help.getByRole('button', { name: 'Acknowledge' }).focus()
    await page.keyboard.press('Enter')
    await help.getByText('Acknowledged by Ann').waitFor()
    assert.match((await focused()) ?? '', /: Lathe 1$/)
    await help.getByRole('button', { name: 'Resolve' }).focus()
    await page.keyboard.press('Enter')
    await help.waitFor({ state: 'detached' })
    assert.match((await focused()) ?? '', /: Lathe 1$/)
    await service.call('POST', `/incidents/${id}/acknowledge`)
    const quality = page.getByRole('article').filter({ hasText: 'Call: Quality' })
    await quality.getByText('Acknowledged by').waitFor()
    await open('/app/now', 'Now')
    await page.getByText('Call: Quality').waitFor()
    await assertWalkable(page, 'Now')
  })

  it('A later critical incident is first, and changes are shown without further requests for the list', async () => {
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    await page.route(/\/incidents\?/, route => route.abort())
    const rule = { name: 'Urgent', severity: 'critical', condition: { call: ['maintenance'] } }
    assert.equal((await service.call('PUT', '/alert-rules/urgent', rule)).status, 200)
    const { body } = await service.call('POST', '/calls', { machineId, kind: 'maintenance', note: '' })
    await page.getByText('Call: Maintenance').waitFor()
    const cards = page.getByRole('article').getByText(/^Call: /)
    assert.deepEqual(await cards.allTextContents(), ['Call: Maintenance', 'Call: Quality'])
    await service.call('POST', `/incidents/${Object(body).id}/resolve`)
    await page.getByText('Call: Maintenance').waitFor({ state: 'detached' })
    await page.unroute(/\/incidents\?/)
  })

  it('The page shows that the live connection is lost, and refreshes the list meanwhile', async () => {
    let isBroken = false
    const sockets: { close(): unknown }[] = []
    await page.routeWebSocket(/events\/machine\/incidents/, socket => {
      if (isBroken) return
      sockets.push(socket)
      socket.connectToServer()
    })
    await open('/app/now', 'Now')
    const mark = page.getByRole('status')
    await mark.getByText('Live', { exact: true }).waitFor()
    isBroken = true
    for (const socket of sockets) await socket.close()
    await mark.getByText('Refreshing').waitFor()
    const { body } = await service.call('POST', '/calls', { machineId, kind: 'help', note: '' })
    await page.getByText('Call: Help').waitFor()
    await service.call('POST', `/incidents/${Object(body).id}/resolve`)
    await page.getByText('Call: Help').waitFor({ state: 'detached' })
  })

  it('Incidents are filtered by state, rule and machine, and the address contains the filter', async () => {
    const quality = page.getByRole('article').filter({ hasText: 'Call: Quality' })
    await button('Open 0').click()
    await page.getByText('No matching incidents.').waitFor()
    assert.match(page.url(), /[?&]state=open/)
    await button('Acknowledged 1').click()
    await quality.waitFor()
    await button('Rules: all').click()
    await page.getByLabel('Without a rule').check()
    await button('Apply').click()
    await button('Rules: Without a rule').waitFor()
    await open(`/app/now?state=mine&machine=${machineId}`, 'Now')
    await page.getByText('0 of 1 · critical first, then longest').waitFor()
    await button('Clear filters').click()
    await quality.waitFor()
  })

  testLooks(
    () => page,
    [
      ['/app/now', 'Now'],
      [`/app/machine?machine=${machineId}`, 'Lathe 1'],
    ],
    open,
  )
})
