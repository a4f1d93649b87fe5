import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { hashPassword } from '../../api/auth/password.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { assertWalkable, openChromium, testLooks, watchPage } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

const password = 'correct horse battery'
const lathe = randomUUID()
const mill = randomUUID()

/** One service and one browser; each test continues the previous one. */
describe('the incident report in the web application', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]

  before(async function () {
    browser = await openChromium(this)
    service = await startService()
    const { companyId, commands } = service
    const ann = { email: 'ann@plant.example', displayName: 'Ann', role: 'it_admin' } as const
    const { id: userId } = resultOrThrow(
      await commands.submit('user.create', { ...ann, passwordHash: await hashPassword(password) }, { companyId }),
    )
    const by = { kind: 'user', id: userId, name: 'Ann' } as const
    for (const [id, name] of [
      [lathe, 'Lathe 1'],
      [mill, 'Mill 2'],
    ] as const)
      resultOrThrow(await commands.submit('machine.put', { id, name }, { companyId }))
    const open = async (machineId: string, kind: string) =>
      resultOrThrow(await commands.submit('call.open', { machineId, kind, note: '', by }, { companyId })).id
    const first = await open(lathe, 'material')
    await open(lathe, 'help')
    await open(mill, 'material')
    resultOrThrow(await commands.submit('incident.acknowledge', { id: first, by }, { companyId }))
    resultOrThrow(await commands.submit('incident.resolve', { id: first, by }, { companyId }))
    await service.settled()
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
    await service?.stop()
  })
  afterEach(() => assert.deepEqual(problems.splice(0), []))

  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const open = async (path: string, title: string) => {
    await page.goto(service.url + path)
    await heading(title)
    await page.getByText('Loading …').first().waitFor({ state: 'detached' })
  }
  const rows = () =>
    page
      .getByRole('region', { name: /incidents/i })
      .getByRole('rowheader')
      .allTextContents()

  it('Incidents are grouped, and a click on a group lists the incidents behind its numbers', async () => {
    await open('/app/incidents', 'Incidents')
    await page.getByRole('row', { name: /^Lathe 1 2 / }).waitFor()
    await page.getByRole('row', { name: /^Mill 2 1 / }).waitFor()
    assert.sameMembers(await rows(), ['Lathe 1', 'Lathe 1', 'Mill 2'])
    await page.getByRole('button', { name: 'Mill 2', exact: true }).click()
    await page.getByRole('heading', { name: 'Incidents: Mill 2' }).waitFor()
    assert.deepEqual(await rows(), ['Mill 2'])
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('Acknowledged by')
    await page.getByRole('button', { name: 'Ann', exact: true }).click()
    await page.getByRole('heading', { name: 'Incidents: Ann' }).waitFor()
    assert.deepEqual(await rows(), ['Lathe 1'])
    await page.getByRole('row', { name: /^Not acknowledged 2 / }).waitFor()
  })

  it('An incident of the list opens with its details', async () => {
    await page.getByRole('region', { name: 'Incidents: Ann' }).getByRole('link').click()
    await heading('Now')
    await page.getByRole('dialog', { name: 'Lathe 1' }).getByText('Acknowledged').first().waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Incidents: Ann' }).waitFor()
    await open('/app/incidents', 'Incidents')
    await assertWalkable(page, 'Incidents')
  })

  testLooks(() => page, [['/app/incidents', 'Incidents']], open)
})
