import type { Logger } from 'pino'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { Records } from '../records/records.ts'
import type { CommandClient } from '../registrar/client.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { Partition } from './partition.ts'
import { noCompany } from '../../schema/refs.ts'

/** The work of a partition for rebuilds. */
export interface RebuildWork extends Pick<Partition, 'startRebuild'> {
  readonly rebuilds: Pick<Partition['rebuilds'], 'progress' | 'forget'>
}

export interface RebuildCoordinatorDeps {
  readonly records: Pick<Records, 'rebuilds' | 'company'>
  readonly commands: Pick<CommandClient, 'submit'>
  readonly logger: Pick<Logger, 'error'>
  /** The partitions that this process owns now, by number. */
  readonly works: () => Iterable<readonly [number, RebuildWork]>
  /** How many partitions there are. */
  readonly partitions: () => number
  /** Hours and ids of a partition that must be complete, besides rebuilds, before a rebuild is reported as complete. */
  readonly dirtyHours: (partition: number) => number
  /** Called when hours were marked for recomputation. */
  readonly wake: () => void
}

/** Runs requested rebuilds in the partitions until each is reported as complete. */
export class RebuildCoordinator {
  readonly #deps: RebuildCoordinatorDeps

  constructor(deps: RebuildCoordinatorDeps) {
    this.#deps = deps
  }

  /** Starts a rebuild in every partition. If the store is unavailable, the next `tick` retries. */
  start(rebuild: RebuildRecord | null): void {
    if (!rebuild || rebuild.finishedAt !== null) return
    for (const [partition, work] of this.#deps.works())
      this.#startIn(rebuild, partition, work).catch((error: unknown) =>
        this.#deps.logger.error({ err: error, partition }, 'Failed to start rebuild'),
      )
  }

  /** Starts unfinished rebuilds in a partition that was taken over. */
  async takeOver(partition: number, work: RebuildWork): Promise<void> {
    for (const rebuild of this.#deps.records.rebuilds()) await this.#startIn(rebuild, partition, work)
  }

  /** Reports rebuilds that have nothing left, after all their consequences are complete too; retries failed starts. */
  async tick(): Promise<void> {
    for (const [partition, work] of this.#deps.works()) {
      const complete = work.rebuilds.progress.filter(({ leftHours }) => leftHours === 0)
      if (complete.length === 0 || this.#deps.dirtyHours(partition) > 0) continue
      for (const { id, totalHours } of complete) await this.#reportDone(id, partition, work, totalHours)
    }
    for (const rebuild of this.#deps.records.rebuilds()) this.start(rebuild)
  }

  async #startIn(rebuild: RebuildRecord, partition: number, work: RebuildWork): Promise<void> {
    const { id, companyId, doneHours, finishedAt } = rebuild
    if (finishedAt !== null || partition in doneHours) return
    const companyRef = companyId === '' ? null : (this.#deps.records.company(companyId)?.ref ?? noCompany)
    await work.startRebuild(id, companyRef)
    this.#deps.wake()
  }

  async #reportDone(id: string, partition: number, work: RebuildWork, hours: number): Promise<void> {
    const payload = { id, partition, partitions: this.#deps.partitions(), hours }
    resultOrThrow(await this.#deps.commands.submit('rebuild.partitionDone', payload, { companyId: null }))
    work.rebuilds.forget(id)
  }
}
