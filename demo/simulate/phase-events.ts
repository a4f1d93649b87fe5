import type { WireSample } from '../../schema/topics.ts'
import { conditionKeys, faults, warnings, type Alarm } from './alarms.ts'
import type { Phase } from './day-plan.ts'
import type { Profile } from './profile.ts'
import type { Random } from './random.ts'

/** A sample with its time as a number, UTC ms. */
export interface Event extends Omit<WireSample, 'machineId' | 'timestamp'> {
  readonly atMs: number
}

/** Key of the spindle load, from which machines without a CUTTING item derive whether they cut. */
export const loadKey = 'Sload'

type Level = 'NORMAL' | 'WARNING' | 'FAULT'

/**
 * Returns the state samples of a phase, in no particular order; all lie within the phase. At its end the machine is
 * ready, does not move and has no alarms, so that the next phase is independent of it.
 */
export function phaseEvents(phase: Phase, profile: Profile, random: Random): readonly Event[] {
  const events = createEvents(profile, phase)
  if (phase.kind === 'off') events.unavailable()
  else if (phase.index === 0 || phase.isAfterOff) events.ready()
  if (phase.kind === 'cycle') addCycle(events, phase, profile, random)
  if (phase.kind === 'load') addPart(events, phase, profile)
  if (phase.kind === 'fault') addFault(events, phase, random)
  return events.list
}

type Events = ReturnType<typeof createEvents>

function addCycle(
  events: Events,
  { startMs, endMs }: Phase,
  { executions, spindleRpm }: Profile,
  random: Random,
): void {
  const lengthMs = endMs - startMs
  events.execution('ACTIVE', startMs, 0)
  if (executions.length > 1) {
    events.execution('ACTIVE', startMs + 0.2 * lengthMs, 1)
    events.execution('READY', startMs + 0.8 * lengthMs, 1)
  }
  const passes = random.integer(1, 4)
  for (let pass = 0; pass < passes; pass++) {
    const fromMs = startMs + ((pass + 0.1) / passes) * lengthMs
    addPass(events, fromMs, startMs + ((pass + 0.9) / passes) * lengthMs, spindleRpm * random.between(0.5, 1), random)
  }
  if (random.chance(0.25)) addFeedHolds(events, startMs + random.between(0.3, 0.8) * lengthMs, endMs - 1_000, random)
  if (random.chance(0.03)) {
    const alarm = random.pick(warnings)
    events.condition(alarm, 'WARNING', startMs + random.between(0.1, 0.4) * lengthMs)
    events.condition(alarm, 'NORMAL', startMs + random.between(0.5, 0.9) * lengthMs)
  }
}

/** Adds the samples of a cut, during which the spindle speed varies. */
function addPass(events: Events, fromMs: number, toMs: number, rpm: number, random: Random): void {
  events.speed(rpm, fromMs - 500)
  events.cutting(true, fromMs)
  for (let atMs = fromMs + 2_000; atMs < toMs; atMs += random.between(50_000, 110_000)) {
    events.speed(rpm * random.between(0.98, 1.02), atMs)
  }
  events.cutting(false, toMs)
}

/** Adds feed holds by the operator: one to four, of up to eight seconds. */
function addFeedHolds(events: Events, fromMs: number, toMs: number, random: Random): void {
  const holds = random.integer(1, 5)
  let atMs = fromMs
  for (let hold = 0; hold < holds; hold++) {
    const endMs = atMs + random.between(900, 8_000)
    if (endMs >= toMs) return
    events.execution(random.chance(0.3) ? 'INTERRUPTED' : 'FEED_HOLD', atMs, 0)
    events.execution('ACTIVE', endMs, 0)
    atMs = endMs + random.between(1_000, 20_000)
  }
}

function addPart(events: Events, { startMs, parts }: Phase, { counts }: Profile): void {
  events.speed(0, startMs)
  if (counts === 'program') events.execution('PROGRAM_COMPLETED', startMs, 0)
  events.execution('READY', counts === 'program' ? startMs + 800 : startMs, 0)
  if (counts === 'counter') events.parts(parts, startMs + 40)
}

/** Returns when the fault of a phase is cleared, UTC ms. */
export function faultEndMs({ endMs }: Pick<Phase, 'endMs'>): number {
  return endMs - 2_000
}

function addFault(events: Events, phase: Phase, random: Random): void {
  const { startMs } = phase
  const alarm = random.pick(faults)
  const isEmergency = random.chance(0.15)
  events.execution('STOPPED', startMs, 0)
  events.condition(alarm, 'FAULT', startMs)
  if (isEmergency) events.emergencyStop('TRIGGERED', startMs + 300)
  const resetMs = faultEndMs(phase)
  if (isEmergency) events.emergencyStop('ARMED', resetMs)
  events.condition(alarm, 'NORMAL', resetMs)
  events.execution('READY', resetMs + 500, 0)
}

/** Creates functions that add samples with the keys of a machine. */
function createEvents({ executions, counts, cuts }: Profile, { startMs, parts }: Phase) {
  const list: Event[] = []
  const add = (atMs: number, key: string, type: string, value: string | number, rest: Partial<Event> = {}) => {
    list.push({ atMs: Math.round(atMs), key, type, value, category: 'EVENT', ...rest })
  }
  const measured = { category: 'SAMPLE', subtype: 'ACTUAL' } as const
  const events = {
    list,
    execution: (value: string, atMs: number, path: number) =>
      add(atMs, executions[path] ?? 'execution', 'EXECUTION', value),
    emergencyStop: (value: string, atMs: number) => add(atMs, 'estop', 'EMERGENCY_STOP', value),
    parts: (value: number | string, atMs: number) => add(atMs, 'PartCountAct', 'PART_COUNT', value, { subtype: 'ALL' }),
    speed: (rpm: number | string, atMs: number) =>
      add(atMs, 'Srpm', 'ROTARY_VELOCITY', typeof rpm === 'number' ? Math.round(rpm) : rpm, measured),
    cutting(isCutting: boolean, atMs: number): void {
      if (cuts === 'signal') add(atMs, 'cutting', 'CUTTING', isCutting ? 'ACTIVE' : 'INACTIVE')
      else add(atMs, loadKey, 'LOAD', isCutting ? 45 : 4, { category: 'SAMPLE' })
    },
    condition: ({ key, type, nativeCode, message }: Alarm, value: Level, atMs: number) =>
      add(atMs, key, type, value, { category: 'CONDITION', nativeCode, ...(value !== 'NORMAL' && { message }) }),
    conditions(value: string): void {
      for (const { key, type } of conditionKeys) add(startMs, key, type, value, { category: 'CONDITION' })
    },
    /** Sends the complete state of an idle machine without alarms. */
    ready(): void {
      add(startMs, 'avail', 'AVAILABILITY', 'AVAILABLE')
      events.emergencyStop('ARMED', startMs)
      for (const path of executions.keys()) events.execution('READY', startMs, path)
      events.speed(0, startMs)
      events.cutting(false, startMs)
      events.conditions('NORMAL')
      if (counts === 'counter') events.parts(parts, startMs)
    },
    unavailable(): void {
      add(startMs, 'avail', 'AVAILABILITY', 'UNAVAILABLE')
      events.emergencyStop('UNAVAILABLE', startMs)
      for (const path of executions.keys()) events.execution('UNAVAILABLE', startMs, path)
      events.speed('UNAVAILABLE', startMs)
      if (cuts === 'signal') add(startMs, 'cutting', 'CUTTING', 'UNAVAILABLE')
      else add(startMs, loadKey, 'LOAD', 'UNAVAILABLE', { category: 'SAMPLE' })
      events.conditions('UNAVAILABLE')
      if (counts === 'counter') events.parts('UNAVAILABLE', startMs)
    },
  }
  return events
}
