import {
  type FieldNode,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  Kind,
  type SelectionNode,
} from 'graphql'

/** A field that is asked for, with what is asked of its value. */
export interface Selected {
  /** Name in the answer. */
  readonly key: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly fields: readonly Selected[]
}

type Context = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

/** The fields that are asked of the field that is resolved. */
export function selectionOf(info: GraphQLResolveInfo): readonly Selected[] {
  const type = getNamedType(info.returnType)
  if (!(type instanceof GraphQLObjectType)) return []
  return fieldsOf(
    type,
    info.fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []),
    info,
  )
}

/** Fields of one name in the answer are one, as the validation lets them differ in nothing but what they select. */
function fieldsOf(
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  context: Context,
): readonly Selected[] {
  const nodes = new Map<string, FieldNode[]>()
  for (const node of flattened(selections, context)) {
    const key = node.alias?.value ?? node.name.value
    const same = nodes.get(key)
    if (same) same.push(node)
    else nodes.set(key, [node])
  }
  return [...nodes].flatMap(([key, same]) => {
    const [first] = same
    const field = first && type.getFields()[first.name.value]
    // __typename is no field of the type.
    if (!first || !field) return []
    const inner = getNamedType(field.type)
    const chosen = same.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
    return [
      {
        key,
        name: first.name.value,
        args: getArgumentValues(field, first, context.variableValues),
        fields: inner instanceof GraphQLObjectType ? fieldsOf(inner, chosen, context) : [],
      },
    ]
  })
}

/** The fields of selections and their fragments that are not skipped, in their order. */
function flattened(selections: readonly SelectionNode[], context: Context): readonly FieldNode[] {
  return selections.flatMap(node => {
    if (isSkipped(node, context)) return []
    if (node.kind === Kind.FIELD) return [node]
    const set =
      node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : context.fragments[node.name.value]?.selectionSet
    return flattened(set?.selections ?? [], context)
  })
}

function isSkipped(node: SelectionNode, { variableValues }: Context): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues)
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues)
  return skip?.['if'] === true || include?.['if'] === false
}
