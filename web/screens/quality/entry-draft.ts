import type { PartAdjustmentResponse } from '../../../schema/records/part-adjustment.ts'
import type { RejectBehavior } from '../../../schema/records/part-adjustment-type.ts'
import { instantOf, wallTime } from '../../time/wall-time.ts'

export const kinds = ['reject', 'uncounted', 'correction'] as const
/** Meaning of an entry: rejects among the counted parts, uncounted rejects, or a wrong count. */
export type AdjustmentKind = (typeof kinds)[number]

/** An entry in the form of its dialog. */
export interface EntryDraft {
  readonly kind: AdjustmentKind
  /** '': none is chosen. */
  readonly machineId: string
  /** Wall time of the company, `YYYY-MM-DDTHH:mm`. */
  readonly time: string
  /** '': without a reason. */
  readonly typeId: string
  /** Number of parts as it was typed. */
  readonly size: string
  readonly behavior: RejectBehavior
  readonly note: string
}

/** Form of an entry that is there. */
export function draftOf(entry: PartAdjustmentResponse, timeZone: string): EntryDraft {
  const kind = kindOf(entry)
  return {
    kind,
    machineId: entry.machine_id,
    time: wallTime(Date.parse(entry.adjustmenttime), timeZone),
    typeId: entry.category_id === null ? '' : String(entry.category_id),
    size: String(kind === 'correction' ? entry.count : entry.scrapcount),
    behavior: entry.reject_behavior ?? 'scrap',
    note: entry.message,
  }
}

/** Whether the parts are a number that such an entry may have. */
export function isGoodNumber({ kind, size }: EntryDraft, entry: PartAdjustmentResponse | null): boolean {
  const parts = Number(size)
  if (size.trim() === '' || !Number.isInteger(parts)) return false
  // An entry of another program may take rejects back.
  const mayBeNegative = kind === 'correction' || (entry !== null && entry.scrapcount < 0)
  return mayBeNegative ? parts !== 0 : parts > 0
}

export function isGoodTime({ time }: EntryDraft): boolean {
  return Number.isFinite(Date.parse(`${time}Z`))
}

/** Body of the request that saves the form of an entry; null: of a new one. */
export function bodyOf(draft: EntryDraft, entry: PartAdjustmentResponse | null, timeZone: string) {
  const { kind, time, typeId } = draft
  const parts = Number(draft.size)
  // An entry of another program may correct a count and reject parts at once: its correction stays.
  const others = entry !== null && kindOf(entry) === 'reject' ? entry.count + entry.scrapcount : 0
  const isSameTime = entry !== null && wallTime(Date.parse(entry.adjustmenttime), timeZone) === time
  return {
    machine_id: draft.machineId,
    adjustmenttime: isSameTime ? entry.adjustmenttime : new Date(instantOf(time, timeZone)).toISOString(),
    category_id: typeId === '' ? null : Number(typeId),
    message: draft.note,
    scrapcount: kind === 'correction' ? 0 : parts,
    count: kind === 'correction' ? parts : kind === 'reject' ? others - parts : 0,
    reject_behavior: draft.behavior,
  }
}

function kindOf({ scrapcount, count }: PartAdjustmentResponse): AdjustmentKind {
  if (scrapcount === 0) return 'correction'
  return count === 0 ? 'uncounted' : 'reject'
}
