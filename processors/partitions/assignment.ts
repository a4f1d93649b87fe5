import type { Logger } from 'pino'
import type { Log } from '../../log/log.ts'
import type { HourDocument } from '../../schema/document.ts'
import type { DocumentStore } from '../../schema/document-store.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { type CompanyRef, noCompany } from '../../schema/refs.ts'
import { groups, stateSamplesPartition, topics } from '../../schema/topics.ts'
import { joinSignals } from '../../shared/async/join-signals.ts'
import { RepeatedFailure } from '../../shared/async/repeated-failure.ts'
import type { Problems } from '../../shared/problems.ts'
import type { AlarmIdRequester } from '../alarms/alarm-id-requester.ts'
import type { Records } from '../records/records.ts'
import type { ChangePublisher } from './change-publisher.ts'
import { claimPartition, type ClaimDeps } from './claim.ts'
import type { StatusPublisher } from './live-status.ts'
import type { OwnedPartition } from './owned-partition.ts'
import { Partition, type PartitionDeps } from './partition.ts'
import { PendingPromotions } from './promotions.ts'
import type { RebuildCoordinator } from './rebuild-coordinator.ts'
import { ChangeQueue } from './record-changes.ts'
import type { RecordIntake } from './record-intake.ts'

export interface AssignmentDeps
  extends
    Omit<ClaimDeps, 'store' | 'logger'>,
    Pick<PartitionDeps, 'clock' | 'inputs' | 'calendarOf' | 'isWatched' | 'onSkippedSamples' | 'onSequenceReused'> {
  readonly log: Pick<Log, 'committed'>
  readonly store: DocumentStore
  readonly records: Records
  readonly logger: Logger
  /** Receives the failures of repeated work. */
  readonly problems?: Problems
  readonly owned: Map<number, OwnedPartition>
  /** Numbers of partitions of state samples and of samples. */
  readonly partitions: () => { readonly stateSamples: number; readonly samples: number }
  readonly recordIntake: RecordIntake
  readonly rebuilds: Pick<RebuildCoordinator, 'takeOver'>
  readonly status: StatusPublisher
  readonly published: ChangePublisher
  readonly alarmIds: Pick<AlarmIdRequester, 'add' | 'takeOver' | 'release'>
  readonly onDocuments?: (documents: readonly HourDocument[]) => void
  /** Called when a partition was taken over. */
  readonly onAssigned: () => void
}

/** Takes over the partitions that the log assigns to this process, and releases those that it revokes. */
export class Assignment {
  readonly #deps: AssignmentDeps
  #assigning = 0

  constructor(deps: AssignmentDeps) {
    this.#deps = deps
  }

  /** Whether a partition is being taken over. */
  get isAssigning(): boolean {
    return this.#assigning > 0
  }

  /** Resolves when the partition is taken over; rejects if log or store fail, and is retried with another claim. */
  async assign(number: number): Promise<void> {
    this.#assigning++
    try {
      const { store, records, onAssigned } = this.#deps
      const fence = await claimPartition(number, this.#deps)
      const stored = (await store.readRecordsOffset(number)) ?? -1
      const readOffset = records.offset
      const owned = await this.#create(number, fence, stored)
      await this.#takeOver(owned, readOffset).catch((error: unknown) => {
        this.#release(owned)
        throw error
      })
      onAssigned()
    } finally {
      this.#assigning--
    }
  }

  release(partitions: Iterable<number>): void {
    for (const partition of partitions) {
      const owned = this.#deps.owned.get(partition)
      if (owned) this.#release(owned)
      this.#deps.alarmIds.release(partition)
    }
  }

  #release(owned: OwnedPartition): void {
    owned.released.abort()
    owned.documentsFailure.ended()
    owned.changesFailure.ended()
    this.#deps.status.forget(owned.partition.tracks.all())
    if (this.#deps.owned.get(owned.number) === owned) this.#deps.owned.delete(owned.number)
  }

  async #takeOver(owned: OwnedPartition, readOffset: number): Promise<void> {
    const { records, logger, alarmIds, rebuilds, recordIntake, partitions } = this.#deps
    const { number, fence, partition } = owned
    const isOwned = ({ ref }: MachineRecord) => stateSamplesPartition(ref, partitions().stateSamples) === number
    const machines = [...records.allMachines()].filter(isOwned)
    const companyOf = (machine: MachineRecord): CompanyRef => records.company(machine.companyId)?.ref ?? noCompany
    await alarmIds.takeOver(number, [...new Set(machines.map(companyOf))])
    const companies = records.companies().map(({ ref }) => ref)
    await partition.takeOver(machines, companyOf, companies)
    this.#deps.owned.set(number, owned)
    recordIntake.catchUp(owned, readOffset)
    await rebuilds.takeOver(number, partition)
    const report = { partition: number, fence, machines: machines.length, dirtyHours: partition.tracks.dirtyHours }
    logger.info(report, 'Took over a partition of state samples')
  }

  async #create(number: number, fence: number, stored: number): Promise<OwnedPartition> {
    const { records, log, logger, recordIntake, status, published, alarmIds, signal, problems } = this.#deps
    const { stateSamples, samples } = this.#deps.partitions()
    const committedOffset = (await log.committed(groups.process, topics.stateSamples))[number] ?? 0
    const released = new AbortController()
    const changesFailure = new RepeatedFailure(problems, `changes of ${number}`)
    const owned: OwnedPartition = {
      number,
      partition: new Partition({
        ...this.#deps,
        partition: number,
        partitions: stateSamples,
        fence,
        nextOffset: committedOffset,
        // Work in progress ends after the release; the status of the next owner may be newer.
        onCurrent: tracks => {
          if (!released.signal.aborted) status.computed(tracks)
        },
        onStored: documents => this.#deps.onDocuments?.(documents),
        onWritten: documents => {
          alarmIds.add(number, documents)
          published.add(
            'documents',
            documents.map(({ machineRef }) => machineRef),
          )
        },
      }),
      promotions: new PendingPromotions(samples),
      documentsFailure: new RepeatedFailure(problems, `documents of ${number}`),
      changesFailure,
      changes: new ChangeQueue({
        apply: change => recordIntake.apply(owned, change),
        logger,
        failure: changesFailure,
        signal: joinSignals(released.signal, signal).signal,
      }),
      fence,
      committedOffset,
      storedRecordsOffset: stored,
      recordsOffset: records.offset,
      released,
      isConsuming: false,
    }
    return owned
  }
}
