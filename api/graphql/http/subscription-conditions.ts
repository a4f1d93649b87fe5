import { type DocumentNode, type FragmentDefinitionNode, Kind, OperationTypeNode, type SelectionNode } from 'graphql'
import { problem } from '../compile/problem.ts'

/**
 * Throws a `GraphQLError` if `@skip` or `@include` with a variable applies to the root field of a subscription, which
 * GraphQL does not allow; graphql-js would throw an unexpected error. The document is parsed and may be invalid.
 */
export function rejectConditionalSubscriptions({ definitions }: DocumentNode): void {
  const named = definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION)
  const fragments = new Map(named.map(node => [node.name.value, node]))
  for (const node of definitions)
    if (node.kind === Kind.OPERATION_DEFINITION && node.operation === OperationTypeNode.SUBSCRIPTION)
      rejectConditions(node.selectionSet.selections, fragments, new Set())
}

function rejectConditions(
  selections: readonly SelectionNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  spread: Set<string>,
): void {
  for (const node of selections) {
    if (dependsOnVariable(node))
      throw problem('validation-failed', 'The root field of a subscription must not depend on a variable')
    if (node.kind === Kind.INLINE_FRAGMENT) rejectConditions(node.selectionSet.selections, fragments, spread)
    if (node.kind !== Kind.FRAGMENT_SPREAD || spread.has(node.name.value)) continue
    spread.add(node.name.value)
    rejectConditions(fragments.get(node.name.value)?.selectionSet.selections ?? [], fragments, spread)
  }
}

function dependsOnVariable({ directives = [] }: SelectionNode): boolean {
  return directives.some(({ arguments: args = [] }) => args.some(({ value }) => value.kind === Kind.VARIABLE))
}
