import { expect } from 'chai'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import type { DeliveryResponse } from '../../schema/records/delivery.ts'
import type { IncidentRecord } from '../../schema/records/incident.ts'
import { scanHolds } from '../respond/evaluate/hold-scan.ts'
import { type ChildService, startChild } from '../support/child-service.ts'
import { readAs } from '../support/read-as.ts'

/** Number of times that service and receiver are killed; TAKT_KILLS sets a larger number for a long run. */
const kills = Number(process.env['TAKT_KILLS'] ?? 3)
const machineCount = 4
/** Times of the rules, ms. */
const rules = {
  each: { forS: 0, resolveAfterS: 0, quietS: 0 },
  long: { forS: 1_000, resolveAfterS: 0, quietS: 3_000 },
  joined: { forS: 0, resolveAfterS: 1_500, quietS: 0 },
} as const

interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

describe('incidents and deliveries of a service and a receiver that are killed', function () {
  this.timeout(600_000 + kills * 120_000)
  const folder = mkdtempSync(join(tmpdir(), 'takt-incident-crash-'))
  const file = join(folder, 'received')
  /** Stops of each machine, as [start, end], UTC ms. */
  const stops = new Map<string, (readonly [number, number])[]>(
    Array.from({ length: machineCount }, () => [randomUUID(), []]),
  )
  let service: ChildService
  let receiver: ChildProcess
  let port = '0'
  const ending = new AbortController()

  const startService = async () => {
    service = await startChild({
      TAKT_DATA_DIR: join(folder, 'data'),
      TAKT_WEBHOOK_ALLOW: '127.0.0.0/8',
      TAKT_CONNECT_SECRET_FILE: join(folder, 'secret'),
      TAKT_ALERTS_PER_MINUTE: '10000',
    })
  }
  const startReceiver = async () => {
    const script = fileURLToPath(new URL('../support/receiver-process.mjs', import.meta.url))
    const child = spawn(process.execPath, [script, file, port], { stdio: ['ignore', 'pipe', 'inherit'] })
    receiver = child
    const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    if (child.exitCode !== null) throw new Error(`The receiver ended with ${child.exitCode}`)
    port = String(line).trim()
  }
  const killReceiver = async () => {
    const exited = once(receiver, 'exit')
    receiver.kill('SIGKILL')
    await exited
  }
  after(async () => {
    ending.abort()
    await service?.stop()
    receiver?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await service.call(method, path, body)
    expect(response.status, JSON.stringify(response.body)).to.be.oneOf([200, 202])
    return response.body
  }

  /** Posts a state, again until the service has accepted it; resolves to the time of the sample, UTC ms. */
  async function post(machineId: string, value: string): Promise<number> {
    const atMs = Date.now()
    const timestamp = new Date(atMs).toISOString()
    const sample = { machineId, timestamp, key: 'execution', type: 'EXECUTION', value }
    for (;;) {
      const response = await service.call('POST', '/ingest/samples', sample).catch(() => null)
      if (response?.status === 202) return atMs
      if (Date.now() > atMs + 300_000) throw new Error(`Not accepted: ${JSON.stringify(response)}`)
      await sleep(50)
    }
  }

  /** Stops a machine again and again, for random times. */
  async function work(machineId: string): Promise<void> {
    while (!ending.signal.aborted) {
      await sleep(randomMs(200, 4_000))
      const startMs = await post(machineId, 'READY')
      await sleep(randomMs(100, 3_000))
      stops.get(machineId)?.push([startMs, await post(machineId, 'ACTIVE')])
    }
  }

  async function all<T extends { readonly id: string }>(path: string): Promise<readonly T[]> {
    const found: T[] = []
    for (;;) {
      const last = found.at(-1)
      const page = readAs<readonly T[]>(await call('GET', `${path}${last ? `&startId=${last.id}` : ''}`))
      found.push(...page)
      if (page.length < 200) return found
    }
  }

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const untilMs = Date.now() + 900_000
    while (!(await holds())) {
      if (Date.now() > untilMs) throw new Error(`Waited too long for ${what}`)
      await sleep(500)
    }
  }

  it('Incidents equal a scan of the samples, and each delivery is received', async () => {
    writeFileSync(join(folder, 'secret'), randomBytes(48).toString('base64'))
    await startReceiver()
    await startService()
    const target = await call('PUT', '/alert-targets/chat', {
      name: 'Chat',
      kind: 'webhook',
      url: `http://127.0.0.1:${port}/`,
    })
    for (const machineId of stops.keys()) {
      await call('PUT', `/machines/${machineId}`, { name: machineId.slice(0, 8), staleAfterMs: null })
      await post(machineId, 'ACTIVE')
    }
    for (const [id, { forS, resolveAfterS, quietS }] of Object.entries(rules))
      await call('PUT', `/alert-rules/${id}`, {
        name: id,
        severity: 'info',
        condition: { status: ['INACTIVE'] },
        forMs: forS,
        resolveAfterMs: resolveAfterS,
        quietMs: quietS,
        steps: [{ afterMs: 0, until: 'resolved', targets: ['chat'] }],
      })

    const working = Promise.all([...stops.keys()].map(work))
    for (let kill = 0; kill < kills; kill++) {
      await sleep(randomMs(300, 4_000))
      await Promise.all([service.kill(), killReceiver()])
      await Promise.all([startService(), sleep(randomMs(0, 2_000)).then(startReceiver)])
    }
    ending.abort()
    await working

    await until('the ends', async () => (await all('/incidents?state=open&state=acknowledged')).length === 0)
    const incidents = await all<IncidentRecord>('/incidents?state=resolved&state=retracted')
    // The sample that ends a short stop may arrive after the stop has opened or reopened an incident: the incident is then
    // retracted, the reopening stays counted.
    for (const [machineId, holds] of stops)
      for (const [ruleId, times] of Object.entries(rules)) {
        const found = incidents
          .filter(({ subject, ruleId: id }) => subject.id === machineId && id === ruleId)
          .filter(({ state }) => state !== 'retracted')
          .toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
        const expected = scanHolds(holds, times)
        expect(found.map(timesOf), ruleId).to.deep.equal(
          expected.map(({ started, opened, ended }) => ({ started, opened, ended })),
        )
        for (const [index, { reopened }] of expected.entries())
          expect(found[index]?.reopened, `reopenings of ${ruleId}`).to.be.at.least(reopened)
      }

    const deliveries = () => all<DeliveryResponse>('/deliveries?')
    await until('the outcomes', async () => (await deliveries()).every(({ state }) => state === 'sent'))
    const received = readReceived(file, readAs<{ readonly secret: string }>(target).secret)
    const listed = (await deliveries()).map(({ id }) => id)
    const notices = await Promise.all(
      incidents.map(async ({ id }) => readAs<IncidentRecord>(await call('GET', `/incidents/${id}`)).notices),
    )
    const noticed = notices.flat().map(({ deliveryId }) => deliveryId)
    expect(new Set(received)).to.deep.equal(new Set(listed))
    // One delivery for each notice.
    expect(noticed).to.have.length(listed.length)
    expect(new Set(noticed)).to.deep.equal(new Set(listed))
    if (process.env['TAKT_KILLS'])
      process.stderr.write(
        `    ${kills} kills: ${[...stops.values()].flat().length} stops, ${incidents.length} incidents, ${listed.length} deliveries, ${received.length} received\n`,
      )
  })
})

/** Returns the ids of the received messages; throws if a signature is not valid. The messages may be older than 5 minutes. */
function readReceived(file: string, secret: string): readonly string[] {
  const webhook = new Webhook(secret)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return lines.map(line => {
    const { headers, body } = readAs<Received>(JSON.parse(line))
    const id = headers['webhook-id'] ?? ''
    const signature = webhook.sign(id, new Date(Number(headers['webhook-timestamp']) * 1_000), body)
    expect(headers['webhook-signature']).to.equal(signature)
    return id
  })
}

function timesOf({ startedAt, openedAt, endedAt }: IncidentRecord) {
  return { started: Date.parse(startedAt), opened: Date.parse(openedAt), ended: Date.parse(endedAt ?? '') }
}

function randomMs(fromMs: number, toMs: number): number {
  return fromMs + Math.random() * (toMs - fromMs)
}
