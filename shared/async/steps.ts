import { WorkSlice } from './work-slice.ts'

/** Long work that yields between its small steps and returns its result. Whoever runs it decides whether others get turns meanwhile. */
export type Steps<T> = Generator<void, T, void>

/** Does all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Does the steps in slices of some 10 ms; others get the event loop in between. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const slice = new WorkSlice()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (slice.isOver) await slice.next()
  }
}
