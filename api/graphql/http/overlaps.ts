import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { problem } from '../compile/problem.ts'

/** Maximum number of field comparisons during validation; each takes about 0.15 µs. */
const maxComparisons = 100_000
/** Maximum number of fragments of a document, because validation compares each fragment with each other. */
const maxFragments = 100
/** Maximum number of nested levels that are compared, because invalid fragments may contain each other. */
const maxDepth = 500

/**
 * Throws a `GraphQLError` if the validation of a document would take too long: validation compares all fields of the
 * same response name with each other, also across fragments and at each nested level. Throws as well if the document
 * has too many fragments. The document is parsed and may be invalid.
 */
export function rejectManyOverlaps({ definitions }: DocumentNode): void {
  const named = definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION)
  if (named.length > maxFragments)
    throw problem('node-limit-exceeded', `The document has ${named.length} fragments; the maximum is ${maxFragments}`)
  const fragments = new Map(named.map(node => [node.name.value, node]))
  const walk: Walk = { fragments, spread: new Set(), comparisonsLeft: maxComparisons }
  for (const node of definitions)
    if (node.kind === Kind.OPERATION_DEFINITION) compareWithin([node.selectionSet], walk, 0)
  // Validation also compares the fields of fragments that no operation includes.
  for (const [name, { selectionSet }] of fragments) if (!walk.spread.has(name)) compareWithin([selectionSet], walk, 0)
}

interface Walk {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Names of the fragments that another selection includes by `...name`. */
  readonly spread: Set<string>
  comparisonsLeft: number
}

/** Counts the comparisons of the fields of one response object and of all fields below them; throws at the limit. */
function compareWithin(sets: readonly SelectionSetNode[], walk: Walk, depth: number): void {
  if (depth > maxDepth) return
  for (const { count, below } of fieldsOf(sets, walk).values()) {
    countComparisons(walk, count * count)
    if (below.length > 0) compareWithin(below, walk, depth + 1)
  }
}

interface Repeated {
  count: number
  readonly below: SelectionSetNode[]
}

/** The fields of selections by response name; a fragment that is included twice counts once. */
function fieldsOf(sets: readonly SelectionSetNode[], walk: Walk): ReadonlyMap<string, Repeated> {
  const fields = new Map<string, Repeated>()
  const spread = new Set<string>()
  const open = [...sets]
  for (let set = open.pop(); set; set = open.pop())
    for (const node of set.selections) {
      countComparisons(walk, 1)
      if (node.kind === Kind.INLINE_FRAGMENT) open.push(node.selectionSet)
      else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = walk.fragments.get(node.name.value)
        if (fragment && !spread.has(node.name.value)) open.push(fragment.selectionSet)
        spread.add(node.name.value)
        walk.spread.add(node.name.value)
      } else {
        const name = node.alias?.value ?? node.name.value
        const repeated = fields.get(name) ?? { count: 0, below: [] }
        repeated.count += 1
        if (node.selectionSet) repeated.below.push(node.selectionSet)
        fields.set(name, repeated)
      }
    }
  return fields
}

function countComparisons(walk: Walk, comparisons: number): void {
  walk.comparisonsLeft -= comparisons
  if (walk.comparisonsLeft < 0) throw problem('node-limit-exceeded', 'The document repeats the same fields too often')
}
