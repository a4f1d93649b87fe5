import type { Logger } from 'pino'
import type { Calendar } from '../../processors/calendar/types.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import type { HourKey } from '../../schema/document-store.ts'
import { appliesToMachine } from '../../schema/records/alert-subject.ts'
import { companyOf } from '../../schema/records/company-of.ts'
import type { CompanyRecord, CompanySettings } from '../../schema/records/company.ts'
import { maxUnresolved } from '../../schema/records/incident.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { Change } from '../../schema/records/record-kinds.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { instantText } from '../../shared/time/instant.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { type HistoryHour, historyOf } from '../holds/machine-history.ts'
import type { Interval } from '../intervals/interval.ts'
import { evaluateMachine, type EvaluatedMachine, maxHistoryMs } from './evaluate-machine.ts'
import { PartitionEvaluation } from './partition-evaluation.ts'
import { partsToRead, partsToSubmit } from './parts.ts'
import { type DocumentRule, isDocumentRule } from './rules-of-machine.ts'

/** Facts of a machine's hour that rules read. */
type MachineHour = HistoryHour & { readonly machineRef: MachineRef }

export interface EvaluatorDeps {
  readonly records: Records
  /** Reads the documents of hours that overlap [fromMs, toMs), by machine and hour. */
  readonly readHistory: (
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ) => Promise<readonly MachineHour[]>
  readonly commands: Pick<CommandClient, 'submit'>
  /** The fences of the partitions that this process owns. */
  readonly fences: () => ReadonlyMap<number, number>
  readonly partitionOf: (machineRef: MachineRef) => number
  /** Resolves to the newest instant before which every appended sample is in the documents, UTC ms. */
  readonly completeTo: () => Promise<number>
  readonly calendarOf: (settings: CompanySettings, schedule: null) => Calendar
  readonly clock: () => number
  /** How long before the limit a span that is found late may have ended, ms. */
  readonly lateMs: number
  readonly logger: Logger
}

/** Interval at which the limit of evaluations is stored, ms. */
const storeEveryMs = 10_000
/** Delay of evaluations from which on a gap is stored, ms. */
const gapMs = 15_000

/**
 * Evaluates the alert rules of the machines whose partitions this process owns, from their documents in the store. All
 * state that it needs after a crash is in the incidents and in the stored limit.
 */
export class Evaluator {
  readonly #deps: EvaluatorDeps
  readonly #partitions = new Map<number, PartitionEvaluation>()
  /** Clock of the last change of a record with a time, by id of the machine. */
  readonly #recordChangedMs = new Map<string, number>()
  /** Companies that have the maximum of unresolved incidents. */
  readonly #full = new Set<string>()
  readonly #stopListening: readonly (() => void)[]

  constructor(deps: EvaluatorDeps) {
    this.#deps = deps
    this.#stopListening = [
      deps.records.onEntry(({ command, changes }) => {
        for (const change of changes) this.#recordChanged(change, command.nowMs)
      }),
    ]
  }

  stop(): void {
    for (const stop of this.#stopListening) stop()
  }

  /** Notes documents that are in the store. */
  written(documents: readonly HourKey[]): void {
    const atMs = this.#deps.clock()
    for (const { machineRef, slotMs } of documents)
      this.#partitions.get(this.#deps.partitionOf(machineRef))?.add(machineRef, slotMs, atMs)
  }

  /** Evaluates what is due. Do not call it again before it has resolved. */
  async tick(): Promise<void> {
    this.#follow()
    const clockMs = this.#deps.clock()
    if (!this.#hasWork()) {
      for (const partition of this.#partitions.values()) partition.clear(clockMs)
      return
    }
    const completeMs = Math.min(clockMs, await this.#deps.completeTo())
    for (const partition of this.#partitions.values())
      await this.#evaluate(partition, Math.max(partition.evaluatedToMs, completeMs), clockMs).catch((error: unknown) =>
        this.#deps.logger.warn({ err: error, partition: partition.partition }, 'Failed to evaluate alert rules'),
      )
  }

  /** Takes partitions over and releases them, as the processor does. */
  #follow(): void {
    const fences = this.#deps.fences()
    for (const [number, { fence }] of this.#partitions)
      if (fences.get(number) !== fence) this.#partitions.delete(number)
    for (const [number, fence] of fences) if (!this.#partitions.has(number)) this.#takeOver(number, fence)
  }

  #hasWork(): boolean {
    const { records } = this.#deps
    if (this.#partitions.size === 0) return false
    return records
      .companies()
      .some(({ id }) => records.incidents.unresolvedCount(id) > 0 || records.list('alertRule', id).some(isDocumentRule))
  }

  #takeOver(number: number, fence: number): void {
    const { records, clock, partitionOf } = this.#deps
    const stored = records.alertEvaluation(`state-samples/${number}`)
    const evaluatedToMs = stored ? Date.parse(stored.evaluatedTo) : clock()
    const partition = new PartitionEvaluation(number, fence, evaluatedToMs)
    if (stored) partition.behindSinceMs = evaluatedToMs
    this.#partitions.set(number, partition)
    for (const { ref } of records.allMachines())
      if (partitionOf(ref) === number) partition.add(ref, slotOf(evaluatedToMs), clock())
  }

  #recordChanged({ kind, before, after }: Change, nowMs: number): void {
    const record = after ?? before
    if (!record) return
    if ('machineId' in record) this.#recordChangedMs.set(record.machineId, nowMs)
    if (kind === 'alertRule')
      for (const machine of this.#deps.records.list('machine', companyOf(record))) this.#add(machine, nowMs)
    else if (kind === 'machine' && after) this.#add(after, nowMs)
  }

  #add({ ref }: MachineRecord, nowMs: number): void {
    this.#partitions.get(this.#deps.partitionOf(ref))?.add(ref, slotOf(nowMs), nowMs)
  }

  async #evaluate(partition: PartitionEvaluation, limitMs: number, clockMs: number): Promise<void> {
    const { records } = this.#deps
    const isBehind = clockMs - limitMs >= gapMs
    if (isBehind) partition.behindSinceMs ??= partition.evaluatedToMs
    const due = [...partition.due(limitMs, clockMs)].flatMap(([ref, fromMs]) => {
      const machine = records.machineByRef(ref)
      return machine ? [{ machine, fromMs }] : []
    })
    let isConcerned = false
    const failures: unknown[] = []
    for (const [companyId, ofCompany] of groupBy(due, ({ machine }) => machine.companyId))
      try {
        if (await this.#evaluateCompany(partition, companyId, ofCompany, { limitMs, clockMs })) isConcerned = true
      } catch (error) {
        failures.push(error)
      }
    // The failure of a company does not delay the others; the limit stays, so that its machines lack no time.
    if (failures.length > 0) throw failures[0]
    partition.evaluatedToMs = limitMs
    if (isConcerned) await this.#store(partition, limitMs, clockMs)
  }

  /** Returns whether rules or incidents concern one of the machines. */
  async #evaluateCompany(
    partition: PartitionEvaluation,
    companyId: string,
    machines: readonly MachineToEvaluate[],
    { limitMs, clockMs }: Pick<Batch, 'limitMs' | 'clockMs'>,
  ): Promise<boolean> {
    const { records, calendarOf } = this.#deps
    const company = records.company(companyId)
    if (!company) return false
    const rules = records.list('alertRule', companyId).filter(isDocumentRule)
    const concerned = machines.filter(({ machine }) => {
      const hasWork = rules.length > 0 || records.incidents.ofSubject(companyId, machine.id).length > 0
      if (!hasWork) partition.remove(machine.ref)
      return hasWork
    })
    if (concerned.length === 0) return false
    const shiftIds = shiftIdsOf(records, companyId)
    const calendar = calendarOf(company.settings, null)
    const gaps = this.#gapsOf(partition)
    const mayOpen = this.#mayOpen(companyId)
    const of = { partition, company, rules, shiftIds, calendar, gaps, mayOpen, limitMs, clockMs }
    await this.#evaluateMachines(of, concerned)
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

  /** Reads more of the histories that turn out to be too short. Data older than `maxHistoryMs` change no incident. */
  async #evaluateMachines(of: Batch, machines: readonly MachineToEvaluate[]): Promise<void> {
    const earliestMs = slotOf(of.limitMs - maxHistoryMs)
    let remaining = machines.map(({ machine, fromMs }) => ({ machine, fromMs: Math.max(earliestMs, fromMs - hourMs) }))
    while (remaining.length > 0) {
      const longer: MachineToEvaluate[] = []
      for (const part of partsToRead(remaining, of.limitMs)) longer.push(...(await this.#evaluatePart(of, part)))
      remaining = longer
    }
  }

  /** Evaluates machines whose histories are read together; returns those that need longer histories. */
  async #evaluatePart(of: Batch, machines: readonly MachineToEvaluate[]): Promise<readonly MachineToEvaluate[]> {
    const changes: IncidentChangeInput[] = []
    const longer: MachineToEvaluate[] = []
    const fromMs = Math.min(...machines.map(each => each.fromMs))
    const refs = machines.map(({ machine }) => machine.ref)
    const hours = await this.#deps.readHistory(of.company.ref, refs, fromMs, of.limitMs + hourMs)
    const byMachine = groupBy(hours, ({ machineRef }) => machineRef)
    const slice = new TimeSlice()
    for (const { machine } of machines) {
      if (slice.isOver) await slice.next()
      const result = this.#evaluateMachine(of, machine, fromMs, byMachine.get(machine.ref) ?? [])
      if ('neededFromMs' in result) longer.push({ machine, fromMs: slotOf(result.neededFromMs) })
      else {
        changes.push(...result.changes)
        if (result.changes.length === 0) of.partition.completed(machine.ref, of.limitMs, of.clockMs, result.nextMs)
      }
    }
    for (const some of partsToSubmit(changes)) await this.#submit(of, some)
    return longer
  }

  /** Documents end the states of an hour that has not begun: later time is not known. */
  #evaluateMachine(
    { partition, company, rules, shiftIds, calendar, gaps, mayOpen, limitMs, clockMs }: Batch,
    machine: MachineRecord,
    fromMs: number,
    hours: readonly MachineHour[],
  ): EvaluatedMachine | { readonly neededFromMs: number } {
    const { records, lateMs } = this.#deps
    const knownToMs = (hours.at(-1)?.slotMs ?? limitMs) + hourMs
    const { commissionedAt, decommissionedAt } = machine
    return evaluateMachine({
      machine,
      rules: rules.filter(({ subject }) => appliesToMachine(subject, machine)),
      incidents: records.incidents.ofSubject(company.id, machine.id),
      history: historyOf(hours),
      activity: [],
      commissioned: {
        startMs: commissionedAt === null ? -Infinity : Date.parse(commissionedAt),
        endMs: decommissionedAt === null ? Infinity : Date.parse(decommissionedAt),
      },
      shiftIds,
      calendar,
      gaps,
      mayOpen,
      fromMs,
      limitMs: decommissionedAt === null ? Math.min(limitMs, knownToMs) : limitMs,
      evaluatedToMs: partition.evaluatedToMs,
      lateMs,
      clockMs,
      recordChangedMs: this.#recordChangedMs.get(machine.id) ?? null,
    })
  }

  #gapsOf({ partition, behindSinceMs }: PartitionEvaluation): readonly Interval[] {
    const stored = this.#deps.records.alertEvaluation(`state-samples/${partition}`)?.gaps ?? []
    const gaps = stored.map(({ startAt, endAt }) => ({ startMs: Date.parse(startAt), endMs: Date.parse(endAt) }))
    return behindSinceMs === null ? gaps : [...gaps, { startMs: behindSinceMs, endMs: Infinity }]
  }

  /** A refused change was decided on an earlier state: the machine is still due, and is evaluated again. */
  async #submit({ partition, company }: Batch, changes: readonly IncidentChangeInput[]): Promise<void> {
    const { fence } = partition
    const payload = { partition: partition.partition, fence, changes }
    resultOrThrow(await this.#deps.commands.submit('incident.evaluate', payload, { companyId: company.id }))
  }

  /** Stores the limit at intervals, and the gap that has ended. */
  async #store(partition: PartitionEvaluation, limitMs: number, clockMs: number): Promise<void> {
    const { behindSinceMs } = partition
    const hasEnded = behindSinceMs !== null && clockMs - limitMs < gapMs
    if (!hasEnded && clockMs - partition.storedAtMs < storeEveryMs) return
    const isGap = hasEnded && clockMs - behindSinceMs > gapMs
    const payload = {
      partition: partition.partition,
      fence: partition.fence,
      evaluatedTo: instantText(limitMs),
      gaps: isGap ? [{ startAt: instantText(behindSinceMs), endAt: instantText(clockMs) }] : [],
    }
    resultOrThrow(await this.#deps.commands.submit('alertEvaluation.put', payload, { companyId: null }))
    partition.storedAtMs = clockMs
    if (hasEnded) partition.behindSinceMs = null
  }
}

interface MachineToEvaluate {
  readonly machine: MachineRecord
  readonly fromMs: number
}

interface Batch {
  readonly partition: PartitionEvaluation
  readonly company: CompanyRecord
  readonly rules: readonly DocumentRule[]
  /** Ids of shifts by `ref`. */
  readonly shiftIds: ReadonlyMap<number, string>
  readonly calendar: Calendar
  readonly gaps: readonly Interval[]
  readonly mayOpen: boolean
  readonly limitMs: number
  readonly clockMs: number
}

function shiftIdsOf(records: Records, companyId: string): ReadonlyMap<number, string> {
  const shifts = records
    .list('schedule', companyId)
    .flatMap(({ versions, exceptions }) => [...versions, ...exceptions].flatMap(({ shifts }) => shifts))
  return new Map(shifts.map(({ ref, id }) => [ref, id]))
}
