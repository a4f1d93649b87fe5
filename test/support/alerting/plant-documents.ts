import { createCalendar } from '../../../processors/calendar/calendar.ts'
import { aSchedule, aShift } from '../../processors/calendar/schedules.ts'
import { compute, inputsOf, minute, sample, startMs } from '../../processors/timeline/support.ts'
import { historyOf } from '../../../respond/holds/machine-history.ts'
import type { HoldInputs } from '../../../respond/holds/machine-holds.ts'
import { asMachineRef } from '../../../schema/refs.ts'
import { type Plant, plantMinutes, plantStartMs, type PlantSample, toMs } from './random-plant.ts'

export const plantSchedule = aSchedule([
  aShift(1, '06:00-14:00'),
  aShift(2, '14:00-22:00', { optional: true }),
  aShift(3, '22:00-02:00', { days: [5, 6] }),
])
export const plantSettings = { timeZone: 'Europe/Berlin', startOfDay: '06:00', firstDayOfWeek: 1 }
const withSchedule = createCalendar(plantSettings, plantSchedule)
export const plantCalendar = createCalendar(plantSettings, null)
export const plantShiftIds = new Map([1, 2, 3].map(ref => [ref, `shift-${ref}`]))

/** Returns what rules read of the plant's machine: its documents as the processors compute them, and its activity. */
export function plantHistory(plant: Plant): HoldInputs {
  const { samples, decommissioned } = plant
  const sent = minutesOf(samples.filter(({ kind }) => kind !== 'heartbeat'))
  return {
    history: historyOf(plantDocuments(plant)),
    activity: sent.map(at => ({ firstMs: at, lastMs: at })),
    commissioned: { startMs: plantStartMs, endMs: decommissioned === null ? Infinity : toMs(decommissioned) },
  }
}

/** Returns the documents of the plant's machine, as the processors compute them. */
export function plantDocuments({ samples, annotations, run, staleMinutes, decommissioned }: Plant) {
  const inputs = inputsOf(
    { staleAfterMs: staleMinutes === null ? null : staleMinutes * minute },
    {
      calendar: withSchedule.spans,
      commissioned: {
        fromMs: plantStartMs,
        createdMs: plantStartMs,
        toMs: decommissioned === null ? null : toMs(decommissioned),
      },
      annotations: annotations.map(({ reason, start, end }) => ({ reason, startMs: toMs(start), endMs: toMs(end) })),
      runs: [
        {
          run: 1,
          startMs: toMs(run.start),
          endMs: toMs(run.end),
          startInSetup: run.production > run.start,
          productionMs: toMs(run.production),
        },
      ],
    },
  )
  const seen = minutesOf(samples).map(at => ({ machineRef: asMachineRef(1), firstMs: at, lastMs: at }))
  const deciding = samples.flatMap(toSample)
  return compute(inputs, deciding, { fromMs: plantStartMs, hours: plantMinutes / 60, seen })
}

function minutesOf(samples: readonly PlantSample[]): readonly number[] {
  return [...new Set(samples.map(({ at }) => toMs(at)))]
}

function toSample(each: PlantSample) {
  const ms = toMs(each.at) - startMs
  if (each.kind === 'execution') return [sample(ms, 'EXECUTION', each.value)]
  if (each.kind !== 'condition') return []
  const { level, code, message } = each
  return [sample(ms, 'SYSTEM', level, { category: 'CONDITION', nativeCode: code, message, key: 'system' })]
}
