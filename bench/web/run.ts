/**
 * Measures the web application in Chromium, with an embedded service as users start it, a year of history and machines that send samples: the
 * times until screens show their values, also while history is filled in, the tasks of the page while machines change, a year of a machine's
 * timeline, and the size of the scripts.
 *
 *   node --import tsx bench/web/run.ts [machines=5000] [samples a second=6000] [changes a second=500] [seconds=10] [folder that is kept and used again]
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { Health } from '../../schema/requests/health.ts'
import { buildApp } from '../../service/app/build-app.ts'
import type { MachineListItem } from '../../schema/records/machine.ts'
import { type ChildService, startChild } from '../../test/support/child-service.ts'
import { launchChromium } from '../../test/support/chromium.ts'
import { readAs } from '../../test/support/read-as.ts'
import { scriptBytes } from '../../test/support/script-bytes.ts'
import { settled, testKey } from '../../test/support/service.ts'
import { timed, Times } from '../reports/measure.ts'
import type { GatewaysOrder } from '../steady/gateways.ts'
import { ask, startScript } from '../support/processes.ts'
import type { ChangesOrder, ChangesReport } from './changing.ts'
import { timeOfSpan, watchDrawing } from './drawing.ts'
import { writePlant } from './history.ts'
import { screens, timeOfScreen } from './screens.ts'
import { tasksOf } from './tasks.ts'
import { addYear, type YearOfMachine } from './year.ts'

const [machineCount = 5_000, samplesPerSecond = 6_000, perSecond = 500, seconds = 10] = process.argv
  .slice(2, 6)
  .map(Number)
const kept = process.argv[6]
const repeats = 8
/** The floor has joined its channel and shows its first figures. */
const warmMs = 3_000
/** The machines' first samples have been computed. */
const startedMs = 20_000
const computedWithinMs = 600_000
/** Machines with a year of samples that are sent while screens are measured. */
const filled = 40

const bytes = scriptBytes(await buildApp(fileURLToPath(new URL('../..', import.meta.url))))
print('script, gzip', `${kilobytes(bytes.all)}, in one language ${kilobytes(bytes.oneLanguage)}`)
print('  of the first screen', kilobytes(bytes.firstScreen))
const dataDir = kept ?? mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
if (!existsSync(join(dataDir, 'store'))) await writePlant(dataDir, machineCount, progress)
const service = await startChild({ TAKT_DATA_DIR: dataDir })
const gateways = startScript(new URL('../steady/gateways.ts', import.meta.url))
const changing = startScript(new URL('changing.ts', import.meta.url))
const browser = await launchChromium()
try {
  const machines = readAs<readonly MachineListItem[]>((await service.call('GET', '/machines')).body)
    .filter(({ name }) => name.startsWith('Machine'))
    .map(({ id }) => id)
  progress('a year of one more machine is sent')
  const year = await addYear(service)
  await computed(service)
  const to = { url: service.url, key: testKey, machines }
  await ask(gateways, { ...to, perSecond: samplesPerSecond, beforeMs: 0 } satisfies GatewaysOrder)
  await sleep(startedMs)
  const context = await browser.newContext({ locale: 'en-US' })
  const page = await context.newPage()
  await page.goto(`${service.url}/app/account#key=${encodeURIComponent(testKey)}`)
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await measureScreens(service, page, '')
  await measureWithoutCache(service, page)
  progress('a year of a machine is opened')
  await page.setViewportSize({ width: 1440, height: 900 })
  await watchDrawing(page)
  await measureYear(service, page, year)
  await page.goto(service.url)
  progress(`${perSecond} changes a second`)
  await ask(changing, { ...to, perSecond } satisfies ChangesOrder)
  await sleep(warmMs)
  await measureTasks(browser, page)
  changing.kill()
  progress(`${filled} years are filled in`)
  const filling = fill(service)
  await sleep(warmMs)
  const before = await backlogOf(service)
  await measureScreens(service, page, ', filling')
  print('hours to compute', `${before} before, ${await backlogOf(service)} after`)
  await filling
  print('load of the machine', loadavg()[0]?.toFixed(1) ?? '')
} finally {
  gateways.kill()
  changing.kill()
  await browser.close()
  await service.kill()
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true })
}

/** Opens each screen repeatedly, with the scripts in the browser's cache. */
async function measureScreens({ url }: ChildService, page: Page, name: string): Promise<void> {
  for (const screen of screens) {
    progress(`${screen.name}${name}`)
    print(`${screen.name}${name}`, String(await timeOfScreen(page, url, screen, repeats)))
  }
}

/** Opens the first screen with nothing in the browser's cache. */
async function measureWithoutCache({ url }: ChildService, page: Page): Promise<void> {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  for (const screen of screens.slice(0, 1))
    print(`${screen.name}, no cache`, String(await timeOfScreen(page, url, screen, repeats)))
  await network.detach()
}

async function fill(child: ChildService): Promise<void> {
  for (let i = 0; i < filled; i++) await addYear(child)
}

/** Machine-hours to compute. */
async function backlogOf(child: ChildService): Promise<number> {
  return readAs<Health>((await child.call('GET', '/health')).body).backlog.hours
}

/** Resolves when all documents of the time since the last stop are computed. */
async function computed(child: ChildService): Promise<void> {
  await settled(child.url, computedWithinMs)
  for (const untilMs = Date.now() + computedWithinMs; (await backlogOf(child)) > 0; await sleep(1_000))
    if (Date.now() > untilMs) throw new Error('The documents were not computed')
}

async function measureTasks(chromium: Browser, page: Page): Promise<void> {
  const look = () => ask<ChangesReport>(changing, {})
  let [before, after] = [await look(), await look()]
  const tasks = await tasksOf(chromium, page, async () => {
    before = await look()
    await sleep(seconds * 1_000)
    after = await look()
  })
  const changes = (after.accepted - before.accepted) / seconds
  const cpuMs = tasks.cpuMs.reduce((sum, ms) => sum + ms, 0)
  const [longestCpu = 0] = tasks.cpuMs
  const [longest = 0] = tasks.clockMs
  print('changes accepted', `${changes.toFixed(0)}/s, ${after.refused} posts refused`)
  print('longest tasks, CPU', `${tasks.cpuMs.slice(0, 5).map(Math.round).join(', ')} ms`)
  print('  above 50 ms of CPU', `${tasks.cpuMs.filter(ms => ms > 50).length}; longest ${longestCpu.toFixed(1)} ms`)
  print('  by the clock', `longest ${longest.toFixed(1)} ms`)
  print('CPU of the main thread', `${(cpuMs / seconds / 10).toFixed(1)} % of a core`)
}

async function measureYear(child: ChildService, page: Page, year: YearOfMachine): Promise<void> {
  const { machineId, startMs, endMs } = year
  const range = `start=${new Date(startMs).toISOString()}&end=${new Date(endMs).toISOString()}&points=600`
  const [route, answer, drawn] = [new Times(), new Times(), new Times()]
  for (let i = 0; i < repeats; i++)
    route.add(await timed(() => child.call('GET', `/machines/${machineId}/timeline?${range}`)))
  await page.goto(`${child.url}/app/machine?machine=${machineId}`)
  await page.locator('.lane-canvas').waitFor()
  for (let i = 0; i < repeats; i++) {
    const times = await timeOfSpan(page, '1 year')
    answer.add(times.answerMs)
    drawn.add(times.drawnMs)
    await timeOfSpan(page, '24 hours')
  }
  print('a year: the route', String(route))
  print('  from click to answer', String(answer))
  print('  from click to drawn', String(drawn))
}

function kilobytes(count: number): string {
  return `${(count / 1_000).toFixed(1)} kB`
}

function progress(text: string): void {
  process.stderr.write(`… ${text}\n`)
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(32)} ${text}`)
}
