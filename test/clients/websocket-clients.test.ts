import { ApolloClient, gql, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { Client, subscriptionExchange } from '@urql/core'
import { expect } from 'chai'
import { createClient, type Client as SocketClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { startService, type TestService, testKey } from '../support/service.ts'

const machineId = '6f9619ff-8b86-4011-b42d-00c04fc964ff'

describe('GraphQL clients over WebSocket', function () {
  let service: TestService
  let socket: SocketClient
  const rename = async (name: string) => {
    expect((await service.call('PUT', `/machines/${machineId}`, { name })).status).to.equal(200)
  }
  const machine = (name: string) => ({ Machine: [{ name, machineRef: 1, __typename: 'MachineTP' }] })
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())
  beforeEach(async () => {
    await rename('Mill')
    socket = createClient({
      url: `${service.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${testKey}` },
    })
  })
  afterEach(() => socket.dispose())

  /** Collects results, and renames the machine after the first. */
  const collect = async (follow: (next: (data: unknown) => void, fail: (error: unknown) => void) => () => void) => {
    const results: unknown[] = []
    let stop = () => {}
    await new Promise<void>((resolve, reject) => {
      stop = follow(data => {
        results.push(data)
        if (results.length === 1) rename('Lathe').catch(reject)
        else resolve()
      }, reject)
    })
    stop()
    return results
  }

  it('Apollo Client 4 queries and subscribes', async () => {
    const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() })
    const { data } = await client.query<unknown>({ query: gql('{ Company { name __typename } }') })
    expect(data).to.deep.equal({ Company: [{ name: 'My plant', __typename: 'Company' }] })
    const query = gql('subscription { Machine { name machineRef __typename } }')
    const results = await collect((next, error) => {
      const subscription = client.subscribe({ query }).subscribe({ next: result => next(result.data), error })
      return () => subscription.unsubscribe()
    })
    expect(results).to.deep.equal([machine('Mill'), machine('Lathe')])
  })

  it('urql subscribes and receives changes', async () => {
    const forward = subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: sink => ({
          unsubscribe: socket.subscribe(
            { query, variables: variables ?? {} },
            {
              next: ({ data }) => sink.next({ data: data ?? null }),
              error: error => sink.error(error),
              complete: () => sink.complete(),
            },
          ),
        }),
      }),
    })
    const client = new Client({ url: `${service.url}/graphql`, exchanges: [forward], preferGetMethod: false })
    const results = await collect((next, fail) => {
      const subscription = client
        .subscription('subscription { Machine { name machineRef __typename } }', {})
        .subscribe(({ data, error }) => (error ? fail(error) : next(data)))
      return () => subscription.unsubscribe()
    })
    expect(results).to.deep.equal([machine('Mill'), machine('Lathe')])
  })
})
