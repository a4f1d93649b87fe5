import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { MtconnectAgent } from '../../demo/mtconnect-agent/agent.ts'
import type { ConnectorResponse } from '../../schema/records/connector.ts'
import { Adapter } from '../connect/shdr/adapter.ts'
import { createUser, signIn } from '../support/application-page.ts'
import { assertAccessible, assertNotWide, openChromium, watchPage } from '../support/chromium.ts'
import { Mosquitto, requireMosquitto } from '../support/mosquitto.ts'
import { startService, type TestService } from '../support/service.ts'

const machine = {
  press: '8a1c1f3e-6a0f-4c3e-9a51-000000000001',
  mill: '8a1c1f3e-6a0f-4c3e-9a51-000000000002',
  lathe: '8a1c1f3e-6a0f-4c3e-9a51-000000000003',
} as const

/** One service and one browser; the fields that a connector does not show on the page must stay. */
describe('changing a connector in the web application', function () {
  let folder: string
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]
  let agent: MtconnectAgent
  let adapter: Adapter
  let broker: Mosquitto | null = null

  before(async function () {
    browser = await openChromium(this)
    folder = mkdtempSync(join(tmpdir(), 'takt-change-connector-'))
    writeFileSync(join(folder, 'secret'), 'x'.repeat(32))
    mkdirSync(join(folder, 'secrets'))
    service = await startService({
      env: { TAKT_CONNECT_SECRET_FILE: join(folder, 'secret'), TAKT_CONNECT_SECRETS: join(folder, 'secrets') },
    })
    await createUser(service, 'Ann', 'it_admin')
    const execution = { id: 'exec', name: 'execution', category: 'EVENT', type: 'EXECUTION' } as const
    agent = await MtconnectAgent.start({
      devices: [
        { name: 'Mill 5', uuid: 'mill-5', items: [execution] },
        { name: 'Mill 6', uuid: 'mill-6', items: [{ ...execution, id: 'exec6' }] },
      ],
    })
    adapter = await Adapter.start()
    adapter.send({ key: 'DB10.W4', value: '5', ms: Date.now() }, { key: 'count', value: '7', ms: Date.now() })
    for (const [name, id] of Object.entries(machine))
      assert.equal((await service.call('PUT', `/machines/${id}`, { name })).status, 200)
    await openPage('en')
  })
  after(async () => {
    await browser?.close()
    await agent?.close()
    await adapter?.close()
    await broker?.stop()
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(() => assert.deepEqual(problems.splice(0), []))

  async function openPage(language: 'en' | 'de'): Promise<void> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: language })
    page = await context.newPage()
    problems = watchPage(page, service.url)
    await signIn(page, service, 'Ann', language)
  }

  async function put(id: string, body: object): Promise<void> {
    const { status, body: answer } = await service.call('PUT', `/connectors/${id}`, body)
    assert.equal(status, 200, JSON.stringify(answer))
  }

  async function stored(id: string) {
    const { body } = await service.call('GET', `/connectors/${id}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service keeps to its schemas, as its tests check
    const { name, kind, address, enabled, sourceId, machines, rules, options, secrets } = body as ConnectorResponse
    return { name, kind, address, enabled, sourceId, machines, rules, options, secrets }
  }

  async function connectorIds(): Promise<readonly string[]> {
    const { body } = await service.call('GET', '/connectors')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service keeps to its schemas, as its tests check
    return (body as readonly ConnectorResponse[]).map(({ id }) => id).toSorted()
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  async function look(name: string): Promise<void> {
    await assertAccessible(page, name)
    await page.setViewportSize({ width: 390, height: 844 })
    await assertNotWide(page, name)
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  it('The rules of an adapter are changed by keyboard; rules and options that the page does not show stay', async () => {
    const kept = { from: 'count', type: 'PART_COUNT', category: 'EVENT', key: 'count', value: '$', scale: 2 }
    const state = { from: 'DB10.W4', type: 'EXECUTION', category: 'EVENT', key: 'execution', value: '$' }
    await put('press', {
      name: 'Presses',
      kind: 'shdr',
      address: adapter.address,
      sourceId: 'older',
      machines: [{ source: 'press', machineId: machine.press, timeOffsetMs: 3 }],
      rules: [{ ...state, map: { '3': 'ACTIVE' } }, kept],
      options: { heartbeatMs: 7_000 },
    })
    const before = await stored('press')
    await page.goto(`${service.url}/app/connectors`)
    await page.getByRole('link', { name: 'Map values: Presses' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('You change the connector Presses.').waitFor()
    await page.getByText('1 rule that this page cannot show stays unchanged.').waitFor()
    assert.equal(await page.getByLabel('Machine', { exact: true }).inputValue(), machine.press)
    const values = page.getByLabel('Values', { exact: true })
    assert.equal(await values.inputValue(), '3 = ACTIVE')
    await button('Find devices and values').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /DB10\.W4.*5/ }).waitFor()
    assert.isTrue(await button('Map DB10.W4').isDisabled())
    assert.isTrue(await button('Map count').isDisabled())
    await values.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('\n5 = READY')
    await look('adapter')
    await button('Try on what was read').focus()
    await page.keyboard.press('Enter')
    await page.getByText('press Inactive').waitFor()
    await button('Save').focus()
    await page.keyboard.press('Enter')
    await page.getByText('The connector was saved.').waitFor()
    assert.deepEqual(await connectorIds(), ['press'])
    const rules = [{ ...state, map: { '3': 'ACTIVE', '5': 'READY' } }, kept]
    assert.deepEqual<object>(await stored('press'), { ...before, rules })
  })

  it('Devices of an agent are added; paths, expanded entries and a connector that is off stay', async () => {
    await put('mills', {
      name: 'Mills',
      kind: 'mtconnect',
      address: agent.url,
      enabled: false,
      machines: [{ source: 'mill-5', machineId: machine.mill, expand: ['vars.T1'], paths: { p2: machine.mill } }],
      options: { start: 'buffer' },
    })
    const before = await stored('mills')
    await page.goto(`${service.url}/app/connect?connector=mills`)
    await page.getByText('You change the connector Mills.').waitFor()
    assert.isTrue(await page.getByRole('checkbox', { name: 'Connect mill-5' }).isChecked())
    await button('Find devices and values').click()
    assert.isFalse(await page.getByRole('checkbox', { name: 'Connect Mill 6' }).isChecked())
    assert.isTrue(await page.getByRole('checkbox', { name: 'Connect Mill 5' }).isChecked())
    await page.getByRole('checkbox', { name: 'Connect Mill 6' }).press('Space')
    await look('agent')
    await button('Save').click()
    await page.getByText('The connector was saved.').waitFor()
    const after = await stored('mills')
    const { machines } = after
    assert.deepEqual({ ...after, machines: [] }, { ...before, machines: [] })
    assert.deepEqual(machines[0], before.machines[0])
    assert.deepEqual(
      machines.slice(1).map(({ source }) => source),
      ['Mill 6'],
    )
    // A change after the first save changes the same connector, also of its address.
    await page.getByLabel('Name of the connector').fill('All mills')
    await button('Save').click()
    await page.getByText('The connector was saved.').waitFor()
    assert.equal((await stored('mills')).name, 'All mills')
    assert.deepEqual(await connectorIds(), ['mills', 'press'])
  })

  it('The rules of a broker are changed in German without reading it; a stored password stays', async function () {
    await page.context().close()
    await openPage('de')
    requireMosquitto(this)
    broker = await Mosquitto.start({ folder: join(folder, 'mosquitto') })
    const state = { from: 'plant/mill/state', value: '$.code', key: 'execution', type: 'EXECUTION', category: 'EVENT' }
    const lastWill = { from: 'plant/+/lwt', equals: 'offline', unavailable: true }
    const timed = { time: '$.ts', timeUnit: 's' }
    await service.call('DELETE', '/connectors/press')
    await put('plant', {
      name: 'Halle 2',
      kind: 'mqtt',
      address: broker.address,
      machines: [{ source: 'plant/{name}', machineId: { mill: machine.press } }],
      rules: [{ ...state, ...timed, map: { '1': 'ACTIVE' } }, lastWill],
      options: { user: 'takt', brokerQueue: 17 },
      secrets: { password: 'sesame' },
    })
    const before = await stored('plant')
    await page.goto(`${service.url}/app/connectors`)
    await page.getByRole('link', { name: 'Werte zuordnen: Halle 2' }).click()
    await page.getByText('Sie ändern die Datenquelle Halle 2.').waitFor()
    await page.getByText('1 Regel, die diese Seite nicht zeigen kann, bleibt unverändert.').waitFor()
    await page.getByText('1 Maschine, die diese Seite nicht zeigen kann, bleibt unverändert.').waitFor()
    await page.getByText('Das gespeicherte Passwort bleibt.').waitFor()
    assert.equal(await page.getByLabel('Benutzer (optional)').inputValue(), 'takt')
    await page.getByLabel('Pfad im JSON').fill('$.state')
    await look('broker')
    await button('Speichern').press('Enter')
    await page.getByText('Die Datenquelle wurde gespeichert.').waitFor()
    const rules = [{ ...state, ...timed, value: '$.state', map: { '1': 'ACTIVE' } }, lastWill]
    assert.deepEqual<object>(await stored('plant'), { ...before, rules })
    assert.deepEqual((await stored('plant')).secrets, { password: true })
    assert.deepEqual(await connectorIds(), ['mills', 'plant'])
  })

  it('The last error of a connector is German on a German page', async () => {
    const machines = [{ source: 'lathe', machineId: machine.lathe }]
    await put('dead', { name: 'Presse 9', kind: 'shdr', address: 'tcp://127.0.0.1:9', machines })
    await page.goto(`${service.url}/app/connectors`)
    const card = page.getByRole('article', { name: 'Presse 9' })
    await card
      .getByText('unter dieser Adresse nimmt nichts Verbindungen an (connect ECONNREFUSED 127.0.0.1:9)')
      .waitFor()
  })

  it('A changed host requires the stored secrets again; those that are left empty are deleted', async () => {
    await page.context().close()
    await openPage('en')
    const machines = [{ source: 'mill-5', machineId: machine.mill }]
    const secrets = { password: 'sesame', ca: 'old authority', certificateFile: 'certificate' }
    await service.call('DELETE', '/connectors/mills')
    await put('moved', {
      name: 'Moved',
      kind: 'mtconnect',
      address: 'https://127.0.0.1:9',
      enabled: false,
      machines,
      secrets,
    })
    await page.goto(`${service.url}/app/connect?connector=moved`)
    await page.getByText('The stored password stays.').waitFor()
    assert.equal(await page.getByLabel('Certificate of the authority').count(), 0)
    await page.getByLabel('Address').fill('https://127.0.0.1:10')
    await page.getByText('The host has changed, and stored secrets are sent').waitFor()
    assert.equal(await page.getByText('The stored password stays.').count(), 0)
    await page.getByLabel('Password (optional)').fill('sesame 2')
    await page.getByLabel('Certificate of the authority', { exact: true }).fill('new authority')
    await look('moved')
    await button('Save').click()
    await page.getByText('The connector was saved.').waitFor()
    const after = await stored('moved')
    assert.equal(after.address, 'https://127.0.0.1:10')
    assert.deepEqual<object>(after.secrets, { password: true, ca: true })
  })

  it('A connector that does not exist is explained; of one to which senders post, the rules are changed', async () => {
    const rule = { from: 'DB10.W4', value: '$', key: 'execution', type: 'EXECUTION', category: 'EVENT' }
    await service.call('DELETE', '/connectors/dead')
    await put('posts', { name: 'Gateway', kind: 'http', machines: [{ machineId: machine.lathe }], rules: [rule] })
    const before = await stored('posts')
    await page.goto(`${service.url}/app/connect?connector=posts`)
    await page.getByText('You change the connector Gateway.').waitFor()
    assert.equal(await page.getByLabel('Machine whose values are posted').inputValue(), machine.lathe)
    await page.getByLabel('Values', { exact: true }).fill('3 = ACTIVE')
    await look('posts')
    await button('Save').click()
    await page.getByText('The connector was saved.').waitFor()
    assert.deepEqual<object>(await stored('posts'), { ...before, rules: [{ ...rule, map: { '3': 'ACTIVE' } }] })
    await page.goto(`${service.url}/app/connect?connector=missing`)
    await page.getByRole('alert').waitFor()
    assert.match(problems.splice(0).join('\n'), /404/)
  })
})
