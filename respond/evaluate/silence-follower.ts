import type { Logger } from 'pino'
import type { Records } from '../../processors/records/records.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { instantText } from '../../shared/time/instant.ts'
import { hourMs, minuteMs, slotOf } from '../../shared/time/units.ts'
import { Backoff } from './backoff.ts'
import { KnownActivity } from './known-activity.ts'
import { LongActivities } from './long-activities.ts'
import type { PartitionEvaluation } from './partition-evaluation.ts'
import { isSilenceRule } from './rules-of-machine.ts'

export interface SilenceDeps {
  readonly records: Records
  readonly partitionOf: (machineRef: MachineRef) => number
  /** Resolves when the store contains every sample that the log contains now. */
  readonly untilStored: () => Promise<void>
  /** Reads the newest sample of each machine up to an instant, UTC ms, without heartbeats; machines without one are missing. */
  readonly readNewestSamples: (
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    toMs: number,
  ) => Promise<ReadonlyMap<MachineRef, number>>
  /** Reads when machines sent samples that are dated after an instant, UTC ms, without heartbeats. */
  readonly readActivityAfter: (
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    afterMs: number,
  ) => Promise<readonly ActivityMinute[]>
  /** How long before the limit an incident may have ended that late data of the previous owner may change, ms. */
  readonly lateMs: number
  readonly clock: () => number
  readonly logger: Logger
}

/** Time after its last rule for which a short pause stays, ms: changes of rules restart the activity once in this time. */
const retainedMs = hourMs

/** Notes the samples of partitions while rules on silence exist. */
export class SilenceFollower {
  readonly #deps: SilenceDeps
  readonly #failures = new Backoff()
  readonly #long: LongActivities
  /** Longest pause within the runs of partitions, ms, and the last instant at which rules needed it, UTC ms. */
  #pause: { readonly ms: number; readonly neededMs: number } | null = null
  /** Companies with rules on silence. */
  #companyIds: ReadonlySet<string> = new Set()
  #isStopped = false

  constructor(deps: SilenceDeps) {
    this.#deps = deps
    this.#long = new LongActivities(ref => deps.records.machineByRef(ref)?.companyId)
  }

  stop(): void {
    this.#isStopped = true
  }

  /**
   * Begins to note the samples of partitions if rules need them, and ends it. A rule on a shorter silence restarts it for all
   * companies, whose silences are unknown until then; other changes of rules do not. An hour after the last rule on a shorter
   * silence, longer pauses are part of the runs.
   */
  follow(partitions: Iterable<PartitionEvaluation>, clockMs: number): void {
    const { records } = this.#deps
    const rules = records.companies().flatMap(({ id }) => records.list('alertRule', id).filter(isSilenceRule))
    this.#companyIds = new Set(rules.map(({ companyId }) => companyId))
    this.#pause = this.#choosePause(pauseOf(rules), clockMs)
    const activities = new Set<object | null>()
    for (const partition of partitions) {
      if (this.#pause === null) partition.activity = null
      else this.#followPartition(partition, this.#pause.ms, clockMs)
      activities.add(partition.activity)
    }
    this.#long.retain((machineRef, activity) => activities.has(activity) && this.concerns(machineRef))
  }

  #choosePause(pauseMs: number | null, clockMs: number) {
    if (pauseMs === null) return null
    const isRetained = this.#pause !== null && pauseMs > this.#pause.ms && clockMs < this.#pause.neededMs + retainedMs
    return isRetained ? this.#pause : { ms: pauseMs, neededMs: clockMs }
  }

  #followPartition(partition: PartitionEvaluation, pauseMs: number, clockMs: number): void {
    const { activity } = partition
    if (activity !== null && activity.pauseMs <= pauseMs) {
      if (activity.pauseMs < pauseMs) activity.lengthenPauses(pauseMs)
    } else if (this.#failures.isOver(clockMs)) {
      partition.activity = new KnownActivity(pauseMs, this.#long)
      crashOnRejection(this.#restore(partition, partition.activity))
    }
  }

  /** Whether samples of a machine may change an incident of silence. */
  concerns(machineRef: MachineRef): boolean {
    return this.#companyIds.has(this.#deps.records.machineByRef(machineRef)?.companyId ?? '')
  }

  /**
   * Reads the newest samples from before `activity` was created, and those that are dated later than now. After a failure, it is created
   * again.
   */
  async #restore(partition: PartitionEvaluation, activity: KnownActivity): Promise<void> {
    const { records, partitionOf, untilStored, readNewestSamples, readActivityAfter, lateMs, clock, logger } =
      this.#deps
    try {
      await untilStored()
      if (this.#isStopped) return
      const machines = [...records.allMachines()].filter(({ ref }) => partitionOf(ref) === partition.partition)
      const newest = new Map<MachineRef, number>()
      const later: ActivityMinute[] = []
      const nowMs = clock()
      for (const [companyId, ofCompany] of groupBy(machines, each => each.companyId)) {
        const company = records.company(companyId)
        const refs = ofCompany.map(({ ref }) => ref)
        if (!company) continue
        for (const [ref, ms] of await readNewestSamples(company.ref, refs, nowMs)) newest.set(ref, ms)
        later.push(...(await readActivityAfter(company.ref, refs, nowMs)))
      }
      const starts = new Map(machines.map(machine => [machine.ref, this.#startOfIncidents(machine, partition)]))
      const lateFromMs = partition.evaluatedToMs - lateMs
      activity.restore(newest, ref => Math.min(lateFromMs, starts.get(ref) ?? Infinity))
      for (const { machineRef, firstMs, lastMs } of later)
        activity.note(machineRef, firstMs, lastMs, partition.evaluatedToMs)
      for (const { ref } of machines) partition.add(ref, slotOf(partition.evaluatedToMs))
      this.#failures.succeeded()
    } catch (error) {
      this.#failures.failed(clock())
      if (partition.activity === activity) partition.activity = null
      if (!this.#isStopped)
        logger.warn({ err: error, partition: partition.partition }, 'Failed to read the newest samples of machines')
    }
  }

  /** Returns the start of the incidents of silence that the previous owner may not have evaluated, UTC ms; Infinity: none. */
  #startOfIncidents({ companyId, id }: MachineRecord, { evaluatedToMs }: PartitionEvaluation): number {
    const { records, lateMs } = this.#deps
    const fromAt = instantText(evaluatedToMs - lateMs)
    const changing = records.incidents
      .ofSubject(companyId, id)
      .filter(({ kind, state, endedAt }) => kind === 'silent' && state !== 'retracted' && (endedAt ?? fromAt) >= fromAt)
    return Math.min(...changing.map(({ startedAt }) => Date.parse(startedAt)))
  }
}

/**
 * Returns the longest pause within a run of samples, ms; null: no rule needs them. It has few values (1, 2, 4 … min): changes
 * of rules restart the activity of a partition seldom.
 */
function pauseOf(rules: readonly { readonly forMs: number }[]): number | null {
  if (rules.length === 0) return null
  const minutes = Math.min(...rules.map(({ forMs }) => forMs)) / minuteMs
  return minuteMs * 2 ** Math.floor(Math.log2(minutes))
}
