import { buildASTSchema, type GraphQLSchema, GraphQLScalarType, parse } from 'graphql'
import { customScalars } from './scalars.ts'
import { schemaText } from './sdl.ts'

let made: GraphQLSchema | undefined

/**
 * The schema that clients ask, made once. Values are found by the resolver that the server is given. A test checks that it
 * is valid: doing so here would take a tenth of a second of each start.
 */
export function theSchema(): GraphQLSchema {
  return (made ??= createSchema())
}

/** A schema of its own, for what runs operations without the server: that one changes the resolvers of its schema. */
export function createSchema(): GraphQLSchema {
  const schema = buildASTSchema(parse(schemaText(), { noLocation: true }), { assumeValid: true, assumeValidSDL: true })
  for (const [name, scalar] of Object.entries(customScalars)) {
    const made = schema.getType(name)
    if (!(made instanceof GraphQLScalarType)) throw new Error(`invariant: ${name} is no scalar of the schema`)
    made.description = scalar.description
    made.serialize = scalar.serialize
    made.parseValue = scalar.parseValue
    made.parseLiteral = scalar.parseLiteral
  }
  return schema
}
