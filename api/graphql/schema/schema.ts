import { buildASTSchema, type GraphQLSchema, GraphQLScalarType, parse } from 'graphql'
import { customScalars } from './scalars.ts'
import { schemaText } from './sdl.ts'

let made: GraphQLSchema | undefined

/**
 * The schema of the server, created once; the executor of the server resolves its values. A test validates the schema,
 * because that would add 0.1 s to every start.
 */
export function theSchema(): GraphQLSchema {
  return (made ??= createSchema())
}

/** Creates a separate schema for operations over WebSocket, because Apollo Server modifies the resolvers of its own. */
export function createSchema(): GraphQLSchema {
  const schema = buildASTSchema(parse(schemaText(), { noLocation: true }), { assumeValid: true, assumeValidSDL: true })
  for (const [name, scalar] of Object.entries(customScalars)) {
    const made = schema.getType(name)
    if (!(made instanceof GraphQLScalarType)) throw new Error(`invariant: ${name} is not a scalar of the schema`)
    made.description = scalar.description
    made.serialize = scalar.serialize
    made.parseValue = scalar.parseValue
    made.parseLiteral = scalar.parseLiteral
  }
  return schema
}
