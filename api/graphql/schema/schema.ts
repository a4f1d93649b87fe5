import { buildASTSchema, type GraphQLSchema, GraphQLScalarType, parse } from 'graphql'
import { customScalars } from './scalars.ts'
import { schemaText } from './sdl.ts'

/** The schema that clients ask. Values are found by the resolver that the server is given. */
export function createSchema(): GraphQLSchema {
  const schema = buildASTSchema(parse(schemaText()))
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
