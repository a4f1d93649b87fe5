import type { DocumentNode } from 'graphql'
import { rejectManyOverlaps } from './overlaps.ts'
import { rejectConditionalSubscriptions } from './subscription-conditions.ts'

/**
 * Throws a `GraphQLError` if the validation of a document would take too long or would fail with an unexpected error.
 * The document is parsed and may be invalid.
 */
export function rejectBeforeValidation(document: DocumentNode): void {
  rejectManyOverlaps(document)
  rejectConditionalSubscriptions(document)
}
