import type { Progress } from '../../schema/topics.ts'

/** The progress of an idle partition. */
export const idleProgress: Progress = {
  partition: 0,
  nextOffset: 5,
  liveOffset: 5,
  dirtyHours: 0,
  liveDirtyHours: 0,
  liveSinceMs: null,
  staleDays: 0,
  rebuilds: [],
  recordsOffset: 100,
}
