import type { IncidentRecord } from '../../schema/records/incident.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { dayMs, hourMs, minuteMs } from '../../shared/time/units.ts'
import type { Phase } from './day-plan.ts'
import { attendedMachines, operatorOf } from './demo-actions.ts'
import { callRule, faultRule } from './demo-records.ts'
import { faultEndMs } from './phase-events.ts'
import { inLanguage } from './language.ts'
import type { Plant } from './plant.ts'
import { hash, Random, uuidOf } from './random.ts'

/** An incident of a simulated plant, without its company. */
type DemoIncident = Omit<IncidentRecord, 'companyId'>

const maxFaults = 10
const maxCalls = 4
/** More phases than a machine has in a day. */
const maxPhases = 10_000
/** Share of the faults to which an operator reacts before they end. */
const acknowledgedShare = 0.8
/** Share of the longer stops in which an operator calls. */
const callShare = 0.06
const minCallStopMs = 12 * minuteMs

const calls = [
  { kind: 'material', note: 'Bar stock 30 mm' },
  { kind: 'maintenance', note: 'Chip conveyor is jammed' },
  { kind: 'quality', note: 'Diameter drifts' },
  { kind: 'help', note: '' },
] as const

/** Unresolved calls at the end of the history. */
const openCalls = [
  { call: calls[1], agoMs: 11 * minuteMs, isAcknowledged: true },
  { call: calls[2], agoMs: 4 * minuteMs, isAcknowledged: false },
] as const

/**
 * Returns the last incidents and calls of the history [fromMs, toMs), UTC ms, by start. All have ended, except two calls
 * of the last minutes. Incidents are those that `faultRule` would have opened.
 */
export function demoIncidents(plant: Plant, fromMs: number, toMs: number): readonly DemoIncident[] {
  const stops = plant.machines
    .slice(0, attendedMachines)
    .flatMap(({ index }) => phasesIn(plant, index, fromMs, toMs).map(phase => ({ machine: index, phase })))
    .toSorted((a, b) => a.phase.startMs - b.phase.startMs || a.machine - b.machine)
  const faults = stops.filter(
    ({ phase }) => phase.kind === 'fault' && faultEndMs(phase) - phase.startMs > faultRule.forMs,
  )
  const called = stops.filter(({ machine, phase }) => isCalled(machine, phase))
  return [
    ...faults.slice(-maxFaults).map(stop => toFault(plant, stop)),
    ...called.slice(-maxCalls).map((stop, index) => toCall(plant, stop, index)),
    ...openCalls.map((call, index) => toOpenCall(plant, call, index, toMs)),
  ].toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
}

interface Stop {
  readonly machine: number
  readonly phase: Phase
}

/** The phases of a machine that lie within a range. */
function phasesIn(plant: Plant, machine: number, fromMs: number, toMs: number): readonly Phase[] {
  const found: Phase[] = []
  for (let dayStartMs = Math.floor(fromMs / dayMs) * dayMs; dayStartMs < toMs; dayStartMs += dayMs)
    found.push(...plant.phases(machine, dayStartMs))
  return found.filter(({ startMs, endMs }) => startMs >= fromMs && endMs < toMs)
}

function randomOf(machine: number, { startMs, index }: Phase, what: 22 | 24): Random {
  return new Random(hash(machine, Math.floor(startMs / dayMs), index, what))
}

function isCalled(machine: number, phase: Phase): boolean {
  const { kind, startMs, endMs } = phase
  return kind === 'idle' && endMs - startMs >= minCallStopMs && randomOf(machine, phase, 22).chance(callShare)
}

function toFault(plant: Plant, { machine, phase }: Stop): DemoIncident {
  const random = randomOf(machine, phase, 24)
  const openedMs = phase.startMs + faultRule.forMs
  const endMs = faultEndMs(phase)
  const isAcknowledged = random.chance(acknowledgedShare)
  const acknowledgedMs = Math.round(openedMs + random.between(0.1, 0.9) * (endMs - openedMs))
  return {
    ...incidentOf(plant, machine, phase),
    ...ruleOf(plant, faultRule),
    kind: 'status',
    detail: { status: 'FAULT' },
    startedAt: isoText(phase.startMs),
    openedAt: isoText(openedMs),
    endedAt: isoText(endMs),
    detectedAt: isoText(openedMs),
    ...(isAcknowledged && acknowledgement(machine, acknowledgedMs)),
    resolvedAt: isoText(endMs),
    cause: 'condition',
  }
}

/** A call in the first minutes of a stop, resolved by the operator at its end. */
function toCall(plant: Plant, { machine, phase }: Stop, index: number): DemoIncident {
  const random = randomOf(machine, phase, 24)
  const atMs = phase.startMs + minuteMs
  const { kind, note } = calls[index % calls.length] ?? calls[0]
  const acknowledged = acknowledgement(machine, Math.round(atMs + random.between(1, 6) * minuteMs))
  return {
    ...incidentOf(plant, machine, phase),
    ...ruleOf(plant, callRule),
    kind: 'call',
    detail: { call: { kind, note: inLanguage(plant.language, note) } },
    startedAt: isoText(atMs),
    openedAt: isoText(atMs),
    endedAt: isoText(phase.endMs),
    detectedAt: isoText(atMs),
    ...acknowledged,
    resolvedAt: isoText(phase.endMs),
    resolvedBy: acknowledged.acknowledgedBy,
    cause: 'user',
  }
}

function toOpenCall(
  plant: Plant,
  { call: { kind, note }, agoMs, isAcknowledged }: (typeof openCalls)[number],
  index: number,
  toMs: number,
): DemoIncident {
  const machine = index % plant.machines.length
  const atMs = toMs - agoMs
  const at = isoText(atMs)
  return {
    ...incidentOf(plant, machine, { startMs: atMs, index: maxPhases + index }),
    ...ruleOf(plant, callRule),
    kind: 'call',
    detail: { call: { kind, note: inLanguage(plant.language, note) } },
    state: isAcknowledged ? 'acknowledged' : 'open',
    startedAt: at,
    openedAt: at,
    endedAt: null,
    detectedAt: at,
    ...(isAcknowledged && acknowledgement(machine, atMs + 2 * minuteMs)),
    resolvedAt: null,
    cause: null,
  }
}

function incidentOf({ machines }: Plant, machine: number, { startMs, index }: Pick<Phase, 'startMs' | 'index'>) {
  const profile = machines[machine]
  if (!profile) throw new RangeError(`Unknown machine index ${machine}`)
  return {
    id: uuidOf(machine, Math.floor(startMs / dayMs), index, 23),
    subject: { type: 'machine', id: profile.id, name: profile.name },
    state: 'resolved',
    acknowledgedAt: null,
    acknowledgedBy: null,
    resolvedBy: null,
    assignedTo: null,
    mergedInto: null,
    reopened: 0,
    reopenedAt: null,
    notices: [],
    comments: [],
  } as const
}

function ruleOf({ language }: Plant, { id, name, severity }: typeof faultRule | typeof callRule) {
  return { ruleId: id, ruleName: inLanguage(language, name), severity }
}

function acknowledgement(machine: number, atMs: number) {
  const shift = Math.floor((((atMs % dayMs) / hourMs + 18) % 24) / 8)
  const { id, name } = operatorOf(machine, shift)
  return { acknowledgedAt: isoText(atMs), acknowledgedBy: { kind: 'user', id, name } } as const
}
