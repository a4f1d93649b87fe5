import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { Buffers } from '../../../connect/buffer/buffers.ts'
import { allowedLookup } from '../../../connect/run/allowed-lookup.ts'
import { ConnectSlots } from '../../../connect/run/connect-slots.ts'
import { type ConnectorRef, Connectors } from '../../../connect/run/connectors.ts'
import { WaitingSamples } from '../../../connect/run/waiting-samples.ts'
import { positionId, positionsTopic } from '../../../connect/positions/position.ts'
import type { ReadSource, SourceSecrets } from '../../../connect/source/source.ts'
import { createAcceptor } from '../../../ingest/accept/acceptor.ts'
import { createMachineDirectory } from '../../../ingest/consume/directory.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import type { MachineInfo } from '../../../ingest/decode/validate.ts'
import type { FollowOptions, Log } from '../../../log/log.ts'
import { readToEnd } from '../../../log/read-to-end.ts'
import { Records } from '../../../processors/records/records.ts'
import { defaultCompanySettings } from '../../../schema/records/company.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
} from '../../../schema/records/connector.ts'
import { defaultMachineSettings } from '../../../schema/records/machine.ts'
import type { Change } from '../../../schema/records/record-kinds.ts'
import { asCompanyRef, asMachineRef, type MachineRef, noMachine } from '../../../schema/refs.ts'
import type { Sample } from '../../../schema/sample.ts'
import { topics } from '../../../schema/topics.ts'
import { partitionOfPosition } from '../../../connect/positions/position.ts'
import { isHeartbeat } from '../../../schema/heartbeat.ts'
import { NumberSource } from './number-source.ts'

const companyId = '00000000-0000-4000-8000-0000000000c1'

/**
 * Stands for the machines of other plants: a sample of an unknown machine would be rejected, which takes much more CPU time
 * than the connectors.
 */
const machineOfOther: MachineInfo = {
  id: '',
  ref: noMachine,
  companyRef: asCompanyRef(1),
  maxSampleAgeDays: 100_000,
  namedKeys: new Set(),
  counter: null,
}

/** Machines of all plants have different refs, because their samples share the log. */
let lastRef = 0

/** The records of a company with connectors, each with a machine and a source. */
export class ConnectorPlant {
  readonly records = new Records()
  readonly machines = createMachineDirectory(this.records)
  readonly sources = new Map<string, NumberSource>()

  constructor() {
    const ref = asCompanyRef(1)
    this.apply({
      kind: 'company',
      id: companyId,
      before: null,
      after: { id: companyId, ref, settings: defaultCompanySettings },
    })
  }

  /** Applies a change as the registrar would write it. */
  apply(change: Change): void {
    const command = { id: '', deadlineMs: 0, nowMs: 0, companyId: null, actor: 'test', name: 'test' }
    const offset = this.records.offset + 1
    this.records.apply(
      { command, commandOffset: offset, outcome: { ok: true, result: null }, changes: [change] },
      offset,
    )
  }

  /** Adds a connector with a machine, whose source has samples. Returns the connector's id. */
  add(available = 0): string {
    const [id, machineId] = [randomUUID(), randomUUID()]
    const names = { id: machineId, ref: asMachineRef(++lastRef), companyId, name: machineId }
    const machine = { ...defaultMachineSettings, ...names, createdAt: '2023-01-01T00:00:00.000Z' }
    this.apply({ kind: 'machine', id: machineId, before: null, after: machine })
    this.sources.set(id, new NumberSource(machineId, available))
    this.put(id)
    return id
  }

  put(id: string, changes: Partial<ConnectorRecord> = {}): void {
    const before = this.records.get('connector', companyId, id)
    const machines = [{ ...defaultConnectorMachine, source: 'device', machineId: this.source(id).machineId }]
    const created = {
      id,
      companyId,
      name: id,
      kind: 'mtconnect' as const,
      address: 'http://127.0.0.1:5000',
      enabled: true,
      sourceId: id,
      machines,
      rules: [],
      options: defaultConnectorOptions,
      secrets: {},
    }
    this.apply({ kind: 'connector', id, before, after: { ...(before ?? created), ...changes } })
  }

  remove(id: string): void {
    this.apply({ kind: 'connector', id, before: this.records.get('connector', companyId, id), after: null })
  }

  source(id: string): NumberSource {
    const source = this.sources.get(id)
    if (source === undefined) throw new Error(`There is no source of ${id}`)
    return source
  }

  /** Numbers of the samples of a connector's machine in the log, in order. */
  async delivered(log: Log, id: string): Promise<readonly number[]> {
    return numbersOf(await this.samples(log, id))
  }

  /** Numbers of the samples of several connectors, for which the log is read once. */
  async allDelivered(log: Log, ids: readonly string[]): Promise<readonly (readonly number[])[]> {
    const all = await this.#read(log, new Set(ids.map(id => this.source(id).machineId)))
    return ids.map(id =>
      numbersOf(all.filter(({ machineId }) => machineId === this.source(id).machineId).map(({ sample }) => sample)),
    )
  }

  async samples(log: Log, id: string): Promise<readonly Sample[]> {
    return (await this.#read(log, new Set([this.source(id).machineId]))).map(({ sample }) => sample)
  }

  async #read(log: Log, machineIds: ReadonlySet<string>) {
    const found: { readonly machineId: string; readonly sample: Sample }[] = []
    await readToEnd(log, {
      topic: topics.samples,
      from: 'earliest',
      onBatch: ({ records }) => {
        for (const { value, timestampMs: appendedAtMs } of records) {
          const { find: machine, findByRef } = this.machines
          const machineByRef = (ref: MachineRef) => findByRef(ref) ?? machineOfOther
          for (const each of decodeRecord(value, { machine, machineByRef, appendedAtMs }).accepted)
            if (machineIds.has(each.machine.id)) found.push({ machineId: each.machine.id, sample: each.sample })
        }
      },
    })
    return found
  }
}

function numbersOf(samples: readonly Sample[]): readonly number[] {
  return samples.filter(sample => !isHeartbeat(sample)).map(({ sequence }) => sequence ?? -1)
}

/** Changes that a test makes in a process. */
export interface ProcessOptions {
  readonly clock?: () => number
  readonly waiting?: WaitingSamples
  readonly slots?: ConnectSlots
  /** Reads the sources of connectors; by default those of the plant. */
  readonly read?: ReadSource
  readonly random?: () => number
  /** Log of the samples; by default that of the positions. */
  readonly samplesLog?: Pick<Log, 'append' | 'partitionCount'>
  readonly secrets?: SourceSecrets
  readonly buffers?: Buffers
  /** Time between two writes of positions, ms; by default 20. */
  readonly positionIntervalMs?: number
  /** Called after each change of a state, instead of a note in `states`. */
  readonly onState?: () => void
}

/** A process with the role `connect` on a log. */
export async function startProcess(log: Log, plant: ConnectorPlant, options: ProcessOptions = {}) {
  const { clock = Date.now, waiting = new WaitingSamples(), slots = new ConnectSlots(50) } = options
  const { read = session => plant.source(session.connector.id).read(session), random = () => 0 } = options
  const { samplesLog = log, secrets = {} } = options
  const states: (ConnectorRef & { readonly state: string | undefined })[] = []
  const connectors = new Connectors({
    log,
    records: plant.records,
    catchUpRecords: async () => undefined,
    kinds: { mtconnect: read, mqtt: read, shdr: read },
    acceptor: createAcceptor({ log: samplesLog, machines: plant.machines }),
    waiting,
    buffers: options.buffers ?? null,
    slots,
    lookup: allowedLookup(() => true),
    requireAllowed: () => undefined,
    secretsOf: async () => secrets,
    clock,
    random,
    owner: randomUUID(),
    logger: pino({ level: 'silent' }),
    positionIntervalMs: options.positionIntervalMs ?? 20,
    onState: ref =>
      options.onState ? options.onState() : states.push({ ...ref, state: healthOf(ref.connectorId)?.state }),
  })
  const healthOf = (id: string) => [...connectors.health()].find(({ connectorId }) => connectorId === id)?.health
  await connectors.start()
  return {
    connectors,
    states,
    healthOf,
    running: () => [...connectors.health()].map(({ connectorId }) => connectorId),
    stop: () => connectors.stop(),
  }
}

/** Heads of the stored positions by connector. */
export async function storedHeads(log: Log): Promise<ReadonlyMap<string, Head>> {
  const heads = new Map<string, Head>()
  await readToEnd(log, headsInto(heads))
  return heads
}

/** The heads that one reader of the positions has received. */
export interface FollowedHeads {
  /** Where a connector continues to read; undefined: it has no position. */
  readonly nextOf: (connectorId: string) => number | undefined
  readonly stop: () => Promise<void>
}

/** Follows the stored positions, because a reader for each look at them takes much more CPU time than the connectors. */
export async function followHeads(log: Log): Promise<FollowedHeads> {
  const heads = new Map<string, Head>()
  const follower = await log.follow(headsInto(heads))
  await follower.caughtUp
  return { nextOf: id => heads.get(id)?.next, stop: () => follower.stop() }
}

interface Head {
  readonly next: number
}

function headsInto(heads: Map<string, Head>): FollowOptions {
  return {
    topic: positionsTopic.name,
    from: 'earliest',
    onBatch: ({ records }) => {
      for (const { key, value } of records) {
        const [, id = '', part] = (key ?? '').split('/')
        if (part !== 'head') continue
        if (value.length === 0) heads.delete(id)
        else heads.set(id, JSON.parse(value.toString()).head)
      }
    },
  }
}

export function partitionOf(connectorId: string): number {
  return partitionOfPosition(positionOf(connectorId))
}

/** Id of the position of a connector of a plant. */
export function positionOf(connectorId: string): string {
  return positionId(companyId, connectorId)
}
