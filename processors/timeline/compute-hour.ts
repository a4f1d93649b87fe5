import { hourMs } from '../../shared/time/units.ts'
import type { Sample, ActivityMinute } from '../../schema/sample.ts'
import { alarmElements } from './alarms.ts'
import { commissionedRange, type Range } from './commission.ts'
import { dimensionSpans } from './dimensions.ts'
import { Instants } from './instants.ts'
import { overlapping, overlappingDisjoint, eventsWithin } from './intervals.ts'
import { findAutoRun, resolveRuns, type ResolvedRun } from './job-runs.ts'
import { replay, type Replay } from './replay.ts'
import { slice, type Slices } from './slicer.ts'
import { serializeState, stateHash, type MachineState } from './state.ts'
import type { HourResult, MachineInputs, RunSpan } from './types.ts'

/**
 * Computes the document of one machine and one UTC hour. Pure and independent of the clock: it assumes that the last
 * state lasts until the end of the hour, unless its end is known. `samples` are sorted and distinct (`sortAndDeduplicate`) and lie within the
 * hour; `seen` are the activity minutes of the hour, ascending. `stateIn` is the state at the end of the previous hour.
 * Neither it nor the arrays in `inputs` may be modified, because results are cached by identity.
 */
export function computeHour(
  inputs: MachineInputs,
  slotMs: number,
  stateIn: MachineState,
  samples: readonly Sample[],
  seen: readonly ActivityMinute[],
): HourResult<MachineState> {
  const endMs = slotMs + hourMs
  const replayed = replay(inputs, slotMs, stateIn, samples, seen)
  const range = commissionedRange(inputs.commissioned, stateIn.firstSeenMs ?? replayed.firstSeenMs)
  const hourRange = { fromMs: Math.max(slotMs, range.fromMs), toMs: Math.min(endMs, range.toMs) }
  const reportedRuns = overlappingDisjoint(inputs.runs, slotMs, endMs)
  const runs = resolveRuns(inputs, reportedRuns, hourRange, replayed.additions, stateIn.autoRun)
  const spans = spansOf(inputs, slotMs, hourRange, runs)
  const slices = slice({
    slotMs,
    spans,
    changes: replayed.changes,
    annotations: overlappingDisjoint(inputs.annotations, slotMs, endMs),
    downtime: stateIn.downtime,
  })
  const stateOut = stateAfter(replayed, slices, findAutoRun(reportedRuns, runs, endMs), endMs)
  const instants = new Instants(slotMs, spans, slices)
  const document = {
    companyRef: inputs.companyRef,
    machineRef: inputs.machineRef,
    slotMs,
    facts: slices.facts,
    downtimes: slices.downtimes,
    alarms: alarmElements(replayed, slotMs, range),
    setups: instants.setups(startsInSetup(reportedRuns, slotMs)),
    segments: slices.segments,
    parts: instants.parts(replayed.additions),
    adjustments: instants.adjustments(eventsWithin(inputs.adjustments, slotMs, endMs)),
    hashIn: stateHash(stateIn),
    hashOut: stateHash(stateOut),
    stateOut: serializeState(stateOut),
  }
  return { document, stateOut, skippedSamples: replayed.skippedSamples }
}

function spansOf(inputs: MachineInputs, slotMs: number, range: Range, runs: readonly ResolvedRun[]) {
  if (range.fromMs >= range.toMs) return []
  const calendar = inputs.calendar(range.fromMs, range.toMs)
  const operators = overlapping(inputs.operators, range.fromMs, range.toMs)
  return dimensionSpans(inputs, slotMs, range, { calendar, runs, operators })
}

function startsInSetup(runs: readonly RunSpan[], slotMs: number) {
  return runs
    .filter(({ startInSetup, startMs }) => startInSetup && startMs >= slotMs)
    .map(({ startMs }) => ({ atMs: startMs }))
}

/** Returns the same object if the hour did not change the state, so that callers can compare by identity. */
function stateAfter({ state }: Replay, { running }: Slices, autoRun: number, endMs: number): MachineState {
  const downtime = running !== null && running.endMs === endMs ? running : null
  const isSame =
    state.autoRun === autoRun &&
    state.downtime?.reason === downtime?.reason &&
    state.downtime?.startMs === downtime?.startMs
  if (isSame) return state
  return { ...state, autoRun, downtime: downtime && { reason: downtime.reason, startMs: downtime.startMs } }
}
