import type { DocumentNode } from 'graphql'
import { refuseManyOverlaps } from './overlaps.ts'
import { refuseConditionalSubscriptions } from './subscription-conditions.ts'

/** Throws if the validation of a document would take long or fail. The document is parsed and may be invalid. */
export function refuseBeforeValidation(document: DocumentNode): void {
  refuseManyOverlaps(document)
  refuseConditionalSubscriptions(document)
}
