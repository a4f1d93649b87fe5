import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { assert } from 'chai'
import { connectAsync } from 'mqtt'
import { MtconnectAgent } from '../../../demo/mtconnect-agent/agent.ts'
import { recordSource } from '../../../connect/try/record-source.ts'
import { ConnectorTrial } from '../../../connect/try/try-connector.ts'
import { toConnector } from '../../../processors/registrar/commands/connector.ts'
import type { ConnectorRecord } from '../../../schema/records/connector.ts'
import { Mosquitto, requireMosquitto } from '../../support/mosquitto.ts'
import { Adapter } from '../shdr/adapter.ts'

const nowMs = Date.parse('2026-11-23T09:00:00Z')
const machineId = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11'

describe('recording of a source', () => {
  let adapter: Adapter
  const connectorOf = (address: string) => {
    const rules = [{ from: 'DB10.W4', key: 'execution', type: 'EXECUTION', map: { 3: 'ACTIVE' } }]
    const input = {
      id: 's',
      name: 'A',
      kind: 'shdr' as const,
      address,
      machines: [{ source: 'Mill', machineId }],
      rules,
    }
    return toConnector(input, '', null)
  }
  /** A file on a slow disk: `onLine` is called when a line is written. */
  class SlowFile extends Writable {
    readonly lines: string[] = []
    /** Largest number of characters that waited at one time. */
    mostWaiting = 0
    readonly #onLine: (file: SlowFile) => void

    constructor(onLine: (file: SlowFile) => void) {
      super({ highWaterMark: 1, decodeStrings: false })
      this.#onLine = onLine
    }

    override _write(line: string, _encoding: BufferEncoding, done: () => void): void {
      this.mostWaiting = Math.max(this.mostWaiting, this.writableLength)
      setImmediate(() => {
        this.lines.push(line)
        this.#onLine(this)
        done()
      })
    }
  }

  /** Records until a number of lines were written. */
  async function recordLines(connector: ConnectorRecord, count: number): Promise<SlowFile> {
    const stop = new AbortController()
    const file = new SlowFile(({ lines }) => lines.length === count && stop.abort())
    await recordSource(connector, { secrets: {}, signal: stop.signal, clock: () => nowMs, file })
    return file
  }

  beforeEach(async () => (adapter = await Adapter.start()))
  afterEach(() => adapter.close())

  it('Recorded lines of an adapter give the samples that the connector would deliver', async () => {
    adapter.send({ key: 'DB10.W4', value: '3', ms: nowMs })
    const connector = connectorOf(adapter.address)
    const { lines } = await recordLines(connector, 2)
    const trial = new ConnectorTrial(connector, nowMs)
    const samples: string[] = []
    for await (const { key, value } of trial.lines(iterate(lines.map(line => line.trimEnd()))))
      samples.push(`${key} ${value}`)
    assert.deepEqual(samples, ['execution ACTIVE'])
  })

  it('An adapter waits while the file is full', async () => {
    for (let i = 10; i < 30; i++) adapter.send({ key: `k${i}`, value: '1', ms: nowMs })
    const { lines, mostWaiting } = await recordLines(connectorOf(adapter.address), 21)
    assert.equal(mostWaiting, Math.max(...lines.map(({ length }) => length)))
  })

  it('A broker waits while the file is full', async function () {
    requireMosquitto(this)
    const folder = mkdtempSync(join(tmpdir(), 'takt-record-'))
    const broker = await Mosquitto.start({ folder })
    try {
      const client = await connectAsync(broker.address)
      for (let i = 10; i < 30; i++) await client.publishAsync(`plant/k${i}`, '1', { retain: true })
      await client.endAsync()
      const connector = toConnector(
        {
          id: 'b',
          name: 'B',
          kind: 'mqtt',
          address: broker.address,
          machines: [{ source: 'plant/#', machineId }],
          rules: [{ from: 'plant/#', key: 'k', type: 'K' }],
        },
        '',
        null,
      )
      const { lines, mostWaiting } = await recordLines(connector, 20)
      assert.equal(mostWaiting, Math.max(...lines.map(({ length }) => length)))
    } finally {
      await broker.stop()
      rmSync(folder, { recursive: true })
    }
  })

  it('Recorded documents of an agent give the samples that a connector would deliver, also after a loss', async () => {
    const item = { id: 'exec', name: 'execution', category: 'EVENT', type: 'EXECUTION' } as const
    const agent = await MtconnectAgent.start({
      devices: [{ name: 'Mill', uuid: 'mill', items: [item] }],
      bufferSize: 4,
    })
    try {
      const add = (value: string, second: number) =>
        agent.add({ dataItemId: 'exec', value, timestamp: `2026-11-23T08:00:0${second}Z` })
      add('READY', 1)
      const stop = new AbortController()
      // Values that come after each document; the fourth document is the current one after a loss.
      const later = [
        () => undefined,
        () => add('ACTIVE', 2),
        () => ['STOPPED', 'READY', 'ACTIVE', 'READY', 'STOPPED', 'ACTIVE'].forEach((value, i) => add(value, 3 + i)),
        () => stop.abort(),
      ]
      const file = new SlowFile(({ lines }) => later[lines.length - 1]?.())
      const input = { id: 'a', name: 'A', kind: 'mtconnect', address: agent.url } as const
      const options = { intervalMs: 10 }
      const connector = toConnector({ ...input, options, machines: [{ source: 'mill', machineId }] }, '', null)
      const count = await recordSource(connector, { secrets: {}, signal: stop.signal, clock: () => nowMs, file })
      assert.equal(count, 4)
      const trial = new ConnectorTrial(connector, nowMs)
      const samples: string[] = []
      for await (const { timestamp, key, value } of trial.documents(file.lines.join('')))
        samples.push(`${timestamp.slice(11, 19)} ${key} ${value}`)
      assert.deepEqual(
        samples.filter(each => !each.endsWith('UNAVAILABLE')),
        ['08:00:01 execution READY', '08:00:02 execution ACTIVE', '08:00:08 execution ACTIVE'],
      )
      assert.equal(trial.skipped.total, 0)
    } finally {
      await agent.close()
    }
  })

  it('An adapter that ends the connection is an error', async () => {
    adapter.send({ key: 'DB10.W4', value: '3', ms: nowMs })
    const file = new SlowFile(() => adapter.cut())
    const { signal } = new AbortController()
    const recording = recordSource(connectorOf(adapter.address), { secrets: {}, signal, clock: () => nowMs, file })
    const [error] = await Promise.allSettled([recording])
    assert.equal(error.status, 'rejected')
  })
})

async function* iterate(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
