import { createHash } from 'node:crypto'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import { firstIndex } from './sorted-by-machine.ts'

/** Time span as ISO instants; `endAt` null: ongoing. */
export type AnnotatedSpan = Pick<AnnotationRecord, 'startAt' | 'endAt'>

/**
 * Returns the index range [from, to) of the annotations that overlap a span. `annotations` are sorted by start and do
 * not overlap.
 */
export function overlapIndexes(
  annotations: readonly AnnotationRecord[],
  { startAt, endAt }: AnnotatedSpan,
): readonly [from: number, to: number] {
  const from = firstIndex(annotations, each => each.endAt !== null && each.endAt <= startAt)
  const to = endAt === null ? annotations.length : firstIndex(annotations, each => each.startAt < endAt)
  return [from, Math.max(from, to)]
}

/** Returns a short hash of all annotations that overlap a span, by which a caller detects changes of them. */
export function annotationStamp(annotations: readonly AnnotationRecord[], span: AnnotatedSpan): string {
  const hash = createHash('sha256')
  for (const { id, startAt, endAt, reasonId, note } of annotations.slice(...overlapIndexes(annotations, span)))
    hash.update(JSON.stringify([id, startAt, endAt, reasonId, note]))
  return hash.digest('base64url')
}
