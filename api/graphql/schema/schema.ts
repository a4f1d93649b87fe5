import { buildASTSchema, type GraphQLSchema, GraphQLScalarType, parse } from 'graphql'
import { customScalars } from './scalars.ts'
import { schemaText } from './sdl.ts'

let made: GraphQLSchema | undefined

/**
 * Returns the schema of the HTTP server, which is created once. It is not validated here, because that takes 0.1 s; a
 * test validates it.
 */
export function theSchema(): GraphQLSchema {
  return (made ??= createSchema())
}

/**
 * Creates a new schema. Operations over WebSocket need a schema of their own, because Apollo Server modifies the
 * resolvers of the schema that it receives.
 */
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
