/**
 * Alert rules of a plant at work: machines send samples at a given rate, and each of the rules evaluates a part of them. Prints the
 * delay from the sample that begins a stop to the command that opens its incident, and to its verified webhook, and the CPU time
 * that rules and unresolved incidents cost, beside that of more frequent documents:
 *
 *   node --import tsx bench/response/run.ts [machines=5000] [samples a second=25000] [rules=200] [incidents=10000] [seconds=60]
 *
 * The incidents are of machines that are stopped and send nothing; two rules open two incidents of each.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebhookReceiver } from '../../test/respond/deliveries/webhook-receiver.ts'
import { type ChildService, startChild } from '../../test/support/child-service.ts'
import { readAs } from '../../test/support/read-as.ts'
import { testKey } from '../../test/support/service.ts'
import { Times } from '../reports/measure.ts'
import type { GatewaysOrder, GatewaysReport } from '../steady/gateways.ts'
import { addMachines } from '../support/machines.ts'
import { ask, startScript } from '../support/processes.ts'
import { cpuOf } from '../support/usage.ts'

const [machineCount = 5_000, perSecond = 25_000, ruleCount = 200, incidentCount = 10_000, seconds = 60] = process.argv
  .slice(2)
  .map(Number)
/** Number of rules that evaluate the same machine. */
const rulesOfMachine = 10
const settleMs = 15_000
const maxLagS = 8
const lostMs = 300_000

interface Body {
  readonly type: string
  readonly data: { readonly count?: number; readonly incident?: { readonly detectedAt: string } }
}

const dataDir = mkdtempSync(join(process.env['TAKT_BENCH_DIR'] ?? tmpdir(), 'takt-bench-'))
writeFileSync(join(dataDir, 'secret'), randomBytes(48).toString('base64'))
const secrets: Record<string, string> = {}
const receiver = new WebhookReceiver(secrets)
const url = `http://127.0.0.1:${await receiver.start()}/`
const service = await startChild({
  TAKT_DATA_DIR: join(dataDir, 'data'),
  TAKT_CONNECT_SECRET_FILE: join(dataDir, 'secret'),
  TAKT_WEBHOOK_ALLOW: '127.0.0.0/8',
})
const gateways = startScript(new URL('../steady/gateways.ts', import.meta.url))
try {
  progress(`creating ${machineCount} machines`)
  const machines = await addMachines(service, machineCount)
  const stopped = await addMachines(service, Math.ceil(incidentCount / 2))
  const [probe = ''] = await addMachines(service, 1)
  for (const id of ['probe', 'flood'])
    secrets[id] = readAs<{ readonly secret: string }>(
      await put(`/alert-targets/${id}`, { name: id, kind: 'webhook', url }),
    ).secret
  await post([probe], 'ACTIVE')
  await post(stopped, 'READY')
  progress('sending samples')
  const order = { url: service.url, key: testKey, machines, perSecond, beforeMs: 0 } satisfies GatewaysOrder
  await ask<GatewaysReport>(gateways, order)
  await warmUp()
  const without = await cpuShare(seconds / 4)
  await put('/alert-rules/probe', ruleFor([probe], 'probe'))
  await sleep(settleMs)
  const withFlushes = await cpuShare(seconds / 4)
  await addRules(machines)
  await sleep(settleMs)
  const withRules = await cpuShare(seconds / 4)
  progress('opening incidents')
  const openedAfterMs = await openIncidents(stopped)
  await sleep(settleMs)
  const withIncidents = await cpuShare(seconds / 4)
  progress('measuring from samples to webhooks')
  const { toOpening, toWebhook } = await measureStops(probe, seconds * 1_000)
  const { accepted, refused, waiting } = await ask<GatewaysReport>(gateways, {})
  print('accepted', `${accepted.toLocaleString('en')}; ${refused} posts refused; ${waiting} wait`)
  print('sample to opening', String(toOpening))
  print('sample to webhook', `${String(toWebhook)}, p99 ${atMs(toWebhook, 0.99)}, max ${atMs(toWebhook, 1)}`)
  print(`${incidentCount} incidents opened`, `${(openedAfterMs / 1_000).toFixed(1)} s after their rules`)
  print('CPU without rules', share(without))
  print('with one rule', `${share(withFlushes)}: documents are written as often as with live subscribers`)
  print(`with ${ruleCount} rules`, `${share(withRules)}; ${share(withRules - withFlushes)} more`)
  print('and the incidents', `${share(withIncidents)}; ${share(withIncidents - withFlushes)} more than with one rule`)
  print('load of the machine', loadavg()[0]?.toFixed(1) ?? '')
  gateways.kill()
  // Writes the profile, if one is requested.
  await service.stop()
} finally {
  gateways.kill()
  await service.kill()
  await receiver.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Resolves when the first documents of the machines are computed. */
async function warmUp(): Promise<void> {
  for (const untilMs = performance.now() + lostMs; performance.now() < untilMs;) {
    await sleep(settleMs)
    const { lag } = readAs<{ readonly lag: { readonly seconds: number } }>(await must(service.call('GET', '/health')))
    if (lag.seconds <= maxLagS) return
  }
}

/** Rules that open nothing: their stops must last a day. Each evaluates an equal part of the machines. */
async function addRules(machines: readonly string[]): Promise<void> {
  const size = Math.ceil((machines.length * rulesOfMachine) / ruleCount)
  for (let rule = 0; rule < ruleCount; rule++) {
    const from = (rule * size) % machines.length
    const machineIds = [...machines, ...machines].slice(from, from + size)
    const condition = { stop: { reasons: [] } }
    await put(`/alert-rules/plant-${rule}`, {
      name: `Plant ${rule}`,
      severity: 'info',
      subject: { machineIds },
      condition,
      forMs: 86_400_000,
    })
  }
}

/** Resolves to the time until the receiver has a message or a summary of each incident, ms. */
async function openIncidents(machineIds: readonly string[]): Promise<number> {
  const startedMs = performance.now()
  for (const id of ['flood-a', 'flood-b']) await put(`/alert-rules/${id}`, ruleFor(machineIds, 'flood'))
  const count = () =>
    receiver.received
      .map(({ body }) => readAs<Body>(JSON.parse(body)))
      .reduce((sum, { data }) => sum + (data.count ?? 1), 0)
  await until(() => count() >= 2 * machineIds.length)
  return performance.now() - startedMs
}

/** Stops a machine again and again, and measures the times from the sample of each stop. */
async function measureStops(machineId: string, durationMs: number) {
  const [toOpening, toWebhook] = [new Times(), new Times()]
  for (const untilMs = performance.now() + durationMs; performance.now() < untilMs;) {
    await sleep(1_000 + 1_000 * Math.random())
    const before = receiver.received.length
    const stoppedAtMs = await post([machineId], 'READY')
    const opened = () => receiver.received.slice(before).find(({ signedBy }) => signedBy.includes('probe'))
    await until(() => opened() !== undefined)
    toWebhook.add(Date.now() - stoppedAtMs)
    const { incident } = readAs<Body>(JSON.parse(opened()?.body ?? '')).data
    toOpening.add(Date.parse(incident?.detectedAt ?? '') - stoppedAtMs)
    await post([machineId], 'ACTIVE')
    await until(() => receiver.received.slice(before).some(({ body }) => body.includes('incident.resolved')))
  }
  return { toOpening, toWebhook }
}

function atMs(times: Times, share: number): string {
  return `${times.at(share).toFixed(0)} ms`
}

function ruleFor(machineIds: readonly string[], target: string): object {
  const steps = [{ afterMs: 0, until: 'resolved', targets: [target] }]
  return { name: target, severity: 'warning', subject: { machineIds }, condition: { status: ['INACTIVE'] }, steps }
}

/** Posts an execution of machines; resolves to the time of the samples, UTC ms. */
async function post(machineIds: readonly string[], value: string): Promise<number> {
  const atMs = Date.now()
  const timestamp = new Date(atMs).toISOString()
  const body = machineIds.map(machineId => ({ machineId, timestamp, key: 'execution', type: 'EXECUTION', value }))
  await must(service.call('POST', '/ingest/samples', body))
  return atMs
}

function put(path: string, body: object): Promise<unknown> {
  return must(service.call('PUT', path, body))
}

async function must(calling: ReturnType<ChildService['call']>): Promise<unknown> {
  const { status, body } = await calling
  if (status >= 300) throw new Error(`The service answered ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Share of a core that the service uses, measured for the given time. */
async function cpuShare(forSeconds: number): Promise<number> {
  progress(`measuring CPU for ${Math.round(forSeconds)} s`)
  const [before, startedMs] = [cpuOf(service.pid).all, performance.now()]
  await sleep(forSeconds * 1_000)
  return (cpuOf(service.pid).all - before) / 1_000 / (performance.now() - startedMs)
}

async function until(holds: () => boolean): Promise<void> {
  for (const untilMs = performance.now() + lostMs; !holds(); await sleep(2))
    if (performance.now() > untilMs) throw new Error('A message did not come')
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} % of a core`
}

function progress(text: string): void {
  process.stderr.write(`… ${Math.round(performance.now() / 1_000)} s: ${text}\n`)
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(24)} ${text}`)
}
