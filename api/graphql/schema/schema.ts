import { buildASTSchema, type GraphQLSchema, GraphQLScalarType, parse } from 'graphql'
import { customScalars } from './scalars.ts'
import { schemaText } from './sdl.ts'

let schemaOnce: GraphQLSchema | undefined

/**
 * Returns the schema of the HTTP server, which is created once. It is not validated here, because that takes 0.1 s; a
 * test validates it.
 */
export function sharedSchema(): GraphQLSchema {
  return (schemaOnce ??= createSchema())
}

/**
 * Creates a new schema. Operations over WebSocket need a schema of their own, because Apollo Server modifies the
 * resolvers of the schema that it receives.
 */
export function createSchema(): GraphQLSchema {
  const schema = buildASTSchema(parse(schemaText(), { noLocation: true }), { assumeValid: true, assumeValidSDL: true })
  for (const [name, scalar] of Object.entries(customScalars)) {
    const schemaOnce = schema.getType(name)
    if (!(schemaOnce instanceof GraphQLScalarType)) throw new Error(`invariant: ${name} is not a scalar of the schema`)
    schemaOnce.description = scalar.description
    schemaOnce.serialize = scalar.serialize
    schemaOnce.parseValue = scalar.parseValue
    schemaOnce.parseLiteral = scalar.parseLiteral
  }
  return schema
}
