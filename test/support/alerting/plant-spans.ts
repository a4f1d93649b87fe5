import { machineHolds } from '../../../respond/holds/machine-holds.ts'
import { countedTime } from '../../../respond/spans/counted-time.ts'
import { buildSpans, type Span } from '../../../respond/spans/spans.ts'
import { minute } from '../../processors/timeline/support.ts'
import { plantCalendar, plantHistory, plantShiftIds } from './plant-documents.ts'
import { type Plant, type PlantRule, plantStartMs, toMs } from './random-plant.ts'

/** Returns the spans of a rule in the documents of a plant, as known at a limit in minutes. */
export function plantSpans(plant: Plant, rule: PlantRule, limit: number): readonly Span[] {
  const { condition, when, activeFrom } = rule
  const inputs = plantHistory(plant)
  const counted = countedTime(when, condition, {
    states: inputs.history.states,
    shiftIds: plantShiftIds,
    calendar: plantCalendar,
    gaps: [],
  })
  const timing = {
    condition,
    forMs: rule.forMinutes * minute,
    resolveAfterMs: rule.resolveAfterMinutes * minute,
    quietMs: rule.quietMinutes * minute,
  }
  return buildSpans(timing, machineHolds(condition, inputs), counted, toMs(activeFrom), toMs(limit))
}

/** Minutes from the start of the plant. */
export const toMinutes = (ms: number) => (ms - plantStartMs) / minute
