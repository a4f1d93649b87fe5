import { createHash } from 'node:crypto'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import { firstIndex } from './sorted-by-machine.ts'

/** An interval, as instants; `endAt` null: ongoing. */
export type AnnotatedSpan = Pick<AnnotationRecord, 'startAt' | 'endAt'>

/** Places of the annotations that touch a span: from the first to behind the last. `annotations`: by start, without overlap. */
export function placesIn(
  annotations: readonly AnnotationRecord[],
  { startAt, endAt }: AnnotatedSpan,
): readonly [from: number, to: number] {
  const from = firstIndex(annotations, each => each.endAt !== null && each.endAt <= startAt)
  const to = endAt === null ? annotations.length : firstIndex(annotations, each => each.startAt < endAt)
  return [from, Math.max(from, to)]
}

/** Short hash of all annotations that touch a span: it changes with any of them. */
export function annotationStamp(annotations: readonly AnnotationRecord[], span: AnnotatedSpan): string {
  const hash = createHash('sha256')
  for (const { id, startAt, endAt, reasonId, note } of annotations.slice(...placesIn(annotations, span)))
    hash.update(JSON.stringify([id, startAt, endAt, reasonId, note]))
  return hash.digest('base64url')
}
