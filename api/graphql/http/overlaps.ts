import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { problem } from '../compile/problem.ts'

/** Most comparisons of fields that validation may make: each takes about 0.15 µs. */
const mostComparisons = 100_000
/** Most fragments of a document: validation compares each with each, also where they spread each other in a row. */
const mostFragments = 100
/** Fragments that spread each other have no end. */
const deepest = 500

/**
 * Throws where a document repeats names so often that its validation would take long: fields of one name in one place, also through
 * fragments, are compared each with each, and so are the fields within them. Throws as well where there are too many fragments. The document is parsed, and need not be valid.
 */
export function refuseManyOverlaps({ definitions }: DocumentNode): void {
  const named = definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION)
  if (named.length > mostFragments)
    throw problem('node-limit-exceeded', `The document has ${named.length} fragments; ${mostFragments} are allowed`)
  const fragments = new Map(named.map(node => [node.name.value, node]))
  const walk: Walk = { fragments, spread: new Set(), left: mostComparisons }
  for (const node of definitions)
    if (node.kind === Kind.OPERATION_DEFINITION) compareWithin([node.selectionSet], walk, 0)
  // Fragments that no operation uses are validated, too.
  for (const [name, { selectionSet }] of fragments) if (!walk.spread.has(name)) compareWithin([selectionSet], walk, 0)
}

interface Walk {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** Names of the fragments that were met. */
  readonly spread: Set<string>
  /** Comparisons that are still allowed. */
  left: number
}

/** Counts the comparisons of fields that are answered in one object, and of those below them. */
function compareWithin(sets: readonly SelectionSetNode[], walk: Walk, depth: number): void {
  if (depth > deepest) return
  for (const { count, below } of fieldsOf(sets, walk).values()) {
    take(walk, count * count)
    if (below.length > 0) compareWithin(below, walk, depth + 1)
  }
}

interface Repeated {
  count: number
  readonly below: SelectionSetNode[]
}

/** The fields of some selections by the name that they are answered under; each fragment counts once. */
function fieldsOf(sets: readonly SelectionSetNode[], walk: Walk): ReadonlyMap<string, Repeated> {
  const fields = new Map<string, Repeated>()
  const spread = new Set<string>()
  const open = [...sets]
  for (let set = open.pop(); set; set = open.pop())
    for (const node of set.selections) {
      take(walk, 1)
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

function take(walk: Walk, comparisons: number): void {
  walk.left -= comparisons
  if (walk.left < 0) throw problem('node-limit-exceeded', 'The document repeats the same fields too often')
}
