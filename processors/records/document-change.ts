import { type Change, type KindWithTrait, recordKinds } from '../../schema/records/record-kinds.ts'

/** A change of a record on which documents depend. */
export type DocumentChange = Extract<Change, { readonly kind: KindWithTrait<'affectsDocuments'> }>

export function isDocumentChange(change: Change): change is DocumentChange {
  return recordKinds[change.kind].affectsDocuments
}
