import { type AlertStep, maxRepeats } from '../../schema/records/alert-rule.ts'
import { maxNotices } from '../../schema/records/incident.ts'

/** Notices of an incident for each target that steps leave room for: acknowledged, resolved, retracted. */
const eventsPerTarget = 3

/** A notice that is due: steps are numbered from 1, repeats from 0. `dueMs`: UTC ms. */
export interface DueNotice {
  readonly step: number
  readonly repeat: number
  readonly dueMs: number
}

/** The state of an unresolved incident that determines its due steps. Instants are UTC ms. */
export interface StepProgress {
  /** Instant from which steps count: the opening, or the end of the backlog in which the incident was opened. */
  readonly detectedMs: number
  /** Clock of the last reopening; null: none. Started steps do not repeat after it; other steps count from it. */
  readonly reopenedMs: number | null
  readonly isAcknowledged: boolean
  /** Notices of steps so far, one for each target, UTC ms. */
  readonly notices: readonly { readonly step: number; readonly repeat: number; readonly atMs: number }[]
}

/** Due notices, and the instant of the next one; null: there is none. */
export interface DueSteps {
  readonly due: readonly DueNotice[]
  readonly nextMs: number | null
}

/**
 * Returns the notices of an unresolved incident that are due at an instant, at most one of each step: of missed repeats,
 * only the last one is sent. A step ends when the notices for its targets exceed the limit of an incident.
 */
export function dueSteps(steps: readonly AlertStep[], progress: StepProgress, nowMs: number): DueSteps {
  const targets = new Set(steps.flatMap(({ targets }) => targets))
  const room = maxNotices - eventsPerTarget * targets.size - progress.notices.length
  const planned = steps.flatMap((step, index) =>
    step.targets.length > room ? [] : planStep(step, index + 1, progress, nowMs),
  )
  const due = planned.flatMap(({ due }) => due ?? []).toSorted((a, b) => a.dueMs - b.dueMs || a.step - b.step)
  return {
    due: limitNotices(due, steps, room),
    nextMs: planned.reduce<number | null>(
      (next, { nextMs }) => (nextMs === null ? next : Math.min(next ?? Infinity, nextMs)),
      null,
    ),
  }
}

/** Returns the notices whose targets fit into the room, in order. */
function limitNotices(due: readonly DueNotice[], steps: readonly AlertStep[], room: number): readonly DueNotice[] {
  let remaining = room
  return due.filter(({ step }) => {
    const needed = steps[step - 1]?.targets.length ?? 0
    if (needed > remaining) return false
    remaining -= needed
    return true
  })
}

interface PlannedStep {
  readonly due: DueNotice | null
  readonly nextMs: number | null
}

function planStep(step: AlertStep, number: number, progress: StepProgress, nowMs: number): readonly PlannedStep[] {
  if (step.until === 'acknowledged' && progress.isAcknowledged) return []
  const sent = progress.notices.filter(notice => notice.step === number)
  const hasEnded = progress.reopenedMs !== null && sent.some(({ atMs }) => atMs < (progress.reopenedMs ?? 0))
  if (hasEnded) return []
  const firstMs = (progress.reopenedMs ?? progress.detectedMs) + step.afterMs
  const lastSent = Math.max(-1, ...sent.map(({ repeat }) => repeat))
  const repeatMs = step.repeatMs ?? Infinity
  const lastRepeat = step.repeatMs === null ? 0 : maxRepeats
  const dueRepeat = nowMs < firstMs ? -1 : Math.min(lastRepeat, Math.floor((nowMs - firstMs) / repeatMs))
  const at = (repeat: number) => (repeat === 0 ? firstMs : firstMs + repeat * repeatMs)
  const due = dueRepeat > lastSent ? { step: number, repeat: dueRepeat, dueMs: at(dueRepeat) } : null
  const following = Math.max(dueRepeat, lastSent) + 1
  return [{ due, nextMs: following > lastRepeat ? null : at(following) }]
}
