import * as t from '../types.ts'

/** Paths of the GraphQL API, over HTTP and WebSocket. */
export const graphqlPaths = ['/graphql', '/v1/graphql', '/proxy/graphql'] as const

const anyObject = t.unsafe<object>({ type: 'object' })
const query = t.withExamples(t.text, '{ machines { name machineRef } }')

/** A GraphQL operation. */
const graphqlInput = t.named(
  'GraphqlInput',
  t.withExamples(
    t.object({ query: t.text, operationName: t.nullable(t.text), variables: t.nullable(anyObject) }, [
      'operationName',
      'variables',
    ]),
    { query: '{ machines { name machineRef } }' },
  ),
)

/** Maximum number of operations in one request. */
export const maxOperations = 100

/** Body of a GraphQL request: an operation, or an array of operations. */
export const graphqlBody = t.named(
  'GraphqlBody',
  t.withExamples(
    t.unsafe<unknown>({ anyOf: [graphqlInput, t.list(graphqlInput, { minItems: 1, maxItems: maxOperations })] }),
    {
      query: '{ machines { name machineRef } }',
    },
  ),
)

/** Query parameters of a GraphQL request; `variables` is JSON. */
export const graphqlQuery = t.object({ query, operationName: t.text, variables: t.text }, [
  'operationName',
  'variables',
])

const extensions = t.named('GraphqlErrorExtensions', t.object({ code: t.text }))
const location = t.named('GraphqlLocation', t.object({ line: t.int, column: t.int }))
const error = t.named(
  'GraphqlError',
  t.object(
    {
      message: t.text,
      locations: t.list(location),
      path: t.list(t.unsafe<string | number>({ type: ['string', 'integer'] })),
      extensions,
    },
    ['locations', 'path'],
  ),
)

/** Result of a GraphQL operation. */
export const graphqlResponse = t.named(
  'GraphqlAnswer',
  t.object({ data: t.nullable(anyObject), errors: t.list(error) }, ['data', 'errors']),
)

/** Response to `graphqlBody`: one result, or an array of results in the order of the operations. */
export const graphqlResults = t.named(
  'GraphqlResults',
  t.unsafe<unknown>({ anyOf: [graphqlResponse, t.list(graphqlResponse)] }),
)
