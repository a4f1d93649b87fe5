import { TimeSlice } from './time-slice.ts'

/**
 * Long work that yields between small steps and returns its result. The caller decides whether the work yields to the
 * event loop.
 */
export type Steps<T> = Generator<void, T, void>

/** Runs all steps synchronously. */
export function runSync<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Runs the steps in time slices of about 10 ms and yields to the event loop between them. */
export async function runCooperatively<T>(steps: Steps<T>): Promise<T> {
  const slice = new TimeSlice()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (slice.isOver) await slice.next()
  }
}
