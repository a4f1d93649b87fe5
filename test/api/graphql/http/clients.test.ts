import { ApolloClient, gql as apolloGql, HttpLink, InMemoryCache } from '@apollo/client'
import { codegen } from '@graphql-codegen/core'
import * as typescriptPlugin from '@graphql-codegen/typescript'
import * as operationsPlugin from '@graphql-codegen/typescript-operations'
import { cacheExchange, Client as UrqlClient, fetchExchange } from '@urql/core'
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionOptions, parse, printSchema } from 'graphql'
import { serverAudits } from 'graphql-http'
import { gql, GraphQLClient } from 'graphql-request'
import { sharedSchema } from '../../../../api/graphql/schema/schema.ts'
import { askByApollo2 } from '../../../clients/graphql-15/over-http.ts'
import { runPython } from '../../../support/python.ts'
import { startService, testKey, type TestService } from '../../../support/service.ts'

const text = `query Machines($where: MachineTP_bool_exp) {
  machines(where: $where, order_by: {name: asc}) { machineId machineRef name make model decommissionedAt __typename }
}`
const headers = { authorization: `Bearer ${testKey}` }

describe('GraphQL clients', function () {
  let service: TestService
  let url: string
  let machines: unknown
  const variables = { where: { decommissionedAt: { _is_null: true } } }

  before(async () => {
    service = await startService()
    url = `${service.url}/graphql`
    const ids = { Mill: randomUUID(), Lathe: randomUUID() }
    for (const [name, id] of Object.entries(ids)) await service.call('PUT', `/machines/${id}`, { name })
    await service.settled()
    const { body } = await service.call('GET', '/machines')
    const listed: { id: string; name: string; machineRef: number }[] = JSON.parse(JSON.stringify(body))
    machines = listed
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ id, name, machineRef }) => ({
        machineId: id,
        machineRef,
        name,
        make: null,
        model: null,
        decommissionedAt: null,
        __typename: 'MachineTP',
      }))
  })
  after(() => service?.stop())

  it('Apollo Client 4 works with its cache', async () => {
    const client = new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri: url, headers }) })
    const { data } = await client.query({ query: apolloGql(text), variables })
    expect(data).to.deep.equal({ machines })
    client.stop()
  })

  it('Apollo Client 2 works and finds the code of an error in the response', async () => {
    const { authorization } = headers
    expect(await askByApollo2(url, authorization, text, variables)).to.deep.equal({ machines })
    const company = { Company: [{ name: 'My plant', __typename: 'Company' }] }
    expect(await askByApollo2(url, authorization, '{ Company { name __typename } }')).to.deep.equal(company)
    const refused = await askByApollo2(url, 'Bearer wrong', '{ Company { name } }').catch((error: unknown) => error)
    expect(refused).to.have.nested.property('graphQLErrors[0].extensions.code', 'invalid-jwt')
  })

  it('urql works by GET and POST', async () => {
    for (const preferGetMethod of [false, 'force'] as const) {
      const client = new UrqlClient({
        url,
        exchanges: [cacheExchange, fetchExchange],
        fetchOptions: { headers },
        preferGetMethod,
      })
      const { data, error } = await client.query(text, variables).toPromise()
      expect(error).to.equal(undefined)
      expect(data).to.deep.equal({ machines })
    }
  })

  it('graphql-request works and throws errors with their code', async () => {
    const client = new GraphQLClient(url, { headers })
    expect(
      await client.request(
        gql`
          ${text}
        `,
        variables,
      ),
    ).to.deep.equal({ machines })
    const refused = await new GraphQLClient(url, { headers: { authorization: 'Bearer wrong' } })
      .request('{ Company { name } }')
      .catch((error: unknown) => error)
    expect(refused).to.have.nested.property('response.errors[0].extensions.code', 'invalid-jwt')
  })

  it('Python gql works and validates its query by introspection', async function () {
    const script = `
import json, sys
from gql import Client, gql
from gql.transport.requests import RequestsHTTPTransport
transport = RequestsHTTPTransport(url=sys.argv[1], headers={'Authorization': 'Bearer ' + sys.argv[2]})
client = Client(transport=transport, fetch_schema_from_transport=True)
query = gql(sys.argv[3])
query.variable_values = json.loads(sys.argv[4])
print(json.dumps(client.execute(query)))`
    const said = await runPython(this, ['gql[requests]==4.0.0'], script, [
      url,
      testKey,
      text,
      JSON.stringify(variables),
    ])
    expect(JSON.parse(said)).to.deep.equal({ machines })
  })

  it('Type generators work by introspection', async () => {
    const { data } = await post({ query: getIntrospectionQuery() })
    const schema = buildClientSchema(JSON.parse(JSON.stringify(data)))
    expect(printSchema(schema)).to.equal(printSchema(sharedSchema()))
    const types = await codegen({
      filename: 'types.ts',
      schema: parse(printSchema(schema)),
      documents: [{ location: 'machines.graphql', document: parse(text) }],
      config: {},
      plugins: [{ typescript: {} }, { operations: {} }],
      pluginMap: { typescript: typescriptPlugin, operations: operationsPlugin },
    })
    expect(types).to.include('export type MachinesQuery = ')
    expect(types).to.match(/machineRef: number/)
  })

  it('The introspection queries of graphql 14, 15 and 16 work', async () => {
    const options: readonly IntrospectionOptions[] = [
      { descriptions: true },
      { descriptions: true, schemaDescription: true, directiveIsRepeatable: true, specifiedByUrl: true },
      {
        descriptions: true,
        schemaDescription: true,
        directiveIsRepeatable: true,
        specifiedByUrl: true,
        inputValueDeprecation: true,
        oneOf: true,
      },
    ]
    for (const each of options) {
      const { data, errors } = await post({ query: getIntrospectionQuery(each), operationName: 'IntrospectionQuery' })
      expect(errors).to.equal(undefined)
      expect(buildClientSchema(JSON.parse(JSON.stringify(data))).getType('MachineTP')).to.not.equal(undefined)
    }
  })

  it('A body that contains only a query works with the headers of spreadsheets, scripts and curl', async () => {
    const query = '{ machines(order_by: {name: asc}) { name } }'
    const names = { data: { machines: [{ name: 'Lathe' }, { name: 'Mill' }] } }
    const bodies = [{ query }, { query, variables: null }, { query, operationName: null, variables: {} }]
    const types = ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8']
    for (const body of bodies)
      for (const type of types) expect(await post(body, { 'content-type': type })).to.deep.equal(names)
    const accepts = ['*/*', 'application/json, text/plain, */*', 'text/html, application/xhtml+xml, */*']
    for (const accept of accepts) expect(await post({ query }, { accept })).to.deep.equal(names)
  })

  describe('audits of GraphQL over HTTP', () => {
    const audits = serverAudits({
      url: () => url,
      fetchFn: (to: string, init: RequestInit = {}) =>
        fetch(to, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } }),
    })
    for (const audit of audits.filter(({ name }) => !name.startsWith('MAY')))
      it(`The server ${audit.name}`, async () => {
        const result = await audit.fn()
        expect(result.status, 'reason' in result ? result.reason : '').to.equal('ok')
      })
  })

  async function post(body: object, more: Readonly<Record<string, string>> = {}) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...more },
      body: JSON.stringify(body),
    })
    const answer: { readonly data?: unknown; readonly errors?: unknown } = JSON.parse(await response.text())
    return answer
  }
})
