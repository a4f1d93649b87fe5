import { createRequire } from 'node:module'
import type * as cache from 'apollo-cache-inmemory'
import type * as apollo from 'apollo-client'
import type * as link from 'apollo-link-ws'
import { expect } from 'chai'
import type * as graphql from 'graphql'
import type * as transport from 'subscriptions-transport-ws'
import { WebSocket } from 'ws'
import { startService, type TestService, testKey } from '../../support/service.ts'

// These packages are CommonJS; only `require` finds their names.
const require = createRequire(import.meta.url)
const { InMemoryCache }: typeof cache = require('apollo-cache-inmemory')
const { ApolloClient }: typeof apollo = require('apollo-client')
const { WebSocketLink }: typeof link = require('apollo-link-ws')
const { parse }: typeof graphql = require('graphql')
const { SubscriptionClient }: typeof transport = require('subscriptions-transport-ws')

describe('Apollo Client 2', function () {
  let service: TestService
  before(async () => {
    service = await startService()
    await service.call('PUT', '/machines/6f9619ff-8b86-4011-b42d-00c04fc964ff', { name: 'Mill' })
  })
  after(() => service.stop())

  it('Apollo Client 2 queries and subscribes over subscriptions-transport-ws', async () => {
    const connectionParams = { headers: { Authorization: `Bearer ${testKey}` } }
    const url = `${service.url.replace('http', 'ws')}/graphql`
    const socket = new SubscriptionClient(url, { connectionParams, reconnect: true }, WebSocket)
    const client = new ApolloClient({ link: new WebSocketLink(socket), cache: new InMemoryCache() })

    const { data: company } = await client.query<unknown>({ query: parse('{ Company { name __typename } }') })
    expect(company).to.deep.equal({ Company: [{ name: 'My plant', __typename: 'Company' }] })

    const results: unknown[] = []
    const query = parse('subscription { Machine { name machineRef __typename } }')
    await new Promise<void>((resolve, reject) => {
      client.subscribe<unknown>({ query }).subscribe({
        next({ data }) {
          results.push(data)
          if (results.length === 1)
            service
              .call('PUT', '/machines/6f9619ff-8b86-4011-b42d-00c04fc964ff', { name: 'Lathe' })
              .catch((error: unknown) => reject(new Error('The machine was not renamed', { cause: error })))
          else resolve()
        },
        error: reject,
      })
    })
    const machine = (name: string) => ({ Machine: [{ name, machineRef: 1, __typename: 'MachineTP' }] })
    expect(results).to.deep.equal([machine('Mill'), machine('Lathe')])
    socket.close()
  })
})
