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

/** A field that is asked for, with what is asked of its value. */
export interface Selected {
  /** Name in the answer. */
  readonly key: string
  readonly name: string
  /** The value of `__typename`; null: another field. */
  readonly typeName: string | null
  /** Type of a value without fields. */
  readonly leaf: GraphQLLeafType | null
  readonly args: Readonly<Record<string, unknown>>
  readonly fields: readonly Selected[]
}

export type SelectionContext = Pick<GraphQLResolveInfo, 'fragments' | 'variableValues'>

/** Asks for the name of an object's type. */
export const typeNameField = '__typename'

/** The places of one field of an answer: they select one name with the same arguments. */
export type SameFields = readonly [FieldNode, ...FieldNode[]]

/** The fields that selections ask for, by their names in the answer, in the order asked. */
export function groupedFields(
  selections: readonly SelectionNode[],
  context: SelectionContext,
): ReadonlyMap<string, SameFields> {
  const groups = new Map<string, [FieldNode, ...FieldNode[]]>()
  for (const node of flattened(selections, context)) {
    const key = node.alias?.value ?? node.name.value
    const same = groups.get(key)
    if (same) same.push(node)
    else groups.set(key, [node])
  }
  return groups
}

/** One field of a type, with all that is selected of it. Throws a `GraphQLError` where an argument is none. */
export function selectedOf(
  key: string,
  nodes: SameFields,
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

/** `__typename` under some name. */
function typeNameOf(key: string, type: GraphQLObjectType): Selected {
  return { key, name: typeNameField, typeName: type.name, leaf: null, args: {}, fields: [] }
}

/** Fields of one name in the answer are one, as the validation lets them differ in nothing but what they select. */
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

/** The fields of selections and their fragments that are not skipped, in their order. */
function flattened(selections: readonly SelectionNode[], context: SelectionContext): readonly FieldNode[] {
  return selections.flatMap(node => {
    if (isSkipped(node, context)) return []
    if (node.kind === Kind.FIELD) return [node]
    const set =
      node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : context.fragments[node.name.value]?.selectionSet
    return flattened(set?.selections ?? [], context)
  })
}

function isSkipped(node: SelectionNode, { variableValues }: SelectionContext): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues)
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues)
  return skip?.['if'] === true || include?.['if'] === false
}

/** Punctuation of a field of JSON: two quotes, a colon and a comma. */
const charsPerField = 4

/** Characters of JSON that each object with these fields has, without the values that differ. */
export function charsOf(fields: readonly Pick<Selected, 'key' | 'typeName'>[]): number {
  return fields.reduce((sum, { key, typeName }) => sum + key.length + charsPerField + (typeName?.length ?? 0), 0)
}
