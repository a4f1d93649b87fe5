import { assert } from 'chai'
import {
  buildClientSchema,
  execute,
  type ExecutionResult,
  getIntrospectionQuery,
  getOperationAST,
  type IntrospectionQuery,
  parse,
} from 'graphql'
import { executeOperation } from '../../../../api/graphql/run/execute.ts'
import { sharedSchema } from '../../../../api/graphql/schema/schema.ts'

/**
 * Parses a query; returns a function that executes the same document each time, as the server does with a cached
 * document.
 */
function prepared(query: string) {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('The document has no operation')
  return (variables: Readonly<Record<string, unknown>> = {}) =>
    executeOperation(sharedSchema(), { document, operation, variables }, async () => 'value')
}

/** Returns data and messages only, because errors of the server also have a code. */
function told({ data, errors }: ExecutionResult) {
  return { data: JSON.stringify(data), errors: errors?.map(({ message }) => message) }
}

/** The introspection query that tools send, with all of its options. */
const tools = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
})

describe('GraphQL introspection', () => {
  it('The result of a repeated introspection query is cached, and few results are cached', async () => {
    const ask = prepared(getIntrospectionQuery())
    const first = await ask()
    assert.equal(await ask(), first)
    for (let i = 0; i < 4; i++) await prepared(`{ __schema { a${i}: queryType { name } } }`)()
    const again = await ask()
    assert.notEqual(again, first)
    assert.deepEqual(again, first)
  })

  it('The result of an introspection query with variables is computed for each request', async () => {
    const ask = prepared('query ($name: String!) { __type(name: $name) { name } }')
    assert.deepEqual(JSON.parse(JSON.stringify((await ask({ name: 'Query' })).data)), { __type: { name: 'Query' } })
    assert.deepEqual(JSON.parse(JSON.stringify((await ask({ name: 'uuid' })).data)), { __type: { name: 'uuid' } })
  })

  it('Introspection of any part of the schema yields to the event loop', async () => {
    const fragments = tools.slice(tools.indexOf('fragment FullType'))
    const many = Array.from({ length: 10 }, (_, i) => `a${i}: __schema { types { ...FullType } }`).join(' ')
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const { data } = await prepared(`{ ${many} } ${fragments}`)()
    isOver = true
    assert.lengthOf(Object.keys(data ?? {}), 10)
    assert.isAbove(turns, 1)
  })

  const nameless = '{ __schema { ...S queryType { ...N } } } fragment S on __Schema { types { ...N } }'
  for (const [name, query, variables] of [
    ['what tools ask', tools],
    ['what older tools ask', getIntrospectionQuery({ descriptions: false })],
    ['the defaults of arguments', '{ __type(name: "Query") { fields { args { defaultValue type { name kind } } } } }'],
    ['fields by aliases', '{ a: __schema { b: queryType { c: name __typename } } __type(name: "uuid") { d: kind } }'],
    ['fragments', `${nameless} fragment N on __Type { ofType { name } ... on __Type { name } }`],
    ['one field requested twice', '{ __schema { types { name } } __schema { types { kind name } } }'],
    ['an unknown type', '{ __type(name: "None") { name } }'],
    ['a type by a variable', 'query ($n: String!) { __type(name: $n) { name fields { name } } }', { n: 'Query' }],
    [
      'directives',
      'query ($no: Boolean!) { __type(name: "uuid") { name @skip(if: $no) kind @include(if: $no) } }',
      { no: true },
    ],
    [
      'deprecated arguments',
      '{ __schema { directives { name args(includeDeprecated: true) { isDeprecated } locations } } }',
    ],
  ] as const)
    it(`Introspection of ${name} returns the same as graphql-js`, async () => {
      const expected = await execute({
        schema: sharedSchema(),
        document: parse(query),
        variableValues: variables ?? {},
      })
      assert.equal(JSON.stringify(await prepared(query)(variables)), JSON.stringify(expected))
    })

  for (const [name, query] of [
    ['a required variable that is missing or null', 'query ($n: String!) { __type(name: $n) { name } }'],
    ['a variable of @include', 'query ($is: Boolean!) { __schema { queryType { name @include(if: $is) } } }'],
    ['a variable of @skip', 'query ($is: Boolean!) { __schema { queryType { name @skip(if: $is) } } }'],
    [
      'a variable with a default',
      'query ($is: Boolean = true) { __type(name: "uuid") { name @include(if: $is) kind @skip(if: $is) } }',
    ],
  ] as const)
    for (const variables of [{ n: null, is: null }, {}])
      it(`Introspection with ${name} and the variables ${JSON.stringify(variables)} returns the same as graphql-js`, async () => {
        const expected = await execute({ schema: sharedSchema(), document: parse(query), variableValues: variables })
        assert.deepEqual(told(await prepared(query)(variables)), told(expected))
      })

  it('A null argument of a non-null type is rejected in introspection', async () => {
    const { data, errors } = await prepared('query ($n: String = "a") { __type(name: $n) { name } }')({ n: null })
    assert.deepEqual({ ...data }, { __type: null })
    assert.match(String(errors?.[0]?.message), /Argument "name" of non-null type "String!" must not be null/)
  })

  it('Clients can be built from the introspected schema', async () => {
    const { data } = await prepared(tools)()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is checked while the schema is built
    const schema = buildClientSchema(data as unknown as IntrospectionQuery)
    assert.sameMembers(Object.keys(schema.getTypeMap()), Object.keys(sharedSchema().getTypeMap()))
  })
})
