import { assert } from 'chai'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Buffers } from '../../../connect/buffer/buffers.ts'
import { decodePositions, Position } from '../../../connect/positions/position.ts'
import { allowedLookup } from '../../../connect/run/allowed-lookup.ts'
import { ConnectSlots } from '../../../connect/run/connect-slots.ts'
import { PositionWriter } from '../../../connect/run/position-writer.ts'
import { RunningConnector } from '../../../connect/run/running-connector.ts'
import { WaitingSamples } from '../../../connect/run/waiting-samples.ts'
import { readAdapter } from '../../../connect/shdr/read-adapter.ts'
import type { Acceptor } from '../../../ingest/accept/acceptor.ts'
import { LogUnavailable } from '../../../log/log.ts'
import { isHeartbeat } from '../../../schema/heartbeat.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
} from '../../../schema/records/connector.ts'
import { asCompanyRef } from '../../../schema/refs.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { pause } from '../../../shared/async/waiting.ts'
import { Adapter, lineOf, type Sent } from './adapter.ts'
import { AdapterModel } from './adapter-model.ts'

const id = 'company/adapter'
const waitMs = 120_000

const dataItems = `
  <DataItem category="EVENT" id="a" name="avail" type="AVAILABILITY"/>
  <DataItem category="EVENT" id="e" name="execution" type="EXECUTION"/>
  <DataItem category="EVENT" id="p" name="program" type="PROGRAM"/>
  <DataItem category="EVENT" id="c" name="PartCount" type="PART_COUNT"/>
  <DataItem category="EVENT" id="d" name="part" type="PART_COUNT" discrete="true"/>
  <DataItem category="CONDITION" id="s" name="system" type="SYSTEM"/>
  <DataItem category="SAMPLE" id="r" name="speed" type="ROTARY_VELOCITY"/>`

const modeItem = `
  <DataItem category="EVENT" id="m" name="mode" type="CONTROLLER_MODE"/>`

/** A probe document of devices with these names. */
function devicesDocument(names: readonly string[], items: string): string {
  const devices = names.map(
    name =>
      `<Device id="${name}" name="${name}" uuid="u-${name}"><DataItems>${items.replaceAll('id="', `id="${name}-`)}</DataItems></Device>`,
  )
  return `<MTConnectDevices><Devices>${devices.join('')}</Devices></MTConnectDevices>`
}

/** The items of a machine, as `devicesDocument` defines them. */
function itemsOf(machineId: string) {
  return [
    { machineId, key: 'avail', type: 'AVAILABILITY', category: 'EVENT' },
    { machineId, key: 'execution', type: 'EXECUTION', category: 'EVENT' },
    { machineId, key: 'program', type: 'PROGRAM', category: 'EVENT' },
    { machineId, key: 'PartCount', type: 'PART_COUNT', category: 'EVENT' },
    { machineId, key: 'part', type: 'PART_COUNT', category: 'EVENT', isDiscrete: true },
    // The document does not have this key at first.
    { machineId, key: 'mode', type: 'MODE', category: 'EVENT' },
    { machineId, key: 'system', type: 'SYSTEM', category: 'CONDITION' },
    { machineId, key: 'speed', type: 'ROTARY_VELOCITY', category: 'SAMPLE' },
  ] as const
}

export interface ScenarioOptions {
  /** Names of devices, which are the ids of their machines too. */
  readonly devices?: readonly string[]
  readonly options?: Partial<ConnectorRecord['options']>
  /** Limit of the buffer, bytes. */
  readonly bufferBytes?: number
  /** Default: samples go through a buffer on disk; otherwise they wait in memory. */
  readonly isBuffered?: boolean
}

/** A process that runs the connector. After its crash, nothing that it does has an effect. */
interface Process {
  readonly folder: string
  readonly buffers: Buffers
  readonly connector: RunningConnector
  /** Stores the position as it is now. */
  readonly storePosition: () => Promise<void>
  isDead: boolean
}

/**
 * An adapter, the connector that reads it with a buffer on disk, and the model of what should be in the log. The clock
 * advances only when a value is sent.
 */
export class Scenario {
  readonly adapter: Adapter
  readonly model: AdapterModel
  readonly log: WireSample[] = []
  clockMs = Date.parse('2024-05-06T06:00:00Z')
  isLogAvailable = true
  readonly #options: ScenarioOptions
  readonly #stored = new Map<string, Buffer>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'takt-shdr-'))
  readonly #processes: Process[] = []
  #dataItems = dataItems
  /** Folder of the buffer that a killed process has left, while another one runs. */
  #leftFolder: string | null = null
  #left: Buffers | null = null

  private constructor(adapter: Adapter, options: ScenarioOptions) {
    this.adapter = adapter
    this.#options = options
    const items = (options.devices ?? ['Mill']).flatMap(name => itemsOf(name))
    this.model = new AdapterModel(items, options.options?.timeOffsetMs)
  }

  static async start(options: ScenarioOptions = {}): Promise<Scenario> {
    const scenario = new Scenario(await Adapter.start(), options)
    await scenario.startProcess()
    await scenario.connected([])
    return scenario
  }

  get process(): Process {
    const process = this.#processes.at(-1)
    if (process === undefined) throw new Error('No process was started')
    return process
  }

  get totals() {
    return this.process.connector.health().totals
  }

  /** Starts a process with the positions that the previous one has left, and with a copy of a buffer. */
  async startProcess(bufferOf?: string): Promise<void> {
    const folder = join(this.#folder, String(this.#processes.length))
    if (bufferOf !== undefined) cpSync(bufferOf, folder, { recursive: true })
    const position = (decodePositions(new Map(this.#stored)).get(id) ?? new Position(id)).startOf('shdr')
    const self = { isDead: false }
    const acceptor = this.#acceptorOf(self)
    const buffers = await this.#openBuffers(folder, acceptor)
    const write = async (records: readonly { readonly key: string | null; readonly value: Buffer }[]) => {
      if (!self.isDead) for (const { key, value } of records) this.#stored.set(key ?? '', Buffer.from(value))
    }
    const ports = {
      acceptor,
      buffers: this.#options.isBuffered === false ? null : buffers,
      waiting: new WaitingSamples(),
      slots: new ConnectSlots(1),
      lookup: allowedLookup(() => true),
      requireAllowed: () => undefined,
      secretsOf: async () => ({}),
      clock: () => this.clockMs,
      random: () => 0,
      owner: 'process',
      logger: pino({ level: 'silent' }),
    }
    const writer = new PositionWriter(
      { write },
      { intervalMs: 10, onInvalid: () => assert.fail('A position is invalid') },
    )
    const connector = new RunningConnector(ports, {
      record: this.#record(),
      companyRef: asCompanyRef(1),
      read: readAdapter,
      position,
      writer,
      hasMachine: () => true,
      onState: () => undefined,
    })
    const storePosition = () => writer.flush(position)
    this.#processes.push(Object.assign(self, { folder, buffers, connector, storePosition }))
  }

  #acceptorOf(process: { readonly isDead: boolean }) {
    return {
      accept: async ({ body }: { readonly body: Buffer }) => {
        if (process.isDead || !this.isLogAvailable) throw new LogUnavailable('No broker')
        const batch: readonly WireSample[] = JSON.parse(body.toString())
        this.log.push(...batch)
        return { accepted: batch.length, rejected: [], rejectedCount: 0, rejectedByCode: {} }
      },
    }
  }

  #openBuffers(folder: string, acceptor: Acceptor): Promise<Buffers> {
    const limits = { eachBytes: this.#options.bufferBytes ?? 64 << 20, totalBytes: 1 << 30 }
    return Buffers.open({ folder, acceptor, limits, logger: pino({ level: 'silent' }) })
  }

  /** Kills the process; another one, which has no files of it, continues. */
  async moveToAnother(): Promise<void> {
    this.#leftFolder = join(this.#folder, 'left')
    cpSync(this.process.folder, this.#leftFolder, { recursive: true })
    await this.kill({ bufferOf: undefined })
  }

  /** Starts the killed process again, which delivers what its buffer holds. */
  async resumeKilled(): Promise<void> {
    assert(this.#leftFolder !== null)
    const buffers = await this.#openBuffers(this.#leftFolder, this.#acceptorOf({ isDead: false }))
    this.#left = buffers
  }

  /** A user replaces the probe document: devices have the item `mode` too. */
  async addMode(): Promise<void> {
    await this.process.connector.stop()
    await this.process.buffers.stop()
    this.#dataItems += modeItem
    this.model.setType('mode', 'CONTROLLER_MODE')
    await this.startProcess(this.process.folder)
  }

  /** Kills the process, and starts another one. Its connection begins with the present values of the adapter. */
  async kill(
    { bufferOf }: { readonly bufferOf: string | undefined } = { bufferOf: this.process.folder },
  ): Promise<void> {
    const { process } = this
    process.isDead = true
    await this.startProcess(bufferOf)
    this.#ending.push(process.connector.stop().then(() => process.buffers.stop()))
  }

  readonly #ending: Promise<void>[] = []

  #record(): ConnectorRecord {
    const names = this.#options.devices ?? ['Mill']
    const options = {
      ...defaultConnectorOptions,
      devices: devicesDocument(names, this.#dataItems),
      ...this.#options.options,
    }
    return {
      id: 'adapter',
      companyId: 'company',
      name: 'Adapter',
      kind: 'shdr',
      address: this.adapter.address,
      enabled: true,
      sourceId: 'adapter',
      machines: names.map(name => Object.assign({}, defaultConnectorMachine, { source: name, machineId: name })),
      rules: [],
      options,
      secrets: {},
    }
  }

  /** The adapter sends values; resolves when the connector has read them. */
  async send(...values: readonly (Omit<Sent, 'ms'> & { readonly ageMs?: number | null })[]): Promise<void> {
    this.clockMs += 1_000
    const sent = values.map(({ ageMs = 0, ...value }) =>
      Object.assign(value, { ms: ageMs === null ? null : this.clockMs - ageMs }),
    )
    for (const value of sent)
      for (let copy = 0; copy < this.adapter.faults.copies; copy++) this.model.receive(value, this.clockMs)
    this.model.contact(this.clockMs)
    this.adapter.send(...sent)
    await this.heard()
    this.sent.push(...sent)
  }

  /** The values of the machine, with which a connection begins. */
  readonly sent: Sent[] = []

  /** Changes of the machine while the adapter has no connection. */
  change(key: string, value: string, details: Partial<Sent> = {}): void {
    this.clockMs += 1_000
    const sent = { key, value, ms: this.clockMs, ...details }
    this.sent.push(sent)
    this.adapter.present.set(`${sent.device}:${key}:${sent.code ?? ''}`, lineOf(sent))
  }

  /** Resolves when the connector has read what was sent at the present time. */
  async heard(): Promise<void> {
    await this.until(() => this.process.connector.health().lastHeardMs === this.clockMs, 'the connector is not heard')
  }

  /** The connector has connected, and reads these present values; by default those of `present`. */
  async connected(values: readonly Sent[] = this.present()): Promise<void> {
    this.model.connect()
    for (const value of values)
      for (let copy = 0; copy < this.adapter.faults.copies; copy++) this.model.receive(value, this.clockMs)
    this.model.contact(this.clockMs)
    await this.heard()
  }

  /** The last value of each key and code, in the order in which they were sent first. */
  present(): readonly Sent[] {
    const last = new Map<string, Sent>()
    for (const value of this.sent) last.set(`${value.device}:${value.key}:${value.code ?? ''}`, value)
    return [...last.values()]
  }

  /** The connection ends; resolves after the function and the next connection. */
  async cut(meanwhile: () => void | Promise<void> = () => undefined, values?: readonly Sent[]): Promise<void> {
    this.adapter.faults.isRefusing = true
    this.adapter.cut()
    await this.until(() => this.process.connector.health().state !== 'connected', 'the connection remains')
    await meanwhile()
    this.clockMs += 1_000
    this.adapter.faults.isRefusing = false
    await this.connected(values)
  }

  async until(isTrue: () => boolean, problem: string): Promise<void> {
    const endMs = performance.now() + waitMs
    while (!isTrue()) {
      if (performance.now() > endMs) assert.fail(`${problem}: ${JSON.stringify(this.process.connector.health())}`)
      await pause(2)
    }
  }

  /** The samples in the log are those of the model, each at least once. */
  async check(): Promise<void> {
    const expected = [...this.model.samples.values()].map(described).sort()
    const read = () => [...new Set(this.log.filter(sample => !isHeartbeatSample(sample)).map(described))].sort()
    const endMs = performance.now() + waitMs
    while (performance.now() < endMs && read().join() !== expected.join()) await pause(10)
    assert.deepEqual(read(), expected)
  }

  /** Resolves when the position of what was read is stored. */
  async stored(): Promise<void> {
    await this.until(() => {
      const head = this.#stored.get(`${id}/head`)?.toString() ?? ''
      return head.includes(`"contactUs":${this.clockMs * 1000}}`)
    }, 'the position is not stored')
  }

  async end(): Promise<void> {
    this.isLogAvailable = true
    await this.process.connector.stop()
    await this.process.buffers.stop()
    await this.#left?.stop()
    await Promise.all(this.#ending)
    await this.adapter.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function isHeartbeatSample({ key, type }: WireSample): boolean {
  return isHeartbeat({ key, type })
}

/** All fields of a sample in one line, the time first. */
function described(sample: WireSample): string {
  const { timestamp, machineId, key, value, ...others } = sample
  return JSON.stringify([timestamp, machineId, key, value, Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))])
}
