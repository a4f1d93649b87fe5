import { int, list, named, nullable, object, text, unsafe, withExamples } from '../types.ts'

/** Clients ask at all of them, over HTTP and over WebSocket. */
export const graphqlPaths = ['/graphql', '/v1/graphql', '/proxy/graphql'] as const

const anyObject = unsafe<object>({ type: 'object' })
const query = withExamples(text, '{ machines { name machineRef } }')

/** An operation of GraphQL. */
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

/** Operations that an array may have. */
export const mostOperations = 100

/** Body of a GraphQL request: an operation, or an array of operations. */
export const graphqlBody = named(
  'GraphqlBody',
  withExamples(
    unsafe<unknown>({ anyOf: [graphqlInput, list(graphqlInput, { minItems: 1, maxItems: mostOperations })] }),
    {
      query: '{ machines { name machineRef } }',
    },
  ),
)

/** Query of a GraphQL request; `variables` is JSON. */
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

/** Result of an operation. */
export const graphqlAnswer = named(
  'GraphqlAnswer',
  object({ data: nullable(anyObject), errors: list(error) }, ['data', 'errors']),
)

/** Response to `graphqlBody`: a result, or the results of an array in its order. */
export const graphqlResults = named('GraphqlResults', unsafe<unknown>({ anyOf: [graphqlAnswer, list(graphqlAnswer)] }))
