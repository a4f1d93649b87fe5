import { assert } from 'chai'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAsync, type MqttClient } from 'mqtt'
import { pino } from 'pino'
import { Buffers } from '../../../connect/buffer/buffers.ts'
import { brokerReader, clientIdOf } from '../../../connect/mqtt/read-broker.ts'
import type { ReadSource, SourceSecrets } from '../../../connect/source/source.ts'
import { createAcceptor } from '../../../ingest/accept/acceptor.ts'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { type Log, LogUnavailable } from '../../../log/log.ts'
import { isHeartbeat } from '../../../schema/heartbeat.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
  type MappingRule,
} from '../../../schema/records/connector.ts'
import type { Sample } from '../../../schema/sample.ts'
import { aborted, pause } from '../../../shared/async/waiting.ts'
import { Mosquitto, type MosquittoOptions } from '../../support/mosquitto.ts'
import { connectTopics } from '../run/contract.ts'
import { ConnectorPlant, startProcess, storedHeads } from '../run/process.ts'
import { BrokerProxy } from './broker-proxy.ts'
import { SourceModel } from './source-model.ts'

/** `state` and `alarms` have a time; `part` and `mode` have none. */
const rules: readonly MappingRule[] = [
  {
    from: 'plant/{machine}/state',
    value: '$.code',
    time: '$.ts',
    timeUnit: 'us',
    key: 'execution',
    type: 'EXECUTION',
    map: { 1: 'READY', 2: 'ACTIVE' },
  },
  { from: 'plant/{machine}/part', value: '$.n', key: 'part', type: 'PART_COUNT' },
  { from: 'plant/{machine}/mode', value: '$', key: 'mode', type: 'CONTROLLER_MODE' },
  { from: 'plant/{machine}/speed', value: '$.v', key: 'speed', type: 'ROTARY_VELOCITY', category: 'SAMPLE' },
  {
    from: 'plant/{machine}/alarms',
    each: '$.alarms[*]',
    category: 'CONDITION',
    type: 'SYSTEM',
    key: 'plc',
    time: '$.ts',
    timeUnit: 'us',
    nativeCode: '@.no',
    value: '@.on',
    map: { true: 'FAULT', false: 'NORMAL' },
  },
  { from: 'plant/{machine}/lwt', equals: 'offline', unavailable: true },
]

export interface ScenarioOptions {
  readonly broker?: Omit<MosquittoOptions, 'folder'>
  readonly options?: Partial<ConnectorRecord['options']>
  readonly secrets?: SourceSecrets
  readonly version?: 4 | 5
  readonly isRefusingVersion5?: boolean
  /** See `brokerReader`. */
  readonly versionLifetimeMs?: number
  /** Samples go through a buffer on disk; unless an interval is set, only a stop stores later positions than the first one. */
  readonly isBuffered?: boolean
  readonly positionIntervalMs?: number
}

type Qos = 0 | 1

/** A broker, a device, a connector, and the model of what the connector must deliver. */
export class Scenario {
  readonly model = new SourceModel()
  readonly broker: Mosquitto
  readonly proxy: BrokerProxy
  /** Whether the log accepts samples. */
  isLogAvailable = true
  readonly #folder: string
  readonly #plant = new ConnectorPlant()
  readonly #id: string
  readonly #read: ReadSource
  readonly #secrets: SourceSecrets
  #device: MqttClient
  #log: Log
  #process: Awaited<ReturnType<typeof startProcess>> | null = null
  /** Crashed processes, which are ended with the scenario. */
  readonly #crashed: { stop(): Promise<void> }[] = []
  readonly #isBuffered: boolean
  readonly #positionIntervalMs: number
  #buffers: Buffers | null = null
  #bufferFolder: string
  /** Buffer that a killed process has left, while another one runs. */
  #leftFolder: string | null = null
  #atUs = 0

  private constructor(
    parts: { folder: string; broker: Mosquitto; proxy: BrokerProxy; device: MqttClient; log: Log },
    { options, version, versionLifetimeMs, secrets = {}, isBuffered = false, positionIntervalMs }: ScenarioOptions,
  ) {
    this.#positionIntervalMs = positionIntervalMs ?? 3_600_000
    this.#isBuffered = isBuffered
    this.#bufferFolder = join(parts.folder, 'buffers-0')
    this.#folder = parts.folder
    this.broker = parts.broker
    this.proxy = parts.proxy
    this.#device = parts.device
    this.#log = parts.log
    this.#read = brokerReader(version === undefined ? [5, 4] : [version], {
      ...(versionLifetimeMs !== undefined && { versionLifetimeMs }),
    })
    this.#secrets = secrets
    this.#id = this.#plant.add()
    this.#plant.put(this.#id, {
      kind: 'mqtt',
      address: parts.proxy.address,
      machines: [{ ...defaultConnectorMachine, source: 'plant/mill', machineId: this.machineId }],
      rules,
      options: { ...defaultConnectorOptions, sourceHeartbeatMs: 1_000, ...options },
    })
  }

  static async start(options: ScenarioOptions = {}): Promise<Scenario> {
    const folder = mkdtempSync(join(tmpdir(), 'takt-mqtt-'))
    const broker = await Mosquitto.start({ ...options.broker, folder: join(folder, 'broker') })
    const proxy = await BrokerProxy.start(broker.port)
    proxy.faults.isRefusingVersion5 = options.isRefusingVersion5 ?? false
    const device = await connectAsync(broker.address)
    const log = await openLog(folder)
    const scenario = new Scenario({ folder, broker, proxy, device, log }, options)
    try {
      await scenario.connect()
      return scenario
    } catch (error) {
      await scenario.end()
      throw error
    }
  }

  get machineId(): string {
    return this.#plant.source(this.#id).machineId
  }

  get health() {
    const health = this.#process?.healthOf(this.#id)
    assert(health)
    return health
  }

  /** Starts a process that runs the connector; resolves when it reads the broker. */
  async connect(): Promise<void> {
    const log = this.#log
    const samplesLog: Pick<Log, 'append' | 'partitionCount'> = {
      append: async (topic, records) => {
        if (!this.isLogAvailable) throw new LogUnavailable('No log')
        return log.append(topic, records)
      },
      partitionCount: topic => log.partitionCount(topic),
    }
    if (this.#isBuffered) this.#buffers = await this.#openBuffers(this.#bufferFolder, samplesLog)
    const crashes = this.#crashed.length
    this.#process = await startProcess(log, this.#plant, {
      // A crashed process does not connect again.
      read: session => (this.#crashed.length === crashes ? this.#read(session) : aborted(session.signal)),
      samplesLog,
      secrets: this.#secrets,
      ...(this.#buffers !== null && { buffers: this.#buffers, positionIntervalMs: this.#positionIntervalMs }),
    })
    const isConnected = () => this.#process?.healthOf(this.#id)?.state === 'connected'
    await this.until(isConnected, 'the connector does not connect')
  }

  #openBuffers(folder: string, log: Pick<Log, 'append' | 'partitionCount'>): Promise<Buffers> {
    const mebibyte = 1 << 20
    return Buffers.open({
      folder,
      acceptor: createAcceptor({ log, machines: this.#plant.machines }),
      limits: { eachBytes: 64 * mebibyte, totalBytes: 256 * mebibyte },
      logger: pino({ level: 'silent' }),
    })
  }

  /** Ends the process of the connector: what it has not stored is lost, except for its buffer. */
  async crash(): Promise<void> {
    if (this.#process !== null) this.#crashed.push(this.#process)
    const folder = join(this.#folder, `buffers-${this.#crashed.length}`)
    if (this.#buffers !== null) {
      cpSync(this.#bufferFolder, folder, { recursive: true })
      this.#crashed.push(this.#buffers)
    }
    this.#bufferFolder = folder
    await this.#log.close()
    this.proxy.cut()
    this.#log = await openLog(this.#folder)
  }

  /** After a crash: another process with its own buffer continues. */
  async connectAnother(): Promise<void> {
    this.#leftFolder = this.#bufferFolder
    this.#bufferFolder = join(this.#folder, 'buffers-another')
    await this.connect()
  }

  /** Starts the killed process again, which delivers what its buffer holds. */
  async resumeKilled(): Promise<void> {
    assert(this.#leftFolder !== null)
    this.#crashed.push(await this.#openBuffers(this.#leftFolder, this.#log))
  }

  /** A user changes the mapping. */
  map(changed: readonly MappingRule[]): void {
    this.#plant.put(this.#id, { rules: [...changed, ...rules] })
  }

  /** Stops the process, which stores the position. */
  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  /** Stops the process; the broker discards the session of the connector. */
  async stopAndForget(): Promise<void> {
    await this.stop()
    const [company] = this.#plant.records.companies()
    const record = this.#plant.records.get('connector', company?.id ?? '', this.#id)
    assert(record)
    const forget = await connectAsync(this.broker.address, { clientId: clientIdOf(record), clean: true })
    await forget.endAsync()
  }

  /** Number of messages in the stored position that the broker may send again. */
  async storedHashes(): Promise<number> {
    const head: unknown = (await storedHeads(this.#log)).get(this.#id)
    return typeof head === 'object' && head !== null && 'hashes' in head && Array.isArray(head.hashes)
      ? head.hashes.length
      : 0
  }

  /** Starts the broker again, with its device. */
  async restartBroker(): Promise<void> {
    await this.#device.endAsync(true)
    await this.broker.stop()
    await this.broker.resume()
    this.#device = await connectAsync(this.broker.address)
  }

  async publish(topic: string, payload: string | Buffer, options: { qos?: Qos; retain?: boolean } = {}): Promise<void> {
    await this.#device.publishAsync(topic, payload, { qos: 1, ...options })
  }

  /** Publishes states with a time. */
  async state(code: number, { atUs = this.nextUs(), qos = 1, retain = false }: Published = {}): Promise<void> {
    await this.publish('plant/mill/state', JSON.stringify({ code, ts: atUs }), { qos, retain })
    this.model.publish('execution', code === 1 ? 'READY' : 'ACTIVE', { atUs, isQos0: qos === 0 })
  }

  /** Publishes a part without a time: equal ones are different parts. */
  async part(qos: Qos = 1): Promise<void> {
    await this.publish('plant/mill/part', '{"n":1}', { qos })
    this.model.publish('part', '1', { isQos0: qos === 0 })
  }

  async alarms(alarms: readonly { readonly no: number; readonly on: boolean }[]): Promise<void> {
    const atUs = this.nextUs()
    await this.publish('plant/mill/alarms', JSON.stringify({ ts: atUs, alarms }))
    for (const [index, { no, on }] of alarms.entries())
      this.model.publish('plc', on ? 'FAULT' : 'NORMAL', { atUs: atUs + index, code: String(no) })
  }

  /** A time after the previous one, UTC µs. */
  nextUs(): number {
    this.#atUs = Math.max(this.#atUs + 1_000, Date.now() * 1_000)
    return this.#atUs
  }

  async work(messages: number): Promise<void> {
    for (let i = 0; i < messages; i++) await (i % 3 === 0 ? this.state(1 + (i % 2)) : this.part())
  }

  /** Different samples in the log without heartbeats, in the order of time. */
  async samples(): Promise<readonly Sample[]> {
    const identity = ({ atUs, key, value, nativeCode }: Sample) => JSON.stringify([atUs, key, value, nativeCode])
    const all = (await this.#plant.samples(this.#log, this.#id)).filter(sample => !isHeartbeat(sample))
    return [...new Map(all.map(sample => [identity(sample), sample])).values()].sort((a, b) => a.atUs - b.atUs)
  }

  /** Waits until the log has what the model expects. */
  async readAll(): Promise<void> {
    await this.until(async () => (await this.samples()).length >= this.model.count, 'samples are missing')
    await this.until(() => this.health.waitingBytes === 0, 'samples wait')
  }

  /** The samples in the log are those of the model. */
  async check(): Promise<void> {
    const samples = await this.samples()
    const keys = [...new Set(samples.map(({ key }) => key))].sort()
    assert.deepEqual(keys, this.model.keys)
    for (const key of keys) {
      const expected = this.model.of(key)
      const delivered = samples
        .filter(sample => sample.key === key)
        .map(({ value, nativeCode, atUs }, i) => ({
          value,
          code: nativeCode,
          atUs: expected[i]?.atUs === null ? null : atUs,
        }))
      assert.deepEqual(delivered, expected, key)
    }
  }

  async until(isTrue: () => boolean | Promise<boolean>, problem: string): Promise<void> {
    const endMs = performance.now() + waitMs
    while (!(await isTrue())) {
      if (performance.now() > endMs)
        assert.fail(
          `${problem}: ${JSON.stringify({ ...this.#process?.healthOf(this.#id), expected: this.model.count, samples: await this.samples() }).slice(0, 4_000)}`,
        )
      await pause(20)
    }
  }

  async end(): Promise<void> {
    this.isLogAvailable = true
    await this.#process?.stop()
    await this.#buffers?.stop()
    for (const process of this.#crashed) await process.stop()
    await this.#device.endAsync(true)
    this.proxy.close()
    await this.broker.stop()
    await this.#log.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

interface Published {
  readonly atUs?: number
  readonly qos?: Qos
  readonly retain?: boolean
}

const waitMs = 120_000

async function openLog(folder: string): Promise<Log> {
  const log = await openEmbeddedLog({ path: join(folder, 'log') })
  await log.createTopics(connectTopics)
  return log
}
