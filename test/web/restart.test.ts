import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { type ChildService, startChild } from '../support/child-service.ts'
import { openChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-ports.ts'
import { testKey } from '../support/service.ts'

const machineId = 'a0000000-0000-4000-8000-000000000001'

/** One process that is killed and restarted on its port and folder, while a page stays open without a reload. */
describe('the web application of a killed service', function () {
  let env: Readonly<Record<string, string>>
  let folder: string
  let service: ChildService
  let browser: Browser
  let page: Page
  let wall: Page

  before(async function () {
    browser = await openChromium(this)
    folder = mkdtempSync(join(tmpdir(), 'takt-restart-'))
    env = { TAKT_PORT: String(await freePort()), TAKT_DATA_DIR: folder }
    service = await startChild(env)
    assert.equal((await service.call('PUT', `/machines/${machineId}`, { name: 'Lathe 1' })).status, 200)
    const context = await browser.newContext({ locale: 'en-US' })
    page = await context.newPage()
    await page.goto(`${service.url}/#key=${encodeURIComponent(testKey)}`)
    wall = await context.newPage()
    await wall.goto(`${service.url}/app/wall#key=${encodeURIComponent(testKey)}`)
    for (const each of [page, wall]) await each.evaluate('window.isThatOfTheStart = true')
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  const tile = (of: Page) => of.locator('.tile', { hasText: 'Lathe 1' })

  async function send(value: string): Promise<void> {
    const sample = { machineId, timestamp: new Date().toISOString(), key: 'execution', type: 'EXECUTION', value }
    assert.equal((await service.call('POST', '/ingest/samples', [sample])).status, 202)
  }

  it('During an outage the page shows that it is offline with the last values, and then becomes live automatically', async () => {
    await send('ACTIVE')
    for (const each of [page, wall]) {
      await each.getByText('Live', { exact: true }).waitFor()
      await tile(each).getByText('Active', { exact: true }).waitFor()
    }
    await service.kill()
    await page.getByText('The service does not respond. The page shows the last values').waitFor()
    for (const each of [page, wall]) {
      await each.getByText('Connection lost').waitFor()
      await tile(each).getByText('Active', { exact: true }).waitFor()
    }
    service = await startChild(env)
    for (const each of [page, wall]) await each.getByText('Live', { exact: true }).waitFor()
    await page.locator('.offline').waitFor({ state: 'hidden' })
    await send('READY')
    for (const each of [page, wall]) {
      await tile(each).getByText('Inactive', { exact: true }).waitFor()
      assert.isTrue(await each.evaluate('window.isThatOfTheStart'))
    }
  })

  it('A report that failed during an outage is shown after the outage', async () => {
    await page.getByRole('link', { name: 'Performance' }).click()
    await page.locator('[data-figure="oee"]').waitFor()
    await service.kill()
    await page.getByLabel('Period').selectOption('Yesterday')
    await page.getByText('The service does not respond. Check that it is running').first().waitFor()
    service = await startChild(env)
    await page.locator('[data-stale="true"]').waitFor({ state: 'detached' })
    await page.locator('[data-figure="oee"], .empty').first().waitFor()
    await page.getByText('The service does not respond').first().waitFor({ state: 'detached' })
    assert.isTrue(await page.evaluate('window.isThatOfTheStart'))
  })

  it('A running simulated plant can be removed by a button in the application', async () => {
    await service.stop()
    service = await startChild({ ...env, TAKT_DEMO: '1', TAKT_DEMO_MACHINES: '3', TAKT_DEMO_HOURS: '1' })
    await page.getByRole('link', { name: 'Floor', exact: true }).click()
    await page.getByRole('button', { name: 'All 4', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'System' }).click()
    await page.getByText('3 machines are simulated').waitFor()
    await page.getByRole('button', { name: 'Remove the simulated plant' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the simulated plant' }).click()
    await page.getByRole('button', { name: 'Remove the simulated plant' }).first().waitFor({ state: 'detached' })
    assert.deepEqual((await service.call('GET', '/demo')).body, { machines: 0, complete: 1 })
    await page.getByRole('link', { name: 'Floor', exact: true }).click()
    await page.getByRole('button', { name: 'All 1', exact: true }).waitFor()
    await tile(page).waitFor()
  })
})
