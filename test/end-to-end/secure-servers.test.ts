import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import kafkajs from 'kafkajs'
import { startChild } from '../support/child-service.ts'
import { kafkaClient, startSecureBroker, type SecureBroker } from '../support/kafka.ts'
import { sharedClickhouse } from '../support/shared-clickhouse.ts'

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ConfigResourceTypes, ResourcePatternTypes } = kafkajs

/** A module that makes loading chDB fail. */
const withoutEngine = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(
    'export async function resolve(name, context, next) { if (name.startsWith("chdb")) throw new Error("chDB is not installed"); return next(name, context) }'))
`)}`

describe('Kafka with TLS and SASL, ClickHouse with TLS', function () {
  let broker: SecureBroker
  let folder: string
  let url: string
  let close: () => void
  let env: Readonly<Record<string, string>>

  before(async function () {
    const started = await startSecureBroker()
    if (!started) {
      this.skip()
      return
    }
    broker = started
    folder = mkdtempSync(join(tmpdir(), 'takt-secrets-'))
    const clickhouse = await sharedClickhouse()
    const { CLICKHOUSE_PASSWORD: password = '', ...settings } = clickhouse.env()
    const tls = { cert: readFileSync(broker.certFile), key: readFileSync(broker.keyFile) }
    const proxy = createServer(tls, (asked, answered) => {
      const { host, port } = clickhouse
      const { url: path = '/', method = 'GET', headers } = asked
      // The proxy does not support the ClickHouse headers by which the client authenticates over TLS.
      const { 'x-clickhouse-user': user, 'x-clickhouse-key': key, ...others } = headers
      const basic = Buffer.from(`${String(user)}:${String(key)}`).toString('base64')
      const onwardHeaders = { ...others, authorization: `Basic ${basic}` }
      const onward = request({ host, port, path, method, headers: onwardHeaders }, back => {
        answered.writeHead(back.statusCode ?? 500, back.headers)
        back.pipe(answered)
      })
      onward.on('error', () => answered.destroy())
      asked.pipe(onward)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a port's address
    url = `https://localhost:${(proxy.address() as AddressInfo).port}`
    close = () => proxy.close()
    const fileOf = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    env = {
      ...settings,
      CLICKHOUSE_URL: url,
      CLICKHOUSE_PASSWORD: '',
      CLICKHOUSE_PASSWORD_FILE: fileOf('clickhouse', `${password}\n`),
      CLICKHOUSE_TLS_CA_FILE: broker.caFile,
      KAFKA_BROKERS: broker.secure,
      KAFKA_TLS: '1',
      KAFKA_TLS_CA_FILE: broker.caFile,
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: 'takt',
      KAFKA_SASL_PASSWORD_FILE: fileOf('kafka', 'secret\n'),
      TAKT_PARTITIONS: '1',
    }
  })
  after(async () => {
    close?.()
    await broker?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  for (const KAFKA_SASL_MECHANISM of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])
    it(`The service connects with ${KAFKA_SASL_MECHANISM} and secrets from files, without the embedded engine`, async () => {
      const child = await startChild({ ...env, KAFKA_SASL_MECHANISM, NODE_OPTIONS: `--import ${withoutEngine}` })
      const id = randomUUID()
      expect((await child.call('PUT', `/machines/${id}`, { name: KAFKA_SASL_MECHANISM })).status).to.equal(200)
      const sample = { machineId: id, timestamp: new Date().toISOString(), key: 'execution', type: 'EXECUTION' }
      expect((await child.call('POST', '/ingest/samples', { ...sample, value: 'ACTIVE' })).status).to.equal(202)
      await child.settled()
      await child.stop()
    })
  const rejected = {
    KAFKA_BROKERS: { KAFKA_SASL_PASSWORD: 'wrong', KAFKA_SASL_PASSWORD_FILE: '' },
    CLICKHOUSE_URL: { CLICKHOUSE_PASSWORD: 'wrong', CLICKHOUSE_PASSWORD_FILE: '' },
  }
  for (const mechanism of ['PLAIN', 'SCRAM-SHA-512'])
    for (const [server, settings] of Object.entries(rejected))
      it(`A rejected password ends the start and is named (${server}, ${mechanism})`, async () => {
        const startedMs = performance.now()
        const start = startChild({ ...env, KAFKA_SASL_MECHANISM: mechanism, ...settings })
        const error: unknown = await start.then(child => child.kill()).catch((thrown: unknown) => thrown)
        expect(String(error))
          .to.match(new RegExp(`\\(${server}\\) rejected the user or the password: `))
          .and.match(/What to do: correct .*_PASSWORD/)
          .and.not.include('wrong')
        // A start takes a few seconds on a busy machine; a retry would wait for 30 s.
        expect(performance.now() - startedMs).to.be.below(25_000)
      })
  const { DESCRIBE, DESCRIBE_CONFIGS, READ, WRITE } = AclOperationTypes
  const rights = {
    'the right to change the topic': [DESCRIBE, READ, WRITE, DESCRIBE_CONFIGS],
    'the right to read its settings': [DESCRIBE, READ, WRITE],
  }
  for (const [missing, allowed] of Object.entries(rights))
    it(`The start ends with the command for an administrator if samples.v1 has CreateTime and Takt lacks ${missing}`, async () => {
      const admin = kafkaClient(broker.brokers).admin()
      await admin.connect()
      const resourceName = 'samples.v1'
      const rule = {
        resourceType: AclResourceTypes.TOPIC,
        resourceName,
        resourcePatternType: ResourcePatternTypes.LITERAL,
        principal: 'User:takt',
        host: '*',
        permissionType: AclPermissionTypes.ALLOW,
      }
      await admin.createAcls({ acl: allowed.map(operation => Object.assign({ operation }, rule)) })
      const configEntries = [{ name: 'message.timestamp.type', value: 'CreateTime' }]
      const resources = [{ type: ConfigResourceTypes.TOPIC, name: resourceName, configEntries }]
      await admin.alterConfigs({ validateOnly: false, resources })
      const started = startChild(env).then(child => child.kill())
      const error: unknown = await started.catch((thrown: unknown) => thrown)
      const { filterResponses } = await admin.deleteAcls({ filters: [{ ...rule, operation: AclOperationTypes.ANY }] })
      expect(filterResponses).to.have.lengthOf(1)
      await admin.disconnect()
      const command = `kafka-configs.sh --bootstrap-server ${broker.secure} --alter --entity-type topics --entity-name samples.v1 --add-config message.timestamp.type=LogAppendTime`
      expect(String(error))
        .to.include(command)
        .and.match(/What to do:/)
    })
})
