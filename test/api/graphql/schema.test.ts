import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  graphqlSync,
  printSchema,
  validateSchema,
} from 'graphql'
import { theSchema } from '../../../api/graphql/schema/schema.ts'

describe('the GraphQL schema', () => {
  it('is the one that is committed; `npm run graphql-schema` writes it', () => {
    const committed = readFileSync(new URL('../../../api/graphql/schema.graphql', import.meta.url), 'utf8')
    expect(committed).to.equal(`${printSchema(theSchema())}\n`)
  })

  it('is valid, and what introspection tells of it makes it again', () => {
    const schema = theSchema()
    expect(validateSchema(buildSchema(printSchema(schema)))).to.deep.equal([])
    const { data } = graphqlSync({ schema, source: getIntrospectionQuery() })
    const introspected = JSON.parse(JSON.stringify(data))
    expect(printSchema(buildClientSchema(introspected))).to.equal(printSchema(schema))
  })
})
