import type { Records } from '../../processors/records/records.ts'
import type { ConnectorHealth } from '../../schema/connector-health.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { getOrCreate } from '../../shared/collections/get-or-create.ts'
import type { PartitionOwnership, PositionsLog } from '../positions/owned-partition.ts'
import { ownPositions } from '../positions/own-positions.ts'
import { partitionOfPosition, Position, positionId } from '../positions/position.ts'
import type { ReadSource } from '../source/source.ts'
import { PositionWriter } from './position-writer.ts'
import { type ConnectorPorts, RunningConnector } from './running-connector.ts'

/** Reads a source of each kind. A kind that is missing has no source to read. */
export type SourceKinds = Readonly<Partial<Record<ConnectorRecord['kind'], ReadSource>>>

export interface ConnectorsOptions extends ConnectorPorts {
  readonly log: PositionsLog
  readonly records: Records
  /** Resolves when `records` contain every existing record. */
  readonly catchUpRecords: () => Promise<void>
  readonly kinds: SourceKinds
  /** Time between two writes of the positions of a partition, ms; default: a second. */
  readonly positionIntervalMs?: number
  /** Called after each change of a connector's state. */
  readonly onState: (connector: ConnectorRef) => void
}

/** Names a connector of any company. */
export interface ConnectorRef {
  readonly companyRef: CompanyRef
  readonly connectorId: string
}

/** A partition whose connectors this process runs. */
interface OwnedConnectors {
  readonly positions: Map<string, Position>
  readonly writer: PositionWriter
}

/** A connector that runs, and the partition and record with which it was started. */
interface Started {
  readonly owned: OwnedConnectors
  readonly connector: RunningConnector
  readonly ref: ConnectorRef
}

/** Runs the connectors of the partitions that this process owns, by their records. */
export class Connectors {
  readonly #options: ConnectorsOptions
  readonly #owned = new Map<number, OwnedConnectors>()
  readonly #started = new Map<string, Started>()
  readonly #changes = new Map<string, ReturnType<typeof createSerial>>()
  #stopFollowing: () => void = () => undefined
  #owner: Awaited<ReturnType<typeof ownPositions>> | null = null

  constructor(options: ConnectorsOptions) {
    this.#options = options
  }

  /** Joins the processes that run connectors. */
  async start(): Promise<void> {
    const { log, records, logger } = this.#options
    this.#stopFollowing = records.onChange(change => {
      if (change.kind !== 'connector') return
      const record = change.after ?? change.before
      const id = record === null ? null : positionId(record.companyId, record.id)
      // The failures of a connector are its own.
      if (id === null) return
      if (this.#owned.has(partitionOfPosition(id))) crashOnRejection(this.#apply(id))
      // This process may have notes of an earlier ownership of the connector.
      else if (change.after === null) this.#options.buffers?.forgetNotes(each => each === id)
    })
    this.#owner = await ownPositions(log, {
      onOwned: ownership => this.#take(ownership),
      onLost: partition => this.#release(partition),
      onProblem: (partition, error) =>
        logger.warn({ partition, err: error }, 'Failed to store positions or to change their owner'),
    })
  }

  /** Stops all connectors, and leaves the group. */
  async stop(): Promise<void> {
    this.#stopFollowing()
    await this.#owner?.stop()
  }

  /** The connectors that run in this process. */
  *health(): Generator<ConnectorRef & { readonly health: ConnectorHealth }> {
    for (const { ref, connector } of this.#started.values()) yield { ...ref, health: connector.health() }
  }

  async #take({ partition, positions, write }: PartitionOwnership): Promise<void> {
    const { logger, positionIntervalMs, catchUpRecords } = this.#options
    const writer = new PositionWriter(
      { write },
      {
        ...(positionIntervalMs !== undefined && { intervalMs: positionIntervalMs }),
        onInvalid: ({ id }, error) => logger.error({ connector: id, err: error }, 'A position cannot be stored'),
      },
    )
    await catchUpRecords()
    // The connectors that were deleted while this process did not run.
    this.#options.buffers?.forgetNotes(id => this.#findRecord(id) === null)
    this.#owned.set(partition, { positions: new Map(positions), writer })
    // Positions without a record: the connector was deleted while no process owned the partition.
    await Promise.all([...new Set([...this.#idsOf(partition), ...positions.keys()])].map(id => this.#apply(id)))
  }

  async #release(partition: number): Promise<void> {
    const owned = this.#owned.get(partition)
    this.#owned.delete(partition)
    const started = [...this.#started].filter(([, each]) => each.owned === owned)
    await Promise.all(started.map(([id]) => this.#apply(id)))
    owned?.writer.stop()
  }

  /** Ids of the positions of the connectors of a partition. */
  #idsOf(partition: number): readonly string[] {
    const { records } = this.#options
    return records
      .companies()
      .flatMap(({ id: companyId }) => records.list('connector', companyId).map(({ id }) => positionId(companyId, id)))
      .filter(id => partitionOfPosition(id) === partition)
  }

  /** `id`: of a position. */
  #findRecord(id: string): ConnectorRecord | null {
    const [companyId = '', ...rest] = id.split('/')
    return this.#options.records.get('connector', companyId, rest.join('/'))
  }

  /** Starts, stops or restarts a connector, one change at a time. */
  #apply(id: string): Promise<void> {
    const serial = getOrCreate(this.#changes, id, createSerial)
    return serial(() => this.#change(id))
  }

  async #change(id: string): Promise<void> {
    const owned = this.#owned.get(partitionOfPosition(id))
    const record = this.#findRecord(id)
    const started = this.#started.get(id)
    if (started !== undefined) {
      if (started.owned === owned && started.connector.record === record) return
      await started.connector.stop()
      this.#started.delete(id)
    }
    if (owned === undefined) return
    if (record === null) await this.#removePosition(owned, id)
    else if (record.enabled) this.#startConnector(owned, id, record)
  }

  async #removePosition({ positions, writer }: OwnedConnectors, id: string): Promise<void> {
    const position = positions.get(id)
    positions.delete(id)
    this.#options.buffers?.forgetNotes(each => each === id)
    if (position !== undefined)
      await writer
        .remove(position)
        .catch((error: unknown) =>
          this.#options.logger.warn({ err: error, connector: id }, 'Failed to delete a position'),
        )
  }

  #startConnector(owned: OwnedConnectors, id: string, record: ConnectorRecord): void {
    const read = this.#options.kinds[record.kind]
    const company = this.#options.records.company(record.companyId)
    if (read === undefined || company === null) return
    const position = (owned.positions.get(id) ?? new Position(id)).startOf(record.kind)
    owned.positions.set(id, position)
    const ref = { companyRef: company.ref, connectorId: record.id }
    const onState = () => this.#options.onState(ref)
    const { writer } = owned
    const hasMachine = (machineId: string) => this.#options.records.get('machine', company.id, machineId) !== null
    const options = { record, companyRef: company.ref, read, position, writer, hasMachine, onState }
    this.#started.set(id, { owned, ref, connector: new RunningConnector(this.#options, options) })
  }
}
