import type { DocumentNode } from 'graphql'
import { refuseManyOverlaps } from './overlaps.ts'
import { refuseConditionalSubscriptions } from './subscription-conditions.ts'

/**
 * Throws a `GraphQLError` if the validation of a document would take too long or would fail with an unexpected error.
 * The document is parsed and may be invalid.
 */
export function refuseBeforeValidation(document: DocumentNode): void {
  refuseManyOverlaps(document)
  refuseConditionalSubscriptions(document)
}
