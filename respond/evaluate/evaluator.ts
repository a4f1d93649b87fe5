import type { Logger } from 'pino'
import type { Calendar } from '../../processors/calendar/types.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import { maxGaps } from '../../schema/records/alert-evaluation.ts'
import type { AlertRuleRecord } from '../../schema/records/alert-rule.ts'
import { appliesToMachine } from '../../schema/records/alert-subject.ts'
import type { CompanySettings } from '../../schema/records/company.ts'
import { type IncidentRecord, maxUnresolved } from '../../schema/records/incident.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { mapConcurrently } from '../../shared/async/map-concurrently.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { instantText } from '../../shared/time/instant.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { horizonMs } from '../incidents/evaluation.ts'
import { type Interval, joinIntervals } from '../intervals/interval.ts'
import { behindMs } from './evaluate-machine.ts'
import { type Batch, type BatchDeps, evaluateMachines, type MachineToEvaluate } from './evaluate-machines.ts'
import { PartitionEvaluation } from './partition-evaluation.ts'
import type { ChangedHistory } from './recent-histories.ts'
import { RecordChanges, type RecordChangesDeps } from './record-changes.ts'
import { RulesByMachine } from './rules-by-machine.ts'
import { isMachineRule } from './rules-of-machine.ts'
import { shiftIdsOf } from './shift-ids.ts'
import { type SilenceDeps, SilenceFollower } from './silence-follower.ts'

export interface EvaluatorDeps
  extends
    Omit<BatchDeps, 'recordChangedMs'>,
    Pick<SilenceDeps, 'untilStored' | 'readNewestSamples' | 'readActivityAfter'>,
    RecordChangesDeps {
  /** The fences of the partitions that this process owns. */
  readonly fences: () => ReadonlyMap<number, number>
  readonly partitionOf: (machineRef: MachineRef) => number
  /**
   * Resolves to the newest instant before which every appended sample is in the documents, UTC ms, by owned partition; a
   * partition is missing until an instant is known.
   */
  readonly completeTo: () => Promise<ReadonlyMap<number, number>>
  readonly calendarOf: (settings: CompanySettings, schedule: null) => Calendar
  readonly clock: () => number
  readonly logger: Logger
}

/** Limit of the partitions that are evaluated at the same time: each may read thousands of documents. */
const maxConcurrent = 4
/** Interval at which the limit of evaluations is stored, ms. */
const storeEveryMs = 10_000

/**
 * Evaluates the alert rules of the machines whose partitions this process owns, from their documents in the store. All
 * state that it needs after a crash is in the incidents, in the stored limit and in the audit trail.
 */
export class Evaluator {
  readonly #deps: EvaluatorDeps
  readonly #partitions = new Map<number, PartitionEvaluation>()
  readonly #silence: SilenceFollower
  readonly #recordChanges: RecordChanges
  readonly #rules: RulesByMachine
  /** Companies that have the maximum of unresolved incidents. */
  readonly #full = new Set<string>()
  readonly #stopListening: readonly (() => void)[]

  constructor(deps: EvaluatorDeps) {
    this.#deps = deps
    this.#silence = new SilenceFollower(deps)
    this.#recordChanges = new RecordChanges(deps)
    this.#rules = new RulesByMachine(deps.records)
    this.#stopListening = [
      deps.records.onEntry(({ command, changes }) => {
        for (const change of changes) this.#recordChanged(change, command.nowMs)
      }),
    ]
  }

  stop(): void {
    for (const stop of this.#stopListening) stop()
    this.#silence.stop()
  }

  /** Whether rules or unresolved incidents may have to be evaluated. */
  get hasWork(): boolean {
    const { records } = this.#deps
    if (this.#partitions.size === 0) return false
    return records
      .companies()
      .some(({ id }) => records.incidents.unresolvedCount(id) > 0 || records.list('alertRule', id).some(isMachineRule))
  }

  /** Notes documents that are in the store. Call it for all documents of a partition from the take-over on. */
  written(documents: readonly ChangedHistory[]): void {
    // The partition may have been taken over after the last evaluation.
    this.#follow()
    for (const { machineRef, changedFromMs } of documents)
      this.#partitions.get(this.#deps.partitionOf(machineRef))?.add(machineRef, changedFromMs)
  }

  /** Notes when machines of a partition sent samples, without heartbeats. Call it for all samples from the take-over on. */
  seen(partition: number, minutes: readonly ActivityMinute[]): void {
    this.#follow()
    const of = this.#partitions.get(partition)
    const activity = of?.activity ?? null
    if (!of || !activity) return
    for (const { machineRef, firstMs, lastMs } of minutes) {
      const isNews = activity.note(machineRef, firstMs, lastMs, of.evaluatedToMs)
      if (isNews && this.#silence.concerns(machineRef)) of.add(machineRef, hourBefore(firstMs))
    }
  }

  /** Evaluates what is due; no partition depends on another one. Do not call it again before it has resolved. */
  async tick(): Promise<void> {
    this.#follow()
    const clockMs = this.#deps.clock()
    if (!this.hasWork) {
      for (const partition of this.#partitions.values()) partition.clear(clockMs)
      return
    }
    this.#silence.follow(this.#partitions.values(), clockMs)
    await this.#recordChanges.readEarlier()
    const completeMs = await this.#deps.completeTo()
    await mapConcurrently([...this.#partitions.values()], maxConcurrent, async partition => {
      const limitMs = this.#limitOf(partition, completeMs.get(partition.partition), clockMs)
      if (limitMs !== null && partition.failures.isOver(clockMs)) await this.#tryEvaluate(partition, limitMs, clockMs)
    })
  }

  async #tryEvaluate(partition: PartitionEvaluation, limitMs: number, clockMs: number): Promise<void> {
    try {
      await this.#evaluate(partition, limitMs, clockMs)
      partition.failures.succeeded()
    } catch (error) {
      partition.failures.failed(clockMs)
      this.#deps.logger.warn({ err: error, partition: partition.partition }, 'Failed to evaluate alert rules')
    }
  }

  /**
   * Returns the limit of an evaluation, UTC ms. null: it is not known yet how far the documents are complete. The stored
   * limit does not suffice: an evaluation up to it retracts the incidents that the previous owner opened later.
   */
  #limitOf(partition: PartitionEvaluation, completeMs: number | undefined, clockMs: number): number | null {
    if (completeMs === undefined) return null
    const limitMs = Math.min(clockMs, completeMs)
    return partition.isEvaluated ? Math.max(partition.evaluatedToMs, limitMs) : limitMs
  }

  /** Takes partitions over and releases them, as the processor does. */
  #follow(): void {
    const fences = this.#deps.fences()
    for (const [number, { fence }] of this.#partitions)
      if (fences.get(number) !== fence) this.#partitions.delete(number)
    for (const [number, fence] of fences) if (!this.#partitions.has(number)) this.#takeOver(number, fence)
  }

  #takeOver(number: number, fence: number): void {
    const { records, clock, partitionOf, lateMs } = this.#deps
    const stored = records.alertEvaluation(`state-samples/${number}`)
    const partition = new PartitionEvaluation(number, fence, stored && Date.parse(stored.evaluatedTo), clock())
    const { evaluatedToMs } = partition
    if (stored) partition.behindSinceMs = evaluatedToMs
    this.#partitions.set(number, partition)
    this.#recordChanges.lacksEarlier()
    for (const machine of records.allMachines()) {
      if (partitionOf(machine.ref) !== number) continue
      partition.add(machine.ref, hourBefore(evaluatedToMs))
      partition.addUnchecked(
        machine.ref,
        Math.min(evaluatedToMs - lateMs, this.#startOfIncidents(machine, evaluatedToMs)),
      )
    }
  }

  /** Returns the start of the incidents of a machine that late data may still change, UTC ms; Infinity: there is none. */
  #startOfIncidents({ companyId, id }: MachineRecord, evaluatedToMs: number): number {
    const fromAt = instantText(evaluatedToMs - horizonMs)
    const incidents = this.#deps.records.incidents.ofSubject(companyId, id)
    const changing = incidents.filter(
      ({ kind, state, endedAt }) => kind !== 'call' && state !== 'retracted' && (endedAt ?? fromAt) >= fromAt,
    )
    return Math.min(...changing.map(({ startedAt }) => Date.parse(startedAt)))
  }

  #recordChanged({ kind, before, after }: Change, nowMs: number): void {
    const record = after ?? before
    if (!record) return
    if ('machineId' in record) this.#recordChanges.changed(record.machineId, nowMs)
    if (kind === 'incident' && before === null && after?.kind === 'call') this.#addCalled(after, nowMs)
    if (kind === 'alertRule')
      this.#addMachinesOf(
        [before, after].filter(rule => rule !== null),
        nowMs,
      )
    else if (kind === 'machine' && after) this.#add(after, nowMs)
  }

  /** Adds the machines to which a rule applies, or applied before its change. */
  #addMachinesOf(rules: readonly AlertRuleRecord[], nowMs: number): void {
    for (const machine of this.#deps.records.list('machine', rules[0]?.companyId ?? ''))
      if (rules.some(({ subject }) => appliesToMachine(subject, machine))) this.#add(machine, nowMs)
  }

  #addCalled({ companyId, subject }: IncidentRecord, nowMs: number): void {
    const machine = this.#deps.records.get('machine', companyId, subject.id)
    if (machine) this.#add(machine, nowMs)
  }

  #add({ ref }: MachineRecord, nowMs: number): void {
    this.#partitions.get(this.#deps.partitionOf(ref))?.add(ref, hourBefore(nowMs))
  }

  async #evaluate(partition: PartitionEvaluation, limitMs: number, clockMs: number): Promise<void> {
    const { records } = this.#deps
    partition.begin(limitMs)
    const isBehind = clockMs - limitMs >= behindMs
    if (isBehind) partition.behindSinceMs ??= partition.evaluatedToMs
    else if (partition.behindSinceMs !== null) this.#endGap(partition, partition.behindSinceMs, clockMs)
    partition.addNextUnchecked(limitMs)
    const { added } = partition
    const due = [...partition.due(limitMs, clockMs)].flatMap(([ref, fromMs]) => {
      const machine = records.machineByRef(ref)
      return machine ? [{ machine, fromMs }] : []
    })
    for (const [companyId, ofCompany] of groupBy(due, ({ machine }) => machine.companyId))
      try {
        if (await this.#evaluateCompany({ partition, added, limitMs, clockMs }, companyId, ofCompany))
          partition.isConcerned = true
      } catch (error) {
        // The failure of a company delays no other one.
        for (const { machine } of ofCompany) partition.failed(machine.ref, clockMs)
        this.#deps.logger.warn({ err: error, companyId }, 'Failed to evaluate alert rules')
      }
    partition.evaluatedToMs = limitMs
    if (partition.isConcerned) await this.#store(partition, clockMs)
  }

  /** Returns whether rules or incidents concern one of the machines. */
  async #evaluateCompany(
    of: Pick<Batch, 'partition' | 'added' | 'limitMs' | 'clockMs'>,
    companyId: string,
    machines: readonly MachineToEvaluate[],
  ): Promise<boolean> {
    const { records, calendarOf } = this.#deps
    const company = records.company(companyId)
    if (!company) return false
    const rulesOf = this.#rules.ofCompany(companyId)
    const concerned = machines.filter(({ machine }) => {
      const hasWork = rulesOf(machine).rules.length > 0 || records.incidents.ofSubject(companyId, machine.id).length > 0
      if (!hasWork) of.partition.remove(machine.ref)
      return hasWork
    })
    if (concerned.length === 0) return false
    const batch: Batch = {
      ...of,
      company,
      rulesOf,
      shiftIds: shiftIdsOf(records, companyId),
      calendar: calendarOf(company.settings, null),
      gaps: this.#gapsOf(of.partition),
      mayOpen: this.#mayOpen(companyId),
    }
    await evaluateMachines(batch, concerned, { ...this.#deps, recordChangedMs: this.#recordChanges.byMachine })
    for (const { machine } of concerned) of.partition.succeeded(machine.ref)
    return true
  }

  /** Whether incidents may open; otherwise the registrar would refuse the same changes again and again. */
  #mayOpen(companyId: string): boolean {
    const { records, logger } = this.#deps
    const isFull = records.incidents.unresolvedCount(companyId) >= maxUnresolved
    if (isFull && !this.#full.has(companyId))
      logger.warn({ companyId }, `Opened no further incident: the company has ${maxUnresolved} unresolved ones`)
    if (isFull) this.#full.add(companyId)
    else this.#full.delete(companyId)
    return !isFull
  }

  /** Silence and staleness count again: machines without further documents may have incidents. */
  #endGap(partition: PartitionEvaluation, startMs: number, endMs: number): void {
    const { records, partitionOf } = this.#deps
    partition.behindSinceMs = null
    if (endMs - startMs > behindMs) partition.endedGaps = [...partition.endedGaps, { startMs, endMs }].slice(-maxGaps)
    for (const { ref } of records.allMachines())
      if (partitionOf(ref) === partition.partition) partition.add(ref, hourBefore(partition.evaluatedToMs))
  }

  #gapsOf({ partition, endedGaps, behindSinceMs }: PartitionEvaluation): readonly Interval[] {
    const stored = this.#deps.records.alertEvaluation(`state-samples/${partition}`)?.gaps ?? []
    const gaps = stored.map(({ startAt, endAt }) => ({ startMs: Date.parse(startAt), endMs: Date.parse(endAt) }))
    const open = behindSinceMs === null ? [] : [{ startMs: behindSinceMs, endMs: Infinity }]
    return joinIntervals([...gaps, ...endedGaps, ...open])
  }

  /** Stores the limit at intervals, and gaps that have ended. */
  async #store(partition: PartitionEvaluation, clockMs: number): Promise<void> {
    const { endedGaps } = partition
    if (endedGaps.length === 0 && clockMs - partition.storedAtMs < storeEveryMs) return
    const payload = {
      partition: partition.partition,
      fence: partition.fence,
      evaluatedTo: instantText(partition.allEvaluatedToMs),
      gaps: endedGaps.map(({ startMs, endMs }) => ({ startAt: instantText(startMs), endAt: instantText(endMs) })),
    }
    resultOrThrow(await this.#deps.commands.submit('alertEvaluation.put', payload, { companyId: null }))
    partition.storedAtMs = clockMs
    partition.endedGaps = []
  }
}

/** Returns the start of the hour before an instant's, UTC ms: the states in which most holds begin are read at once. */
function hourBefore(ms: number): number {
  return slotOf(ms) - hourMs
}
