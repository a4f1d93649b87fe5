import type { Change, RecordKind } from '../../schema/records/record-kinds.ts'

/** Kinds whose records enter the documents of machines; the others are named so that a new kind is not forgotten. */
const entersDocuments = {
  machine: true,
  company: true,
  schedule: true,
  jobRun: true,
  operatorRun: true,
  annotation: true,
  partAdjustment: true,
  partAdjustmentType: true,
  key: false,
  user: false,
  session: false,
  machineGroup: false,
  operator: false,
  downtimeReason: false,
  jobOperation: false,
  claim: false,
  rebuild: false,
  installation: false,
} as const satisfies Record<RecordKind, boolean>

type DocumentKind = { [K in RecordKind]: (typeof entersDocuments)[K] extends true ? K : never }[RecordKind]

/** A change of a record that enters documents. */
export type DocumentChange = Extract<Change, { readonly kind: DocumentKind }>

export function isDocumentChange(change: Change): change is DocumentChange {
  return entersDocuments[change.kind]
}
