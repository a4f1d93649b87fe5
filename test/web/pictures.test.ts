import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { pino } from 'pino'
import type { Browser, Page } from 'playwright-core'
import { startDemo } from '../../demo/demo.ts'
import { createPlant } from '../../demo/simulate/plant.ts'
import { fixClock, openChromium, watchPage } from '../support/chromium.ts'
import { noteMaker, otherMaker } from '../support/picture-maker.ts'
import { comparePicture, isWriting } from '../support/pictures.ts'
import { startService, type TestService } from '../support/service.ts'
import { noteSkipped } from '../support/skipped.ts'

const nowMs = Date.parse('2026-03-12T13:20:00Z')
const simulated = { machines: 12, seed: 5, hours: 60 }

/** A wall of 4K at the usual scale of 2 has the same 1920 × 1080 pixels of CSS as one of Full HD. */
const sizes = {
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
  wall: { width: 1920, height: 1080 },
} as const
type View = readonly [size: keyof typeof sizes, theme: 'light' | 'dark']
const all: readonly View[] = [
  ['desk', 'light'],
  ['desk', 'dark'],
  ['wall', 'light'],
  ['wall', 'dark'],
  ['phone', 'light'],
  ['phone', 'dark'],
]
const some: readonly View[] = [
  ['desk', 'light'],
  ['phone', 'dark'],
]

interface Screen {
  readonly path: string
  readonly title: string
  readonly views: readonly View[]
}

const machine = createPlant({ ...simulated, isDaily: true }).machines[1]?.id ?? ''
const screens: Readonly<Record<string, Screen>> = {
  floor: { path: '/', title: 'Floor', views: all },
  performance: { path: '/app/performance?period=yesterday', title: 'Performance', views: all },
  downtime: { path: '/app/downtime?period=yesterday', title: 'Downtime', views: all },
  machine: {
    path: `/app/machine?machine=${machine}&from=2026-03-12T07:00:00.000Z&to=2026-03-12T13:20:00.000Z`,
    // The title is the name of the machine.
    title: '',
    views: all,
  },
  wall: {
    path: '/app/wall?every=3600',
    title: '',
    views: [
      ['wall', 'light'],
      ['wall', 'dark'],
    ],
  },
  quality: { path: '/app/quality?period=yesterday', title: 'Quality', views: some },
  alarms: { path: '/app/alarms', title: 'Alarms', views: some },
  jobs: { path: '/app/jobs', title: 'Jobs', views: some },
  settings: { path: '/app/settings', title: 'Settings', views: some },
  schedules: { path: '/app/settings?part=schedules', title: 'Settings', views: some },
  keys: { path: '/app/keys', title: 'API keys', views: some },
}

/** The simulated plant at a fixed instant: equal data, equal clock, equal pictures. */
describe('the pictures of the screens', function () {
  let service: TestService
  let browser: Browser
  let page: Page
  let problems: string[]
  let folder: string

  before(async function () {
    browser = await openChromium(this)
    if (isWriting) noteMaker(browser)
    const other = otherMaker(browser)
    if (other !== null) {
      noteSkipped('the pictures of the screens', other)
      this.skip()
    }
    service = await startService({ nowMs })
    folder = mkdtempSync(join(tmpdir(), 'takt-pictures-'))
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' })
    page = await context.newPage()

    problems = watchPage(page, service.url)
    await fixClock(page, nowMs)
    const user = { displayName: 'Ann Miller', email: 'ann@plant.example', password: 'correct horse battery' }
    const company = {
      companyName: 'Riverside Works',
      timeZone: 'Europe/Berlin',
      startOfDay: '06:00',
      microstopMs: 120_000,
    }
    const setUp = await fetch(`${service.url}/set-up`, {
      method: 'POST',
      headers: { origin: service.url, 'content-type': 'application/json' },
      body: JSON.stringify({ token: service.setUpToken, ...company, ...user }),
    })
    assert.equal(setUp.status, 200, await setUp.text())
    const { companyId, records, commands, log } = service
    const demo = startDemo({
      companyId,
      records,
      commands,
      log,
      settings: { dataDir: folder, ...simulated },
      logger: pino({ level: 'silent' }),
      clock: () => nowMs,
    })
    await demo.live
    await demo.stop()
    await service.settled()
    await page.goto(`${service.url}/app/sign-in`)
    await page.getByLabel('Email address').fill(user.email)
    await page.getByLabel('Password', { exact: true }).fill(user.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Floor' }).waitFor()
    await page.waitForLoadState('networkidle')
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  async function show([size, theme]: View): Promise<void> {
    await page.setViewportSize(sizes[size])
    await page.emulateMedia({ colorScheme: theme })
  }

  for (const [name, { path, title, views }] of Object.entries(screens)) {
    it(`The screen ${name} equals its pictures in docs/pictures`, async () => {
      await show(views[0] ?? ['desk', 'light'])
      await page.goto(service.url + path)
      await page.getByRole('heading', title === '' ? { level: 1 } : { level: 1, name: title }).waitFor()
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      await page.waitForLoadState('networkidle')
      const differences: string[] = []
      for (const view of views) {
        await show(view)
        await page.getByText('Loading …').first().waitFor({ state: 'detached' })
        await page.locator('[data-stale="true"]').first().waitFor({ state: 'detached' })
        const difference = await comparePicture(page, `${name}-${view.join('-')}`)
        if (difference !== null) differences.push(difference)
      }
      assert.deepEqual(differences, [], 'after an intended change, write the pictures: docs/developing.md')
      assert.deepEqual(problems.splice(0), [])
    })
  }
})
