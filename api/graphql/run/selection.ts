import {
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  isLeafType,
  Kind,
  type SelectionNode,
} from 'graphql'

/** A selected field and the fields that are selected below it. */
export interface Selected {
  /** Response name: the alias, if there is one. */
  readonly key: string
  readonly name: string
  /** The value of `__typename`; null: another field. */
  readonly typeName: string | null
  /** Type of a scalar value; null: an object. */
  readonly leaf: GraphQLLeafType | null
  readonly args: Readonly<Record<string, unknown>>
  readonly fields: readonly Selected[]
}

export type SelectionContext = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>

/** The field that selects the name of an object's type. */
export const typeNameField = '__typename'

/** The nodes of one response name; validation ensures that they select the same field with the same arguments. */
export type FieldNodes = readonly [FieldNode, ...FieldNode[]]

/** Groups selected fields by response name, in the order of the selection. */
export function groupedFields(
  selections: readonly SelectionNode[],
  context: SelectionContext,
): ReadonlyMap<string, FieldNodes> {
  const groups = new Map<string, [FieldNode, ...FieldNode[]]>()
  for (const node of flattenFragments(selections, context)) {
    const key = node.alias?.value ?? node.name.value
    const same = groups.get(key)
    if (same) same.push(node)
    else groups.set(key, [node])
  }
  return groups
}

/** Builds a selected field and everything selected below it. Throws a `GraphQLError` if an argument is invalid. */
export function selectedOf(
  key: string,
  nodes: FieldNodes,
  field: GraphQLField<unknown, unknown>,
  context: SelectionContext,
): Selected {
  const type = getNamedType(field.type)
  const inner = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  return {
    key,
    name: nodes[0].name.value,
    typeName: null,
    leaf: isLeafType(type) ? type : null,
    args: getArgumentValues(field, nodes[0], context.variableValues),
    fields: type instanceof GraphQLObjectType ? fieldsOf(type, inner, context) : [],
  }
}

/** A selected `__typename` with its response name. */
function typeNameOf(key: string, type: GraphQLObjectType): Selected {
  return { key, name: typeNameField, typeName: type.name, leaf: null, args: {}, fields: [] }
}

/**
 * The selected fields of a type. Fields of the same response name are merged, because validation allows them to differ
 * only in their selections.
 */
function fieldsOf(
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  context: SelectionContext,
): readonly Selected[] {
  return [...groupedFields(selections, context)].map(([key, nodes]) => {
    const name = nodes[0].name.value
    if (name === typeNameField) return typeNameOf(key, type)
    const field = type.getFields()[name]
    if (!field) throw new Error(`invariant: ${type.name} has no field ${name}`)
    return selectedOf(key, nodes, field, context)
  })
}

/** The fields of selections and of their fragments, in order, without those that a directive skips. */
function flattenFragments(selections: readonly SelectionNode[], context: SelectionContext): readonly FieldNode[] {
  return selections.flatMap(node => {
    if (isSkipped(node, context)) return []
    if (node.kind === Kind.FIELD) return [node]
    const set =
      node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : context.fragments[node.name.value]?.selectionSet
    return flattenFragments(set?.selections ?? [], context)
  })
}

function isSkipped(node: SelectionNode, { variableValues }: SelectionContext): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues)
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues)
  return skip?.['if'] === true || include?.['if'] === false
}

/** Punctuation of a JSON field: two quotes, a colon and a comma. */
const charsPerField = 4

/** Number of characters of JSON in each object with these fields, without the values that vary. */
export function charsOf(fields: readonly Pick<Selected, 'key' | 'typeName'>[]): number {
  return fields.reduce((sum, { key, typeName }) => sum + key.length + charsPerField + (typeName?.length ?? 0), 0)
}
