import type { Calendar } from '../../processors/calendar/types.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { IncidentChangeInput } from '../../schema/commands/incident-commands.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'
import type { ActivityMinute } from '../../schema/sample.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { hourMs, slotOf } from '../../shared/time/units.ts'
import { commissionedTime } from '../holds/commissioned-time.ts'
import type { Activity } from '../holds/silence.ts'
import { type HistoryHour, historyOf } from '../holds/machine-history.ts'
import type { Interval } from '../intervals/interval.ts'
import type { EvaluatedMachine } from './evaluated-machine.ts'
import { evaluateMachine, maxHistoryMs, type NeededHistory } from './evaluate-machine.ts'
import type { NextEvaluation, PartitionEvaluation } from './partition-evaluation.ts'
import { partsToRead, partsToSubmit } from './parts.ts'
import type { RulesOfMachine } from './rules-by-machine.ts'

/** Facts of a machine's hour that rules read. */
type MachineHour = HistoryHour & { readonly machineRef: MachineRef }

export interface BatchDeps {
  readonly records: Records
  /** Reads the documents of hours that overlap [fromMs, toMs), by machine and hour. */
  readonly readHistory: (
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ) => Promise<readonly MachineHour[]>
  /** Reads when machines sent samples in [fromMs, toMs), without heartbeats, by machine and time. */
  readonly readActivity: (
    companyRef: CompanyRef,
    machines: readonly MachineRef[],
    fromMs: number,
    toMs: number,
  ) => Promise<readonly ActivityMinute[]>
  readonly commands: Pick<CommandClient, 'submit'>
  /** How long before the limit a span that is found late may have ended, ms. */
  readonly lateMs: number
  /** Clock of the last change of a record with a time, UTC ms, by id of the machine. */
  readonly recordChangedMs: ReadonlyMap<string, number>
}

export interface MachineToEvaluate {
  readonly machine: MachineRecord
  /** Instant from which on documents may have changed, UTC ms. */
  readonly fromMs: number
}

interface PendingMachine extends MachineToEvaluate {
  /** Instant from which on its activity must be known, UTC ms. */
  readonly activityFromMs: number
}

/** Inputs that the machines of a company and partition share. Instants are UTC ms. */
export interface Batch {
  readonly partition: PartitionEvaluation
  /** `added` of the partition at the beginning. */
  readonly added: number
  readonly company: CompanyRecord
  readonly rulesOf: (machine: MachineRecord) => RulesOfMachine
  /** Ids of shifts by `ref`. */
  readonly shiftIds: ReadonlyMap<number, string>
  readonly calendar: Calendar
  readonly gaps: readonly Interval[]
  readonly mayOpen: boolean
  readonly limitMs: number
  readonly clockMs: number
}

/**
 * Evaluates machines of a company and submits the changes of their incidents. Reads more of the histories that turn out
 * to be too short: data older than `maxHistoryMs` change no incident. Rejects if a read or a command fails.
 */
export async function evaluateMachines(
  of: Batch,
  machines: readonly MachineToEvaluate[],
  deps: BatchDeps,
): Promise<void> {
  const earliestMs = slotOf(of.limitMs - maxHistoryMs)
  let remaining: readonly PendingMachine[] = machines.map(({ machine, fromMs }) => ({
    machine,
    fromMs: Math.max(earliestMs, fromMs),
    activityFromMs: Infinity,
  }))
  while (remaining.length > 0) {
    const longer: PendingMachine[] = []
    for (const part of partsToRead(remaining, of.limitMs)) longer.push(...(await evaluatePart(of, part, deps)))
    remaining = longer
  }
}

/** Reads the activity of machines that is needed and not known. */
async function extendActivity(
  { partition: { activity }, company, limitMs }: Batch,
  machines: readonly PendingMachine[],
  { readActivity }: BatchDeps,
): Promise<void> {
  if (activity === null) return
  const lacking = machines.flatMap(({ machine: { ref }, activityFromMs: fromMs }) => {
    const knownFromMs = activity.of(ref).activityFromMs
    return fromMs < knownFromMs ? [{ ref, fromMs, knownFromMs }] : []
  })
  for (const part of partsToRead(lacking, limitMs)) {
    const fromMs = Math.min(...part.map(each => each.fromMs))
    const toMs = Math.max(...part.map(each => each.knownFromMs))
    const refs = part.map(({ ref }) => ref)
    const found = groupBy(await readActivity(company.ref, refs, fromMs, toMs), ({ machineRef }) => machineRef)
    // Only as far as the machine needs it: another one of the part may need days.
    for (const { ref, fromMs: neededMs } of part) activity.extend(ref, neededMs, since(neededMs, found.get(ref) ?? []))
  }
}

function since(fromMs: number, activity: readonly ActivityMinute[]): readonly Activity[] {
  return activity
    .filter(({ lastMs }) => lastMs >= fromMs)
    .map(({ firstMs, lastMs }) => ({ firstMs: Math.max(firstMs, fromMs), lastMs }))
}

/** Evaluates machines whose histories are read together; returns those that need longer histories. */
async function evaluatePart(
  of: Batch,
  machines: readonly PendingMachine[],
  deps: BatchDeps,
): Promise<PendingMachine[]> {
  const changes: MachineChange[] = []
  const longer: PendingMachine[] = []
  const readFromMs = Math.min(...machines.map(each => each.fromMs))
  const refs = machines.map(({ machine }) => machine.ref)
  const hours = await deps.readHistory(of.company.ref, refs, readFromMs - 1, of.limitMs + hourMs)
  const byMachine = groupBy(hours, ({ machineRef }) => machineRef)
  const slice = new TimeSlice()
  // The documents are not read again while only the activity must be longer.
  for (let remaining = machines; remaining.length > 0;) {
    await extendActivity(of, remaining, deps)
    const needing: PendingMachine[] = []
    for (const { machine, fromMs } of remaining) {
      if (slice.isOver) await slice.next()
      const result = evaluateOne(of, machine, fromMs, byMachine.get(machine.ref) ?? [], deps)
      if ('neededFromMs' in result)
        needing.push({ machine, fromMs: result.neededFromMs, activityFromMs: result.neededActivityMs })
      else {
        for (const change of result.changes) changes.push({ machineRef: machine.ref, change })
        if (result.changes.length === 0) complete(of, machine, result.next)
      }
    }
    longer.push(...needing.filter(each => each.fromMs < readFromMs))
    remaining = needing.filter(each => each.fromMs >= readFromMs)
  }
  for (const some of partsToSubmit(changes)) await submit(of, some, deps)
  return longer
}

const unknownActivity = { activity: [], activityFromMs: Infinity, lateSampleMs: Infinity } as const

/** Documents end the states of an hour that has not begun: later time is not known. */
function evaluateOne(
  batch: Batch,
  machine: MachineRecord,
  fromMs: number,
  hours: readonly MachineHour[],
  { records, lateMs, recordChangedMs }: BatchDeps,
): EvaluatedMachine | NeededHistory {
  const { partition, company, rulesOf, limitMs } = batch
  const knownToMs = (hours.at(-1)?.slotMs ?? limitMs) + hourMs
  return evaluateMachine({
    ...batch,
    machine,
    ...rulesOf(machine),
    incidents: records.incidents.ofSubject(company.id, machine.id).filter(({ subject }) => subject.type === 'machine'),
    history: historyOf(hours, fromMs - 1),
    ...(partition.activity?.of(machine.ref) ?? unknownActivity),
    commissioned: commissionedTime(machine),
    fromMs,
    settledFromMs: records.settledFromMs,
    limitMs: machine.decommissionedAt === null ? Math.min(limitMs, knownToMs) : limitMs,
    evaluatedToMs: partition.evaluatedToOf(machine.ref),
    lateMs,
    recordChangedMs: recordChangedMs.get(machine.id) ?? null,
  })
}

/** The documents of a machine may end before the limit: then what is due follows with its next document. */
function complete({ partition, added, limitMs, clockMs }: Batch, { ref }: MachineRecord, next: NextEvaluation): void {
  if (Math.min(next.limitMs, next.silentMs) <= limitMs || next.clockMs <= clockMs) partition.delay(ref, clockMs)
  else partition.completed(ref, added, next)
}

interface MachineChange {
  readonly machineRef: MachineRef
  readonly change: IncidentChangeInput
}

/** A refused change was decided on an earlier state, or exceeds a limit: the machine is evaluated again. */
async function submit(
  { partition, company, clockMs }: Batch,
  changes: readonly MachineChange[],
  { commands }: BatchDeps,
): Promise<void> {
  const { fence } = partition
  const payload = { partition: partition.partition, fence, changes: changes.map(({ change }) => change) }
  const outcome = await commands.submit('incident.evaluate', payload, { companyId: company.id })
  const refused = new Set(resultOrThrow(outcome).refused)
  const machines = changes.filter(({ change }) => refused.has(change.id)).map(({ machineRef }) => machineRef)
  for (const machineRef of new Set(machines)) partition.delay(machineRef, clockMs)
}
