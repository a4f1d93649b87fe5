import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import { connectAsync } from 'mqtt'
import { MtconnectAgent } from '../../../demo/mtconnect-agent/agent.ts'
import type { Discovery, PreviewUpdate, TrialResult } from '../../../schema/requests/connector-trial.ts'
import { Adapter } from '../../connect/shdr/adapter.ts'
import { adminKey, startApi, type TestApi } from '../../support/api.ts'
import { Mosquitto, requireMosquitto } from '../../support/mosquitto.ts'
import { readAs } from '../../support/read-as.ts'

const nowMs = Date.now()
const at = (ms: number) => new Date(nowMs + ms).toISOString()
const device = {
  name: 'Mill 5',
  uuid: 'uuid-5',
  items: [
    { id: 'exec', name: 'execution', category: 'EVENT', type: 'EXECUTION' },
    { id: 'pc', name: 'parts', category: 'EVENT', type: 'PART_COUNT' },
    { id: 'rpm', name: 'spindle', category: 'SAMPLE', type: 'ROTARY_VELOCITY' },
    { id: 'sys', name: 'system', category: 'CONDITION', type: 'SYSTEM' },
  ],
} as const

describe('trials of connectors', () => {
  let api: TestApi
  const closing: (() => unknown)[] = []
  beforeEach(async () => (api = await startApi()))
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
    await api.close()
  })

  /** Reads what a source has, until its end. */
  async function discover(body: object): Promise<Discovery> {
    const lines = await linesUntil<Discovery>('discover', body, () => false)
    return {
      devices: lines.flatMap(({ devices }) => devices),
      values: lines.flatMap(({ values }) => values),
      recording: lines.flatMap(({ recording }) => recording),
      problem: lines.at(-1)?.problem ?? null,
    }
  }

  /** The number of values and the last example of each name. */
  function byName({ values }: Discovery): Readonly<Record<string, readonly [count: number, example: string]>> {
    const counts = new Map<string, number>()
    for (const { name, count } of values) counts.set(name, (counts.get(name) ?? 0) + count)
    return Object.fromEntries(values.map(({ name, example }) => [name, [counts.get(name) ?? 0, example]]))
  }

  /** Starts a preview, and reads updates until one matches; returns all. */
  const previewUntil = (
    connector: object,
    matches: (update: PreviewUpdate) => boolean,
    onUpdate?: (update: PreviewUpdate) => void,
  ) => linesUntil('preview', { connector }, matches, onUpdate)

  /** Reads lines of a response until one matches; returns all. */
  async function linesUntil<Line>(
    path: string,
    body: object,
    matches: (line: Line) => boolean,
    onLine: (line: Line) => void = () => undefined,
  ): Promise<readonly Line[]> {
    const stop = new AbortController()
    const response = await fetch(`${api.url}/connectors/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: stop.signal,
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
    const updates: Line[] = []
    let text = ''
    const decoder = new TextDecoder()
    try {
      const { body } = response
      assert.isNotNull(body)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a body of fetch consists of bytes
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true })
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) {
          const update = readAs<Line>(JSON.parse(line))
          updates.push(update)
          if (matches(update)) return updates
          onLine(update)
        }
      }
      return updates
    } finally {
      stop.abort()
    }
  }

  async function startAgent(): Promise<MtconnectAgent> {
    const agent = await MtconnectAgent.start({ devices: [device] })
    closing.push(() => agent.close())
    return agent
  }

  describe('of an MTConnect agent', () => {
    it('The devices are found with the keys that determine state, spindle, parts and alarms, and the machine of the same name', async () => {
      const agent = await startAgent()
      const machineId = randomUUID()
      await api.call('PUT', `/machines/${machineId}`, { name: 'MILL 5' })
      assert.deepEqual(await discover({ kind: 'mtconnect', address: agent.url }), {
        devices: [
          {
            name: 'Mill 5',
            uuid: 'uuid-5',
            make: null,
            model: null,
            paths: [],
            state: ['execution'],
            spindle: ['spindle'],
            parts: ['parts'],
            alarms: ['system'],
            countsSingleParts: false,
            machineId,
          },
        ],
        values: [],
        recording: [],
        problem: null,
      })
    })

    it('A preview shows values, states, parts and alarms live, and ends its connection with the request', async () => {
      const agent = await startAgent()
      const machineId = randomUUID()
      const connector = {
        name: 'Agent',
        kind: 'mtconnect',
        address: agent.url,
        options: { intervalMs: 50 },
        machines: [{ source: 'Mill 5', machineId }],
      }
      const add = (dataItemId: string, value: string, ms: number) => agent.add({ dataItemId, value, timestamp: at(ms) })
      add('pc', '10', 10)
      let isWorking = false
      const updates = await previewUntil(
        connector,
        ({ machines }) => machines[0]?.status === 'ACTIVE' && machines[0].partCount === 2,
        ({ state }) => {
          if (isWorking || state !== 'connected') return
          isWorking = true
          add('exec', 'ACTIVE', 1_000)
          add('pc', '12', 2_000)
        },
      )
      const last = updates.at(-1)
      assert.deepEqual(last?.machines, [
        {
          machineId,
          status: 'ACTIVE',
          since: at(1_000),
          partCount: 2,
          alarms: [],
          state: ['execution'],
          spindle: ['spindle'],
          parts: ['parts'],
          alarmKeys: ['system'],
        },
      ])
      assert.includeMembers(
        updates.flatMap(({ samples }) => samples.map(({ key, value }) => `${key} ${value}`)),
        ['parts 10', 'parts 12', 'execution ACTIVE'],
      )
      while (agent.connections > 0) await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual(api.log.appended, [], 'nothing is stored')
      assert.deepEqual((await api.call('GET', '/connectors')).body, [])
    })

    it('A preview begins with the latest observations of the agent', async () => {
      const agent = await startAgent()
      const machineId = randomUUID()
      const machines = [{ source: 'Mill 5', machineId }]
      const add = (dataItemId: string, value: string, ms: number) => agent.add({ dataItemId, value, timestamp: at(ms) })
      add('exec', 'ACTIVE', -120_000)
      for (const [index, value] of ['10', '11', '14'].entries()) add('pc', value, index * 10_000 - 90_000)
      const isComplete = ({ machines: [machine] }: PreviewUpdate) => machine?.partCount === 4
      const updates = await previewUntil({ name: 'Agent', kind: 'mtconnect', address: agent.url, machines }, isComplete)
      assert.deepInclude(updates.at(-1)?.machines[0], { status: 'ACTIVE', since: at(-120_000) })
    })

    it('An agent that cannot be read is a problem in words', async () => {
      const { problem } = await discover({ kind: 'mtconnect', address: 'http://127.0.0.1:9' })
      assert.equal(problem?.state, 'disconnected')
      assert.match(problem?.message ?? '', /ECONNREFUSED|cannot be read/)
      const updates = await previewUntil(
        { name: 'A', kind: 'mtconnect', address: 'http://127.0.0.1:9' },
        ({ state }) => state === 'disconnected',
      )
      assert.match(updates.at(-1)?.problem ?? '', /cannot be read/)
    })

    it('A probe document above the limit, a redirect and another page are problems', async () => {
      const responses: Readonly<Record<string, () => [number, Record<string, string>, Buffer]>> = {
        '/large/probe': () => [200, {}, Buffer.alloc(17_000_000, ' ')],
        '/redirect/probe': () => [302, { location: 'http://169.254.169.254/' }, Buffer.alloc(0)],
        '/page/probe': () => [200, {}, Buffer.from('<html></html>')],
      }
      const server = createServer((request, response) => {
        const [status, headers, body] = responses[request.url ?? '']?.() ?? [404, {}, Buffer.alloc(0)]
        response.writeHead(status, headers).end(body)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      closing.push(() => server.close())
      const { port } = readAs<AddressInfo>(server.address())
      const messages = []
      for (const path of ['large', 'redirect', 'page'])
        messages.push(
          (await discover({ kind: 'mtconnect', address: `http://127.0.0.1:${port}/${path}` })).problem?.message,
        )
      assert.match(messages[0] ?? '', /more than 16777216 bytes/)
      assert.match(messages[1] ?? '', /not followed/)
      assert.match(messages[2] ?? '', /document/i)
    })
  })

  describe('of an MQTT broker', function () {
    let broker: Mosquitto
    let folder: string
    before(async function () {
      requireMosquitto(this)
      folder = mkdtempSync(join(tmpdir(), 'takt-trial-'))
      broker = await Mosquitto.start({ folder })
    })
    after(async () => {
      await broker.stop()
      rmSync(folder, { recursive: true })
    })

    const machineId = randomUUID()
    const rules = [
      { from: 'plant/mill5/plc', value: '$.w4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE', 1: 'READY' } },
      { from: 'plant/mill5/count', key: 'parts', type: 'PART_COUNT' },
    ]
    const connectorOf = () => ({
      name: 'Broker',
      kind: 'mqtt',
      address: broker.address,
      machines: [{ source: 'plant/mill5/#', machineId }],
      rules,
    })

    it('The topics are found with their number and last example, and the recording can be tried', async () => {
      const client = await connectAsync(broker.address)
      closing.push(() => client.endAsync())
      await client.publishAsync('plant/mill5/plc', '{"w4":1}', { retain: true })
      const discovering = discover({ kind: 'mqtt', address: broker.address, seconds: 2 })
      // More than a broker sends without acknowledgements.
      for (let i = 1; i <= 100; i++) {
        await client.publishAsync('plant/mill5/count', String(i), { qos: 1 })
        await new Promise(resolve => setTimeout(resolve, 5))
      }
      const found = await discovering
      const { recording, problem } = found
      assert.isNull(problem)
      const values = byName(found)
      assert.hasAllKeys(values, ['plant/mill5/count', 'plant/mill5/plc'])
      assert.deepEqual(values['plant/mill5/plc'], [1, '{"w4":1}'])
      assert.equal(values['plant/mill5/count']?.[1], '100')
      assert.isAbove(values['plant/mill5/count']?.[0] ?? 0, 25)
      const { body } = await api.call('POST', '/connectors/try', { connector: connectorOf(), recording })
      const { machines, sampleCount, skipped } = readAs<TrialResult>(body)
      assert.deepEqual(skipped, [])
      assert.equal(
        sampleCount,
        Object.values(values).reduce((sum, [count]) => sum + count, 0),
      )
      assert.equal(machines[0]?.status, 'INACTIVE')
      assert.deepEqual(machines[0]?.parts, ['parts'])
      await client.publishAsync('plant/mill5/plc', '', { retain: true })
    })

    it('Values come while a broker is read, those of some topics only if they are named', async () => {
      const client = await connectAsync(broker.address)
      closing.push(() => client.endAsync())
      const send = (topic: string, payload: string) => client.publishAsync(topic, payload, { qos: 1, retain: true })
      await send('hall/press/state', '1')
      await send('hall/press/temperature', '20')
      const topics = ['hall/{machine}/state']
      let last = 1
      const lines = await linesUntil<Discovery>(
        'discover',
        { kind: 'mqtt', address: broker.address, seconds: 120, topics },
        ({ values }) => values.some(({ example }) => example === '3'),
        ({ values }) => {
          if (values.some(({ example }) => example === String(last)))
            client.publish('hall/press/state', String(++last), { qos: 1, retain: true })
        },
      )
      assert.deepEqual(
        lines.map(({ values, recording }) => [values.map(({ name, count }) => [name, count]), recording.length]),
        Array.from({ length: 3 }, () => [[['hall/press/state', 1]], 1]),
      )
      for (const topic of ['state', 'temperature']) await send(`hall/press/${topic}`, '')
    })

    it('A preview uses a session of its own, and does not end that of the connector', async () => {
      const client = await connectAsync(broker.address)
      closing.push(() => client.endAsync())
      let sent = 0
      const updates = await previewUntil(
        connectorOf(),
        ({ machines }) => machines[0]?.status === 'ACTIVE',
        ({ state }) => {
          if (state === 'connected' && sent++ === 0) client.publish('plant/mill5/plc', '{"w4":3}')
        },
      )
      assert.equal(updates.at(-1)?.samples[0]?.value, 'ACTIVE')
    })
  })

  describe('of an SHDR adapter', () => {
    it('The keys are found, also behind conditions, and mapped values give a state', async () => {
      const adapter = await Adapter.start()
      closing.push(() => adapter.close())
      adapter.send({ key: 'DB10.W4', value: '3', ms: nowMs })
      adapter.send({ key: 'system', value: 'FAULT', ms: nowMs, code: '17', message: 'Coolant' })
      const found = await discover({ kind: 'shdr', address: adapter.address, seconds: 1 })
      assert.deepEqual(byName(found), { 'DB10.W4': [1, '3'], system: [1, 'FAULT'] })
      const { recording } = found
      const machineId = randomUUID()
      const connector = {
        name: 'Adapter',
        kind: 'shdr',
        address: adapter.address,
        machines: [{ source: 'Mill', machineId }],
        rules: [
          { from: 'DB10.W4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE' } },
          { from: 'system', type: 'SYSTEM', category: 'CONDITION' },
        ],
      }
      const { body } = await api.call('POST', '/connectors/try', { connector, recording })
      const [machine] = readAs<TrialResult>(body).machines
      assert.deepInclude(machine, { status: 'FAULT', alarms: ['Coolant'], state: ['execution'], alarmKeys: ['system'] })
      const updates = await previewUntil(connector, ({ machines }) => machines[0]?.status === 'FAULT')
      assert.deepInclude(updates.at(-1)?.machines[0], { machineId, alarms: ['Coolant'] })
    })
  })

  describe('of a recording', () => {
    it('The settings of an existing machine count its parts; values without a sample are listed', async () => {
      const machineId = randomUUID()
      await api.call('PUT', `/machines/${machineId}`, { name: 'Press', partCounter: 'increment' })
      const connector = {
        name: 'PLC',
        kind: 'http',
        machines: [{ machineId }],
        rules: [{ from: 'DB10.W4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE' } }],
      }
      const sample = (key: string, type: string, value: string, ms: number) => ({
        machineId,
        timestamp: at(ms),
        key,
        type,
        value,
      })
      const body = JSON.stringify([
        sample('DB10.W4', 'X', '3', 0),
        sample('count', 'PART_COUNT', '2', 1),
        sample('count', 'PART_COUNT', '1', 2),
        sample('DB10.W4', 'X', '4', 3),
      ])
      const answer = await api.call('POST', '/connectors/try', { connector, recording: [body] })
      const { machines, sampleCount, skipped } = readAs<TrialResult>(answer.body)
      assert.equal(sampleCount, 3)
      assert.deepInclude(machines[0], { status: 'ACTIVE', partCount: 3 })
      assert.deepEqual(
        skipped.map(({ count }) => count),
        [1],
      )
    })

    it('A long recording is read to the limit of samples', async () => {
      const machineId = randomUUID()
      const connector = {
        name: 'Broker',
        kind: 'mqtt',
        address: 'mqtt://broker',
        machines: [{ source: 'a', machineId }],
        rules: [{ from: 'a', key: 'x', type: 'X' }],
      }
      const recording = Array.from({ length: 10_001 }, () => `{"at":"${at(0)}","topic":"a","payload":1}`)
      const { body } = await api.call('POST', '/connectors/try', { connector, recording })
      assert.deepInclude(readAs<TrialResult>(body), { sampleCount: 10_000, isCut: true })
    })
  })

  describe('limits', () => {
    const faults = async (path: string, body: object) => {
      const answer = await api.call('POST', `/connectors/${path}`, body)
      assert.equal(answer.status, 400)
      return JSON.stringify(answer.body)
    }

    it('Addresses outside the allowed networks are rejected, before a connection', async () => {
      for (const address of [
        'http://169.254.169.254',
        'http://8.8.8.8',
        'http://[fd00:ec2::254]',
        'http://0xa9fea9fe',
      ]) {
        assert.match(await faults('discover', { kind: 'mtconnect', address }), /TAKT_CONNECT_ALLOW/)
        const connector = { name: 'A', kind: 'mtconnect', address }
        assert.match(await faults('preview', { connector }), /connector\.address.*TAKT_CONNECT_ALLOW/)
      }
    })

    it('Posted samples need a machine of the company', async () => {
      assert.match(await faults('discover', { kind: 'http' }), /machineId is required/)
      assert.match(await faults('discover', { kind: 'http', machineId: randomUUID() }), /does not exist/)
      assert.match(await faults('discover', { kind: 'mqtt' }), /address must begin with/)
    })

    it('An address with another scheme or a password is rejected', async () => {
      const addresses = {
        mtconnect: 'ftp://host',
        mqtt: 'mqtt://user:pw@127.0.0.1',
        shdr: 'http://host',
        http: 'http://h',
      }
      for (const [kind, address] of Object.entries(addresses))
        assert.match(await faults('discover', { kind, address }), /"address"/, kind)
    })

    it('Stored secrets are not used: a secret that is true is rejected', async () => {
      const connector = { name: 'A', kind: 'mtconnect', address: 'http://127.0.0.1:9', secrets: { password: true } }
      assert.match(await faults('preview', { connector }), /must be sent again/)
    })

    it('A recorded post that is not JSON is rejected as the field recording', async () => {
      const connector = { name: 'A', kind: 'http', sourceId: 'a' }
      const { status, body } = await api.call('POST', '/connectors/try', { connector, recording: ['no JSON'] })
      assert.equal(status, 400)
      assert.deepEqual(readAs<{ errors: unknown }>(body).errors, [
        { field: 'recording', code: 'InvalidDataItem', message: 'recording: Problem parsing JSON' },
      ])
    })

    it('A company has at most three trials at a time', async () => {
      const silent = await Adapter.start()
      closing.push(() => silent.close())
      const body = { kind: 'shdr', address: silent.address, seconds: 1 }
      const running = [1, 2, 3, 4].map(() => api.call('POST', '/connectors/discover', body))
      const statuses = (await Promise.all(running)).map(({ status }) => status)
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [200, 200, 200, 429],
      )
      assert.equal((await api.call('POST', '/connectors/discover', body)).status, 200)
    })

    it('A key that may only read connectors may not try them', async () => {
      const key = api.addKey(['connector.read', 'machine'])
      const { status } = await api.call('POST', '/connectors/discover', { kind: 'mqtt', address: 'mqtt://h' }, { key })
      assert.equal(status, 403)
    })
  })
})
