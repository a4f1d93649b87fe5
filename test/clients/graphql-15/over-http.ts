import { InMemoryCache } from 'apollo-cache-inmemory'
import { ApolloClient } from 'apollo-client'
import { createHttpLink } from 'apollo-link-http'
import { parse } from 'graphql'

/** Queries with Apollo Client 2, as dashboards that were built on it do. */
export async function askByApollo2(
  uri: string,
  authorization: string,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const link = createHttpLink({ uri, headers: { authorization }, fetch })
  const client = new ApolloClient({ link, cache: new InMemoryCache() })
  const { data } = await client.query<unknown>({ query: parse(query), variables })
  return data
}
