import type { PartAdjustmentResponse } from '../../schema/records/part-adjustment.ts'
import type { RejectBehavior } from '../../schema/records/part-adjustment-type.ts'
import { instantOf, wallTime } from '../time/wall-time.ts'

export const kinds = ['reject', 'uncounted', 'correction'] as const
/** Meaning of an entry: rejects among the counted parts, uncounted rejects, or a wrong count. */
export type AdjustmentKind = (typeof kinds)[number]

/** An entry in the form of its dialog; empty fields are left out. */
export interface AdjustmentDraft {
  readonly kind: AdjustmentKind
  readonly machine_id: string
  /** Wall time of the company, `YYYY-MM-DDTHH:mm`. */
  readonly adjustmenttime: string
  /** Id of the reason. */
  readonly category_id?: string
  /** Number of parts. */
  readonly size: number
  readonly reject_behavior?: RejectBehavior
  readonly message?: string
}

/** Form of an entry that exists. */
export function draftOf(entry: PartAdjustmentResponse, timeZone: string): AdjustmentDraft {
  const kind = kindOf(entry)
  return {
    kind,
    machine_id: entry.machine_id,
    adjustmenttime: wallTime(Date.parse(entry.adjustmenttime), timeZone),
    ...(entry.category_id !== null && { category_id: String(entry.category_id) }),
    size: kind === 'correction' ? entry.count : entry.scrapcount,
    reject_behavior: entry.reject_behavior ?? 'scrap',
    message: entry.message,
  }
}

/** Whether a typed number of parts is one that such an entry may have. */
export function isGoodNumber(size: string, isCorrection: boolean, entry: PartAdjustmentResponse | null): boolean {
  const parts = Number(size)
  if (size.trim() === '' || !Number.isInteger(parts)) return false
  // An entry of another program may take rejects back.
  const mayBeNegative = isCorrection || (entry !== null && entry.scrapcount < 0)
  return mayBeNegative ? parts !== 0 : parts > 0
}

/** Body of the request that saves the form of an entry; null: of a new one. */
export function bodyOf(draft: AdjustmentDraft, entry: PartAdjustmentResponse | null, timeZone: string) {
  const { kind, size, adjustmenttime: time, category_id: typeId } = draft
  // An entry of another program may correct a count and reject parts at once: its correction stays.
  const others = entry !== null && kindOf(entry) === 'reject' ? entry.count + entry.scrapcount : 0
  const isSameTime = entry !== null && wallTime(Date.parse(entry.adjustmenttime), timeZone) === time
  return {
    machine_id: draft.machine_id,
    adjustmenttime: isSameTime ? entry.adjustmenttime : new Date(instantOf(time, timeZone)).toISOString(),
    category_id: typeId === undefined ? null : Number(typeId),
    message: draft.message ?? '',
    scrapcount: kind === 'correction' ? 0 : size,
    count: kind === 'correction' ? size : kind === 'reject' ? others - size : 0,
    reject_behavior: draft.reject_behavior ?? entry?.reject_behavior ?? 'scrap',
  }
}

function kindOf({ scrapcount, count }: PartAdjustmentResponse): AdjustmentKind {
  if (scrapcount === 0) return 'correction'
  return count === 0 ? 'uncounted' : 'reject'
}
