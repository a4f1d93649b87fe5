/**
 * Measures the web application in Chromium, with an embedded service as users start it: the first paint of a large floor, the tasks of the page
 * while machines change, a year of a machine's timeline, and the size of the scripts.
 *
 *   node --import tsx bench/web/run.ts [machines=5000] [changes a second=500] [seconds=10]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { type ChildService, startChild } from '../../test/support/child-service.ts'
import { launchChromium } from '../../test/support/chromium.ts'
import { testKey } from '../../test/support/service.ts'
import { addMachines } from '../support/machines.ts'
import { timed, Times } from '../reports/measure.ts'
import { ask, startScript } from '../support/processes.ts'
import type { ChangesOrder, ChangesReport } from './changing.ts'
import { timeOfFloor, timeOfSpan, watchDrawing } from './drawing.ts'
import { scriptBytes } from './script-bytes.ts'
import { tasksOf } from './tasks.ts'
import { sendYear, type YearOfMachine } from './year.ts'

const [machineCount = 5_000, perSecond = 500, seconds = 10] = process.argv.slice(2).map(Number)
const repeats = 8
/** The floor has joined its channel and shows its first figures. */
const warmMs = 3_000

const bytes = await scriptBytes(fileURLToPath(new URL('../..', import.meta.url)))
print('script, gzip', `${kilobytes(bytes.all)}; of the first screen ${kilobytes(bytes.first)}`)
const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
const gateways = startScript(new URL('changing.ts', import.meta.url))
const browser = await launchChromium()
try {
  progress(`${machineCount} machines are made`)
  const machines = await addMachines(service, machineCount)
  progress('a year of one more is sent')
  const year = await sendYear(service)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
  const page = await context.newPage()
  await watchDrawing(page)
  await timeOfFloor(page, `${service.url}/#key=${encodeURIComponent(testKey)}`)
  progress('the floor is opened')
  await measureFloor(service, page)
  progress('a year of a machine is opened')
  await measureYear(service, page, year)
  await timeOfFloor(page, service.url)
  progress(`${perSecond} changes a second`)
  await ask(gateways, { url: service.url, key: testKey, machines, perSecond } satisfies ChangesOrder)
  await sleep(warmMs)
  await measureTasks(browser, page)
  gateways.kill()
  print('load of the machine', loadavg()[0]?.toFixed(1) ?? '')
} finally {
  gateways.kill()
  await browser.close()
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Opens the floor repeatedly, signed in: with the scripts in the browser cache, and without. */
async function measureFloor({ url }: ChildService, page: Page): Promise<void> {
  const network = await page.context().newCDPSession(page)
  for (const cacheDisabled of [false, true]) {
    await network.send('Network.enable')
    await network.send('Network.setCacheDisabled', { cacheDisabled })
    const [paint, tiles] = [new Times(), new Times()]
    for (let i = 0; i < repeats; i++) {
      const times = await timeOfFloor(page, `${url}/?turn=${i}`)
      paint.add(times.paintMs)
      tiles.add(times.tilesMs)
    }
    const name = cacheDisabled ? '  without a cache' : 'floor until tiles'
    print(name, `${String(tiles)}; first paint ${String(paint)}`)
  }
  await network.detach()
}

async function measureTasks(chromium: Browser, page: Page): Promise<void> {
  const look = () => ask<ChangesReport>(gateways, {})
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
  console.log(`${name.padEnd(24)} ${text}`)
}
