import { mkdirSync } from 'node:fs'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { hashPassword } from '../../api/auth/password.ts'
import { MtconnectAgent } from '../../demo/mtconnect-agent/agent.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { Adapter } from '../connect/shdr/adapter.ts'
import { assertAccessible, assertNotWide, openChromium, watchPage } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

const password = 'correct horse battery'
/** Key that is longer than the screen of a phone is wide. */
const longKey = 'plant.hall_2.line_4.station_12.controller.part_count'
/** If set, pictures of the pages are written to this folder. */
const pictures = process.env['TAKT_CONNECT_PICTURES'] ?? ''

/** One service and one browser; each test continues the previous one. */
describe('connecting machines in the web application', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]
  let agent: MtconnectAgent
  let adapter: Adapter
  let other: Adapter

  before(async function () {
    browser = await openChromium(this)
    service = await startService()
    const ann = { email: 'ann@plant.example', displayName: 'Ann', role: 'it_admin' } as const
    const payload = { ...ann, passwordHash: await hashPassword(password) }
    resultOrThrow(await service.commands.submit('user.create', payload, { companyId: service.companyId }))
    agent = await MtconnectAgent.start({
      devices: [
        {
          name: 'Mill 5',
          uuid: 'mill-5',
          items: [
            { id: 'exec', name: 'execution', category: 'EVENT', type: 'EXECUTION' },
            { id: 'pc', name: 'parts', category: 'EVENT', type: 'PART_COUNT' },
            { id: 'sys', name: 'system', category: 'CONDITION', type: 'SYSTEM' },
          ],
        },
        {
          name: 'Sensor',
          uuid: 'sensor-1',
          items: [{ id: 't', name: 'temperature', category: 'SAMPLE', type: 'TEMPERATURE' }],
        },
      ],
    })
    agent.faults.clockOffsetMs = -90_000
    agent.add({ dataItemId: 'exec', value: 'ACTIVE', timestamp: new Date().toISOString() })
    adapter = await Adapter.start()
    adapter.send({ key: 'DB10.W4', value: '3', ms: Date.now() })
    adapter.send({ key: longKey, value: '7', ms: Date.now() }, { key: 'coolant_alarm', value: 'false', ms: Date.now() })
    other = await Adapter.start()
    other.send({ key: 'DB10.W4', value: '1', ms: Date.now() })
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    page = await context.newPage()
    problems = watchPage(page, service.url)
    await page.goto(service.url)
    await page.getByLabel('Email address').fill('ann@plant.example')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await heading('Floor')
  })
  after(async () => {
    await browser?.close()
    await agent?.close()
    await adapter?.close()
    await other?.close()
    await service?.stop()
  })
  afterEach(() => assert.deepEqual(problems.splice(0), []))

  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  /** Checks the page on a desktop and a phone, and takes pictures in both themes. */
  async function look(name: string): Promise<void> {
    await assertAccessible(page, name)
    for (const [form, width] of [
      ['desktop', 1440],
      ['phone', 390],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await assertNotWide(page, name)
      for (const theme of pictures === '' ? [] : (['light', 'dark'] as const)) {
        mkdirSync(pictures, { recursive: true })
        await page.emulateMedia({ colorScheme: theme })
        await page.screenshot({ path: `${pictures}/${name}-${form}-${theme}.png`, fullPage: true })
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  it('A source that cannot be read is explained', async () => {
    await page.getByRole('link', { name: 'Connect machines', exact: true }).click()
    await heading('Connect machines')
    await page.getByLabel('Address').fill('http://127.0.0.1:9')
    await button('Find devices and values').click()
    await page.getByText('The source cannot be read').waitFor()
  })

  it('The devices of an agent show what determines state and parts; a device becomes a machine after its values were watched', async () => {
    await page.getByLabel('Address').fill(agent.url)
    await button('Find devices and values').click()
    await page.getByRole('checkbox', { name: 'Connect Mill 5' }).waitFor()
    assert.isTrue(await page.getByRole('checkbox', { name: 'Connect Mill 5' }).isChecked())
    assert.isFalse(await page.getByRole('checkbox', { name: 'Connect Sensor' }).isChecked())
    await page.getByText('nothing determines the state').first().waitFor()
    await button('Start').click()
    await page.getByRole('row', { name: /execution.*ACTIVE/ }).waitFor()
    await page.getByText('Mill 5 Active').waitFor()
    await look('agent')
    await button('Stop').click()
    await button('Save and connect').click()
    await page.getByText('The connector was saved.').waitFor()
  })

  it('The page of connectors shows the state, and why a source cannot be read', async () => {
    await page.getByRole('link', { name: 'Connectors', exact: true }).first().click()
    await heading('Connectors')
    await page.getByText('Connected', { exact: true }).waitFor()
    // Its observations have the true time, so that they are ahead of the clock of the agent.
    agent.add({ dataItemId: 'exec', value: 'READY', timestamp: new Date().toISOString() })
    await page.getByRole('link', { name: /^Mill 5 · Clock 1 min \d\d s ahead$/ }).waitFor()
    await page.getByText(/^Clock of the source: 1 min \d\d s behind\. Set it, or set options\.timeOffsetMs/).waitFor()
    await look('connectors')
    agent.faults.isRefusing = true
    agent.cut()
    await page.getByText('Not connected', { exact: true }).waitFor()
    await page.getByText('cannot be read').waitFor()
    await look('connectors-down')
    agent.faults.isRefusing = false
    await page.getByText('Connected', { exact: true }).waitFor()
    agent.add({ dataItemId: 'exec', value: 'UNAVAILABLE', timestamp: new Date().toISOString() })
    await page.getByRole('link', { name: /^Mill 5/ }).click()
    await heading('Mill 5')
    await page.getByText('Unavailable: its source reports it as unavailable.').waitFor()
    await page.getByText(/^Clock 1 min \d\d s ahead\. Set it, or add -\d+ to timeOffsetMs/).waitFor()
  })

  it('Values of an adapter are mapped by hand and tried on what was read', async () => {
    await page.getByRole('link', { name: 'Connect machines', exact: true }).click()
    await button('SHDR adapter').click()
    await page.getByLabel('Address').fill(adapter.address)
    await button('Find devices and values').click()
    await button('Map DB10.W4').click()
    await button(`Map ${longKey}`).click()
    await button('Map coolant_alarm').click()
    await page.getByLabel('Meaning of coolant_alarm').waitFor()
    assert.equal(await page.getByLabel('Values', { exact: true }).last().inputValue(), 'true = FAULT\nfalse = NORMAL')
    assert.isTrue(await button('Save and connect').isDisabled())
    await page.getByText('Enter the name of each new machine.').waitFor()
    await page.getByLabel('Name of the machine').fill('Press 3')
    await page.getByLabel('Meaning of DB10.W4').selectOption('State')
    await page.getByText('Without values, the source must send ACTIVE').waitFor()
    await page.getByLabel('Values', { exact: true }).first().fill('3 = ACTIVE\n1 = READY')
    assert.equal(await page.getByText('Without values, the source must send ACTIVE').count(), 0)
    await button('Try on what was read').click()
    await page.getByText('Press 3 Active').waitFor()
    await look('adapter')
    // A value that comes later is read on, and the mapping is tried on it.
    await button('Read for two more minutes').click()
    await button('Stop').waitFor()
    await page.getByText('6 values read').waitFor()
    adapter.send({ key: 'DB10.W4', value: '1', ms: Date.now() })
    await page.getByText('7 values read').waitFor()
    await button('Try on what was read').click()
    await page.getByText('Press 3 Inactive').waitFor()
    await button('Stop').click()
    await button('Read for two more minutes').waitFor()
    await button('Save and connect').click()
    await page.getByText('The connector was saved.').waitFor()
  })

  it('Another source that is read afterwards on the same page is another connector', async () => {
    await page.getByLabel('Address').fill(other.address)
    await button('Find devices and values').click()
    await button('Map DB10.W4').click()
    await page.getByLabel('Name of the machine').fill('Press 4')
    await page.getByLabel('Name of the connector').fill('Other presses')
    await button('Save and connect').click()
    await page.getByText('The connector was saved.').waitFor()
    await page.getByRole('link', { name: 'Connectors', exact: true }).first().click()
    await page.getByRole('heading', { level: 2, name: 'Other presses' }).waitFor()
    assert.equal(await page.getByRole('heading', { level: 2 }).count(), 4)
  })

  it('Values that a sender posts are mapped by hand, tried on those of the last hour, and then determine the state', async () => {
    const machineId = '8a1c1f3e-6a0f-4c3e-9a51-000000000009'
    assert.equal((await service.call('PUT', `/machines/${machineId}`, { name: 'Saw 1' })).status, 200)
    const post = async (...values: readonly number[]) => {
      const samples = values.map((value, index) => {
        const timestamp = new Date(Date.now() - (values.length - index) * 60_000).toISOString()
        return { timestamp, key: 'DB10.W4', type: 'WORD', value }
      })
      assert.equal((await service.call('POST', '/ingest/samples', { machineId, samples })).status, 202)
    }
    await post(1, 3)
    await page.goto(`${service.url}/app/machine?machine=${machineId}`)
    await page.getByRole('link', { name: 'Map values' }).click()
    await heading('Connect machines')
    assert.equal(await page.getByLabel('Machine whose values are posted').inputValue(), machineId)
    await button('Find devices and values').click()
    await page.getByRole('row', { name: /DB10\.W4.*2.*3/ }).waitFor()
    await button('Map DB10.W4').click()
    await page.getByLabel('Values', { exact: true }).fill('3 = ACTIVE')
    await button('Try on what was read').click()
    await page.getByText('Saw 1 Active').waitFor()
    await page.getByText('1 × rules[0].map has no such text').waitFor()
    await page.getByLabel('Values', { exact: true }).fill('3 = ACTIVE\n1 = READY')
    await button('Try on what was read').click()
    await page.getByText('2 samples').waitFor()
    await look('posted')
    await button('Save and connect').click()
    await page.getByText('The connector was saved.').waitFor()
    await post(3)
    await page.goto(`${service.url}/app/machine?machine=${machineId}`)
    await page.getByText('Active', { exact: true }).first().waitFor()
    await page.goto(`${service.url}/app/connectors`)
    await page.getByRole('link', { name: 'Map values: Saw 1' }).click()
    await page.getByText('You change the connector Saw 1.').waitFor()
    assert.equal(await page.getByLabel('Values', { exact: true }).inputValue(), '1 = READY\n3 = ACTIVE')
    await page.getByText('A value that a rule has mapped is stored as mapped').waitFor()
    await button('Find devices and values').click()
    await page.getByRole('row', { name: /DB10\.W4.*2.*3/ }).waitFor()
    await page.goto(`${service.url}/app/connectors`)
  })

  it('The page of connectors shows when the last gap was, and how many values it lost', async () => {
    const card = page.getByRole('article', { name: 'Other presses' })
    await card.getByText('Connected', { exact: true }).waitFor()
    assert.equal(await card.getByText('Last gap').count(), 0)
    other.cut()
    await card.getByText(/^Last gap \w{3} \d+, 20\d\d, .+, for .+ · number of lost values unknown$/).waitFor()
    await look('connectors-gap')
  })
})
