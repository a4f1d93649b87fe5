import { type Change, type KindThat, recordKinds } from '../../schema/records/record-kinds.ts'

/** A change of a record that enters documents. */
export type DocumentChange = Extract<Change, { readonly kind: KindThat<'entersDocuments'> }>

export function isDocumentChange(change: Change): change is DocumentChange {
  return recordKinds[change.kind].entersDocuments
}
