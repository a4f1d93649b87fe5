import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Page } from 'playwright-core'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { createUser, headingOf, openScreen, signIn, usePages } from '../support/application-page.ts'
import { assertWalkable, testLooks } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

const lathe = randomUUID()
const mill = randomUUID()

/** One service and one browser; each test continues the previous one. */
describe('the incident report in the web application', function () {
  let service: TestService
  let page: Page
  const openPage = usePages()

  before(async function () {
    service = await startService()
    const { companyId, commands } = service
    const by = { kind: 'user', id: await createUser(service, 'Ann', 'it_admin'), name: 'Ann' } as const
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
    page = await openPage(this, service)
    await signIn(page, service, 'Ann')
  })
  after(() => service?.stop())

  const heading = (name: string) => headingOf(page, name)
  const open = (path: string, title: string) => openScreen(page, service, path, title)
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
