import { int, list, named, nullable, object, text, unsafe, withExamples } from '../types.ts'

/** Paths of the GraphQL API, over HTTP and WebSocket. */
export const graphqlPaths = ['/graphql', '/v1/graphql', '/proxy/graphql'] as const

const anyObject = unsafe<object>({ type: 'object' })
const query = withExamples(text, '{ machines { name machineRef } }')

/** A GraphQL operation. */
const graphqlInput = named(
  'GraphqlInput',
  withExamples(
    object({ query: text, operationName: nullable(text), variables: nullable(anyObject) }, [
      'operationName',
      'variables',
    ]),
    { query: '{ machines { name machineRef } }' },
  ),
)

/** Maximum number of operations in one request. */
export const maxOperations = 100

/** Body of a GraphQL request: an operation, or an array of operations. */
export const graphqlBody = named(
  'GraphqlBody',
  withExamples(
    unsafe<unknown>({ anyOf: [graphqlInput, list(graphqlInput, { minItems: 1, maxItems: maxOperations })] }),
    {
      query: '{ machines { name machineRef } }',
    },
  ),
)

/** Query parameters of a GraphQL request; `variables` is JSON. */
export const graphqlQuery = object({ query, operationName: text, variables: text }, ['operationName', 'variables'])

const extensions = named('GraphqlErrorExtensions', object({ code: text }))
const location = named('GraphqlLocation', object({ line: int, column: int }))
const error = named(
  'GraphqlError',
  object(
    {
      message: text,
      locations: list(location),
      path: list(unsafe<string | number>({ type: ['string', 'integer'] })),
      extensions,
    },
    ['locations', 'path'],
  ),
)

/** Result of a GraphQL operation. */
export const graphqlResponse = named(
  'GraphqlAnswer',
  object({ data: nullable(anyObject), errors: list(error) }, ['data', 'errors']),
)

/** Response to `graphqlBody`: one result, or an array of results in the order of the operations. */
export const graphqlResults = named(
  'GraphqlResults',
  unsafe<unknown>({ anyOf: [graphqlResponse, list(graphqlResponse)] }),
)
