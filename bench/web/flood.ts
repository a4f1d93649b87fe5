/**
 * Measures the page Now in Chromium, on a phone-size screen, while many machines stop in the same second: the tasks of the page,
 * and the times until a tap has acknowledged an incident and until a second cause is shown.
 *
 *   node --import tsx bench/web/flood.ts [machines=500]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { startChild } from '../../test/support/child-service.ts'
import { launchChromium } from '../../test/support/chromium.ts'
import { testKey } from '../../test/support/service.ts'
import { timed } from '../reports/measure.ts'
import { addMachines } from '../support/machines.ts'
import { tasksOf } from './tasks.ts'

const [machineCount = 500] = process.argv.slice(2).map(Number)
/** The page shows all incidents, and is idle again. */
const afterMs = 5_000

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
const service = await startChild({ TAKT_DATA_DIR: dataDir })
const browser = await launchChromium()
try {
  const machines = await addMachines(service, machineCount)
  const [first = ''] = machines
  const status = { name: 'Stopped', severity: 'warning', condition: { status: ['INACTIVE'] } }
  const alarm = {
    name: 'Jam',
    severity: 'critical',
    condition: { alarm: { nativeCodes: ['7'], states: [], text: '' } },
  }
  await expect(200, 'PUT', '/alert-rules/stop', status)
  await expect(200, 'PUT', '/alert-rules/jam', alarm)
  await post(machines.map(machineId => execution(machineId, 'ACTIVE')))
  await service.settled()
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, locale: 'en-US' })
  const [page, ofJam] = [await context.newPage(), await context.newPage()]
  await open(ofJam, '/app/now?rule=jam')
  await open(page, '/app/now')
  let [toShown, toTapped, toSecond] = [0, 0, 0]
  const tasks = await tasksOf(browser, page, async () => {
    const card = page.getByRole('article').first()
    await post(machines.map(machineId => execution(machineId, 'READY')))
    toShown = await timed(() => card.waitFor())
    const fault = { key: 'system', type: 'SYSTEM', category: 'CONDITION', nativeCode: '7', value: 'FAULT' }
    await post([{ ...fault, machineId: first, timestamp: new Date().toISOString() }])
    const second = timed(() => ofJam.getByRole('article').waitFor())
    toTapped = await timed(async () => {
      await card.getByRole('button', { name: 'Acknowledge' }).tap()
      await card.getByText('Acknowledged by').waitFor()
    })
    toSecond = await second
    await sleep(afterMs)
  })
  const [longest = 0] = tasks.cpuMs
  print('incidents', (await page.getByRole('status').textContent()) ?? '')
  print('from stops to a card', `${toShown.toFixed(0)} ms (the page reads every 3 s)`)
  print('from tap to acknowledged', `${toTapped.toFixed(0)} ms`)
  print('second cause is shown', `${toSecond.toFixed(0)} ms after its sample`)
  print('longest tasks, CPU', `${tasks.cpuMs.slice(0, 5).map(Math.round).join(', ')} ms`)
  print('  above 50 ms of CPU', `${tasks.cpuMs.filter(ms => ms > 50).length}; longest ${longest.toFixed(1)} ms`)
  print('load of the machine', loadavg()[0]?.toFixed(1) ?? '')
} finally {
  await browser.close()
  await service.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

function execution(machineId: string, value: string): object {
  return { machineId, timestamp: new Date().toISOString(), key: 'execution', type: 'EXECUTION', value }
}

async function post(samples: readonly object[]): Promise<void> {
  await expect(202, 'POST', '/ingest/samples', samples)
}

async function expect(status: number, method: string, path: string, body: object): Promise<void> {
  const response = await service.call(method, path, body)
  if (response.status !== status) throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`)
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${service.url}${path}#key=${encodeURIComponent(testKey)}`)
  await page.getByText('No open incidents').waitFor()
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(26)} ${text}`)
}
