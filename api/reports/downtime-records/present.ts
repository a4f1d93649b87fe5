import type { AnnotationRecord } from '../../../schema/records/annotation.ts'
import type { DowntimeRecordAnswer } from '../../../schema/requests/downtime-records.ts'
import { firstIndex } from '../../../processors/records/sorted-by-machine.ts'
import { isoText } from '../../../shared/time/iso-text.ts'
import type { CompanyView } from '../company/company-view.ts'
import { reasonNames } from '../groupings/reasons.ts'
import type { ListedRecord } from './read.ts'

/** Converts a record to its response. */
export function recordPresenter(
  view: CompanyView,
  annotationsOf: (machineId: string) => readonly AnnotationRecord[],
): (record: ListedRecord) => DowntimeRecordAnswer {
  const reasonOf = reasonNames(view.reasons)
  return ({ machineRef, startMs, endMs, inRangeMs, reasonCode }) => {
    const machineId = view.machine(machineRef)?.id ?? ''
    const startAt = isoText(startMs)
    const reason = reasonOf(reasonCode)
    const annotation = annotationAt(annotationsOf(machineId), startAt)
    return {
      id: `${machineId}_${startMs}`,
      machineId,
      startAt,
      endAt: endMs === null ? null : isoText(endMs),
      durationMs: (endMs ?? view.nowMs) - startMs,
      inRangeMs,
      reasonId: reason.id,
      reason: reason.name,
      reasonColor: reason.color,
      annotationId: annotation?.id ?? null,
      note: annotation?.note ?? null,
    }
  }
}

/** The annotation that covers an instant; `annotations` by start, without overlap. */
function annotationAt(annotations: readonly AnnotationRecord[], instant: string): AnnotationRecord | null {
  const last = annotations[firstIndex(annotations, ({ startAt }) => startAt <= instant) - 1]
  return last && (last.endAt === null || last.endAt > instant) ? last : null
}
