import { assert } from 'chai'
import { getIntrospectionQuery, getOperationAST, parse } from 'graphql'
import { executeOperation } from '../../../api/graphql/run/execute.ts'
import { theSchema } from '../../../api/graphql/schema/schema.ts'

/** Parses a query; what it returns asks the same operation each time, as the server does with a document that it keeps. */
function prepared(query: string) {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('There is an operation')
  return (variables: Readonly<Record<string, unknown>> = {}) =>
    executeOperation(theSchema(), { document, operation, variables }, async () => 'value')
}

describe('the introspection of GraphQL', () => {
  it('is answered once for tools that ask again, and few answers are kept', async () => {
    const ask = prepared(getIntrospectionQuery())
    const first = await ask()
    assert.equal(await ask(), first)
    for (let i = 0; i < 4; i++) await prepared(`{ __schema { a${i}: queryType { name } } }`)()
    const again = await ask()
    assert.notEqual(again, first)
    assert.deepEqual(again, first)
  })

  it('is answered anew with variables', async () => {
    const ask = prepared('query ($name: String!) { __type(name: $name) { name } }')
    assert.deepEqual(JSON.parse(JSON.stringify((await ask({ name: 'Query' })).data)), { __type: { name: 'Query' } })
    assert.deepEqual(JSON.parse(JSON.stringify((await ask({ name: 'uuid' })).data)), { __type: { name: 'uuid' } })
  })
})
