import {
  graphqlResponse,
  graphqlBody,
  graphqlPaths,
  graphqlQuery,
  graphqlResults,
} from '../../schema/requests/graphql.ts'
import { anyOf } from '../auth/scopes.ts'
import { graphqlHandlers, type GraphqlRouteDeps } from '../graphql/http/handlers.ts'
import { capitalized, type Method, type Route, route, uncheckedBody } from '../http/route.ts'

function serving(method: Method, path: (typeof graphqlPaths)[number]): Route<GraphqlRouteDeps> {
  return route(`${method} ${path}`, operationIdOf(method, path), {
    summary: 'Execute a GraphQL query; see docs/graphql.md',
    description:
      'POST also accepts an array of up to 100 operations and returns the array of their results. Errors are in the body, with `extensions.code`. An invalid token gets 200 with `invalid-jwt`, or 401 if the caller accepts ' +
      '`application/graphql-response+json`. Session cookies are not accepted. A browser without a query gets an ' +
      'editor, GraphiQL.',
    scope: anyOf('reporting'),
    ...(method === 'POST' ? { body: uncheckedBody(graphqlBody) } : { query: graphqlQuery }),
    output: method === 'POST' ? graphqlResults : graphqlResponse,
    otherStatuses: [400, 401, 403, 413, 415, 429, 500, 503],
    otherTypes: ['application/graphql-response+json', ...(method === 'GET' ? ['text/html'] : [])],
    serve: graphqlHandlers,
    handle: () => {
      throw new Error('invariant: GraphQL is served by its own handlers')
    },
  })
}

/** `queryGraphql` for `POST /graphql`, `queryProxyGraphqlByGet` for `GET /proxy/graphql`. */
function operationIdOf(method: Method, path: string): string {
  const names = path.split('/').map(capitalized)
  return `query${names.join('')}${method === 'GET' ? 'ByGet' : ''}`
}

/** `POST` and `GET` at each of the paths. */
export const graphqlRoutes = graphqlPaths.flatMap(path => [serving('POST', path), serving('GET', path)])
