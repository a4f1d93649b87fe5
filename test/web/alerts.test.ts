import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import type { Page } from 'playwright-core'
import { createUser, openScreen, signIn, usePages } from '../support/application-page.ts'
import { assertAccessible, assertWalkable, testLooks } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

const hourMs = 3_600_000

/** One service and one browser; each test continues the previous one. */
describe('alert rules in the web application', function () {
  let service: TestService
  let page: Page
  const openPage = usePages()

  before(async function () {
    service = await startService()
    await createUser(service, 'Ann', 'manager')
    page = await openPage(this, service)
    await signIn(page, service, 'Ann')
  })
  after(() => service?.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const open = (path: string, title: string) => openScreen(page, service, path, title)

  it('Targets are created, and a rule of a template is a sentence', async () => {
    await open('/app/alerts', 'Alerts')
    await button('Add a target').click()
    await page.getByLabel('Name').fill('Shift leaders')
    await page.getByLabel('Kind').selectOption('mail')
    await page.getByLabel('Mail addresses').fill('a@plant.example, b@plant.example')
    await button('Create').click()
    await page.getByText('a@plant.example, b@plant.example').waitFor()
    await button('Add a target').click()
    await page.getByLabel('Name').fill('Maintenance')
    await page.getByLabel('Kind').selectOption('user')
    await button('Create').click()
    await page.getByRole('row', { name: /^Maintenance User Ann/ }).waitFor()
    await button('Long uncategorized stop').click()
    await page.getByRole('group', { name: 'Notify', exact: true }).getByLabel('Shift leaders').check()
    await page.getByRole('group', { name: 'Then also notify' }).getByLabel('Maintenance').check()
    await page.getByLabel('Minutes until the escalation').fill('30')
    await button('Create').click()
    const rule = page.getByRole('article', { name: 'Long uncategorized stop' })
    await rule
      .getByText(
        'When a machine is down (reason: Uncategorized) for 10 min in scheduled time, notify Shift leaders; also Maintenance after 30 min.',
      )
      .waitFor()
    const { body } = await service.call('GET', '/alert-rules')
    const [stored] = Array.isArray(body) ? body : []
    assert.deepInclude(stored, {
      condition: { stop: { reasons: ['uncategorized'] } },
      forMs: 600_000,
      when: { scheduled: true, shifts: [], days: [] },
    })
  })

  it('A rule is changed, turned off and deleted', async () => {
    const rule = page.getByRole('article', { name: 'Long uncategorized stop' })
    await button('Edit: Long uncategorized stop').click()
    assert.equal(await page.getByLabel('For minutes').inputValue(), '10')
    await page.getByLabel('For minutes').fill('15')
    await button('Save').click()
    await rule.getByText('for 15 min').waitFor()
    await button('Turn off: Long uncategorized stop').click()
    await rule.getByText('off', { exact: true }).waitFor()
    await button('Delete: Long uncategorized stop').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await rule.waitFor({ state: 'detached' })
    await button('Machine in fault').click()
    await button('Create').click()
    await page.getByText('When a machine has the status Fault for 5 min, show an incident.').waitFor()
    await open('/app/alerts', 'Alerts')
    await assertWalkable(page, 'Alerts')
  })

  it('A test of a rule lists the incidents of the last days and the targets that it would have notified', async () => {
    const machineId = randomUUID()
    const startMs = Date.now() - 3 * hourMs
    const at = (hour: number) => new Date(startMs + hour * hourMs).toISOString()
    await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe 1', commissionedAt: at(0), staleAfterMs: null })
    const samples = (['ACTIVE', 'STOPPED', 'ACTIVE'] as const).map((value, hour) => ({
      machineId,
      timestamp: at(hour),
      key: 'execution',
      type: 'EXECUTION',
      value,
    }))
    assert.equal((await service.call('POST', '/ingest/samples', samples)).status, 202)
    await service.settled()
    await open('/app/alerts', 'Alerts')
    await button('Test: Machine in fault').click()
    const dialog = page.getByRole('dialog', { name: 'Test of Machine in fault' })
    await dialog.getByText('The rule would have opened no incidents in the last 7 days.').waitFor()
    await page.keyboard.press('Escape')
    await button('Edit: Machine in fault').click()
    const statuses = page.getByRole('group', { name: 'Statuses' })
    await statuses.getByLabel('Fault').uncheck()
    await statuses.getByLabel('Inactive').check()
    await page.getByRole('group', { name: 'Notify', exact: true }).getByLabel('Shift leaders').check()
    await button('Test').click()
    await dialog.getByText('The rule would have opened 1 incident on 1 machine in the last 7 days.').waitFor()
    await dialog.getByText('it would have notified Shift leaders once.').waitFor()
    await dialog.getByRole('row', { name: /Lathe 1 1 h 00 min Shift leaders/ }).waitFor()
    await assertAccessible(page, 'test of a rule')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.isTrue(await statuses.getByLabel('Inactive').isChecked())
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('When a machine has the status Fault for 5 min, show an incident.').waitFor()
  })

  testLooks(() => page, [['/app/alerts', 'Alerts']], open)
})
