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

/** Four machines are stopped, two of them by a fault. */
const nowMs = Date.parse('2026-03-12T14:36:00Z')
const simulated = { machines: 12, seed: 2, hours: 60 }
/** The further machines of the large plant have worked since the start of the shift. */
const large = { machines: 200, seed: 2, hours: 2 }

/** A wall of 4K at the usual scale of 2 has the same 1920 × 1080 pixels of CSS as one of Full HD. */
const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desk: { width: 1440, height: 900 },
  wall: { width: 1920, height: 1080 },
  '4k': { width: 3840, height: 2160 },
} as const
type View = readonly [size: keyof typeof sizes, theme: 'light' | 'dark']
/** Views of a screen with charts or tiles, which differ most between sizes and themes. */
const main: readonly View[] = [
  ['desk', 'light'],
  ['desk', 'dark'],
  ['tablet', 'light'],
  ['phone', 'light'],
  ['phone', 'dark'],
]
const some: readonly View[] = [
  ['desk', 'light'],
  ['phone', 'dark'],
]
/** Views of a screen with a wide table, whose rows are cards on a tablet. */
const wideTable: readonly View[] = [...some, ['tablet', 'light']]

const broker = {
  name: 'Press shop',
  kind: 'mqtt',
  address: 'mqtt://192.168.10.30:1883',
  machines: [],
  topics: [{ filter: 'plant/press/#' }],
  rules: [],
}

interface Screen {
  readonly path: string
  /** Heading; null: it is the name of a machine or of the company. */
  readonly title: string | null
  readonly views: readonly View[]
}

const plant = createPlant({ ...simulated, isDaily: true })
const idOf = (name: string) => plant.machines.find(machine => machine.name === name)?.id ?? ''
const screens: Readonly<Record<string, Screen>> = {
  floor: { path: '/', title: 'Floor', views: [...main, ['wall', 'dark'], ['4k', 'light']] },
  now: { path: '/app/now', title: 'Now', views: some },
  performance: { path: '/app/performance?period=yesterday', title: 'Performance', views: main },
  downtime: { path: '/app/downtime?period=yesterday', title: 'Downtime', views: main },
  machine: {
    path: `/app/machine?machine=${idOf('MillTurn 01')}&from=2026-03-12T08:00:00.000Z&to=2026-03-12T14:36:00.000Z`,
    title: null,
    views: main,
  },
  wall: {
    path: '/app/wall?every=3600',
    title: null,
    views: [
      ['wall', 'light'],
      ['wall', 'dark'],
      ['tablet', 'light'],
    ],
  },
  quality: { path: '/app/quality?period=yesterday', title: 'Quality', views: some },
  alarms: { path: '/app/alarms', title: 'Alarms', views: some },
  incidents: { path: '/app/incidents', title: 'Incidents', views: wideTable },
  alerts: { path: '/app/alerts', title: 'Alerts', views: some },
  connect: { path: '/app/connect', title: 'Connect machines', views: some },
  connectors: { path: '/app/connectors', title: 'Connectors', views: some },
  jobs: { path: '/app/jobs', title: 'Jobs', views: wideTable },
  settings: { path: '/app/settings', title: 'Settings', views: wideTable },
  schedules: { path: '/app/settings?part=schedules', title: 'Settings', views: some },
  users: { path: '/app/settings?part=users', title: 'Settings', views: some },
  system: { path: '/app/settings?part=system', title: 'Settings', views: some },
  keys: { path: '/app/keys', title: 'API keys', views: some },
}
const largeWall: Screen = {
  path: '/app/wall?every=3600',
  title: null,
  views: [
    ['4k', 'dark'],
    ['wall', 'light'],
  ],
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
    // The headless shell denies notifications; a new user has not been asked.
    await page.addInitScript("Object.defineProperty(Notification, 'permission', { value: 'default' })")
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
    await simulate(simulated)
    const requests = [
      ['POST', '/calls', { machineId: idOf('Mill 02'), kind: 'material', note: 'Bar stock 30 mm' }],
      ['PUT', '/connectors/gateway', { name: 'Gateway of hall 2', kind: 'http' }],
      ['PUT', '/connectors/broker', { ...broker, enabled: false }],
    ] as const
    for (const [method, path, body] of requests) {
      const { status } = await service.call(method, path, body)
      assert.isBelow(status, 300, path)
    }
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

  /** Creates missing machines with their history. */
  async function simulate(settings: typeof simulated): Promise<void> {
    const { companyId, records, commands, log } = service
    const dataDir = mkdtempSync(join(folder, 'demo-'))
    const logger = pino({ level: 'silent' })
    const clock = () => nowMs
    const demo = startDemo({ companyId, records, commands, log, settings: { dataDir, ...settings }, logger, clock })
    await demo.live
    await demo.stop()
    await service.settled()
  }

  async function show([size, theme]: View): Promise<void> {
    await page.setViewportSize(sizes[size])
    await page.emulateMedia({ colorScheme: theme })
  }

  /** Compares the views of a screen with the stored pictures. */
  async function compare(name: string, { path, title, views }: Screen): Promise<void> {
    await show(views[0] ?? ['desk', 'light'])
    await page.goto(service.url + path)
    await page.getByRole('heading', title === null ? { level: 1 } : { level: 1, name: title }).waitFor()
    await page.getByText('Loading …').first().waitFor({ state: 'detached' })
    await page.waitForLoadState('networkidle')
    const differences: string[] = []
    for (const view of views) {
      await show(view)
      await page.locator('[data-stale="true"], .placeholder, .loading').first().waitFor({ state: 'detached' })
      const difference = await comparePicture(page, `${name}-${view.join('-')}`)
      if (difference !== null) differences.push(difference)
    }
    assert.deepEqual(differences, [], 'after an intended change, write the pictures: docs/developing.md')
    assert.deepEqual(problems.splice(0), [])
  }

  for (const [name, screen] of Object.entries(screens))
    it(`The screen ${name} equals its pictures in docs/pictures`, () => compare(name, screen))

  it('The wall of 200 machines equals its pictures in docs/pictures', async () => {
    await simulate(large)
    await compare('wall-of-200', largeWall)
  })
})
