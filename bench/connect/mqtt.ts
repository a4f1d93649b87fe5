/**
 * CPU time of messages of an MQTT broker: of a value of a mapped topic, from the payload to its sample; and of a sample in a
 * message that is a body of samples, from the socket to the acceptor, in relation to the same bodies by HTTP. A broker in
 * another process is needed: `node --import tsx bench/connect/mqtt.ts [MESSAGES]`
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageStream } from '../../connect/mqtt/message-stream.ts'
import { BrokerClient } from '../../connect/mqtt/broker-client.ts'
import { hashOf } from '../../connect/mqtt/unconfirmed.ts'
import { allowedLookup } from '../../connect/run/allowed-lookup.ts'
import { createAcceptor } from '../../ingest/accept/acceptor.ts'
import {
  type ConnectorRecord,
  defaultConnectorMachine,
  defaultConnectorOptions,
} from '../../schema/records/connector.ts'
import { asCompanyRef, asMachineRef } from '../../schema/refs.ts'
import { freePort } from '../../test/support/free-ports.ts'
import { median } from '../support/median.ts'
import { cpuUs } from '../support/usage.ts'

const messages = Number(process.argv[2] ?? 2_000)
const samplesPerBody = 100
const rounds = 5
const machineId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const companyRef = asCompanyRef(1)

const acceptor = createAcceptor({
  log: { append: async () => [], partitionCount: async () => 1 },
  machines: {
    find: id => ({
      id,
      ref: asMachineRef(1),
      companyRef,
      maxSampleAgeDays: 36_500,
      namedKeys: new Set<string>(),
      counter: null,
    }),
  },
})
const bodies = Array.from({ length: messages }, (_, i) =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: samplesPerBody }, (_sample, n) => ({
        machineId,
        timestamp: new Date(1_795_420_800_000 + i * samplesPerBody + n).toISOString(),
        key: `speed${n % 10}`,
        type: 'ROTARY_VELOCITY',
        value: n,
      })),
    ),
  ),
)

mappedTopics()
await ownBatches()

function mappedTopics(): void {
  const connector: ConnectorRecord = {
    id: 'plant',
    companyId: 'company',
    name: 'Plant',
    kind: 'mqtt',
    address: null,
    enabled: true,
    sourceId: 'plant',
    machines: [{ ...defaultConnectorMachine, source: 'plant/{machine}', machineId: { mill: machineId } }],
    rules: Array.from({ length: 10 }, (_, n) => ({
      from: `plant/{machine}/v${n}`,
      value: '$.status.value',
      time: '$.ts',
      key: `v${n}`,
      type: 'ROTARY_VELOCITY',
      category: 'SAMPLE' as const,
      scale: 0.1,
    })),
    options: defaultConnectorOptions,
    secrets: {},
  }
  const count = messages * 50
  const times: number[] = []
  const references: number[] = []
  for (let round = 0; round < rounds; round++) {
    const payloads = Array.from({ length: count }, (_, i) =>
      Buffer.from(JSON.stringify({ status: { value: i % 1_000 }, ts: 1_795_420_800_000 + i })),
    )
    const stream = new MessageStream(connector, [])
    times.push(
      cpuUs(() => {
        for (const [i, payload] of payloads.entries()) {
          const topic = `plant/mill/v${i % 10}`
          hashOf(i & 0xffff, topic, payload)
          const receivedUs = (1_795_420_800_000 + i) * 1_000
          stream.apply({ topic, payload, receivedUs, isRetained: false, isQos0: false })
        }
      }) / count,
    )
    references.push(cpuUs(() => payloads.forEach(payload => void JSON.parse(payload.toString()))) / count)
  }
  console.log(
    `Mapped topic: ${median(times).toFixed(1)} µs per value, JSON.parse of the payload ${median(references).toFixed(1)} µs`,
  )
}

async function ownBatches(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'takt-bench-mqtt-'))
  const port = await freePort()
  writeFileSync(
    join(folder, 'mosquitto.conf'),
    `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nlog_dest none\n`,
  )
  const broker = spawn('/usr/sbin/mosquitto', ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' })
  try {
    await listening(port)
    const [mqtt, http]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      mqtt.push(await receiveByMqtt(port))
      http.push(await receiveByHttp())
    }
    const [perMqtt, perHttp] = [median(mqtt), median(http)]
    const ratio = (perMqtt / perHttp).toFixed(2)
    console.log(
      `Bodies of ${samplesPerBody} samples: MQTT ${perMqtt.toFixed(2)} µs per sample, HTTP ${perHttp.toFixed(2)} µs, ratio ${ratio}`,
    )
  } finally {
    broker.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the CPU time of this process for each sample, µs. */
async function receiveByMqtt(port: number): Promise<number> {
  let received = 0
  const { promise: all, resolve } = withResolve()
  const ready = withResolve()
  const client = await BrokerClient.open(
    {
      address: `mqtt://127.0.0.1:${port}`,
      user: null,
      secrets: {},
      lookup: allowedLookup(() => true),
      version: 5,
      clientId: 'takt-bench',
      isTemporary: true,
      keepAliveMs: 60_000,
    },
    {
      onConnected: () => ready.resolve(),
      onMessage: async packet => {
        const payload = Buffer.from(packet.payload)
        hashOf(packet.messageId ?? 0, packet.topic, payload)
        await acceptor.accept({ companyRef, body: payload, storesRejected: true })
        client.acknowledge(packet)
        if (++received === messages) resolve()
      },
      onPingSent: () => undefined,
      onPingAnswered: () => undefined,
    },
  )
  await ready.promise
  await client.subscribe(['takt/samples'], [])
  const perSample = await cpuOf(sender(['mqtt', String(port)]), all)
  client.close()
  return perSample
}

async function receiveByHttp(): Promise<number> {
  let received = 0
  const { promise: all, resolve } = withResolve()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      acceptor
        .accept({ companyRef, body: Buffer.concat(chunks), storesRejected: true })
        .then(accepted => {
          response.writeHead(202, { 'Content-Type': 'application/json' }).end(JSON.stringify(accepted))
          if (++received === messages) resolve()
        })
        .catch((error: unknown) => request.destroy(error instanceof Error ? error : new Error(String(error))))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has a port
  const { port } = server.address() as AddressInfo
  const perSample = await cpuOf(sender(['http', String(port)]), all)
  server.closeAllConnections()
  server.close()
  return perSample
}

/** A process that sends the bodies. */
function sender(args: readonly string[]): ChildProcess {
  const path = join(import.meta.dirname, 'mqtt-sender.mjs')
  return spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'ignore', 'inherit'] })
}

/** Passes the bodies to a sender, then measures until all are received. */
async function cpuOf(child: ChildProcess, received: Promise<void>): Promise<number> {
  child.stdin?.end(bodies.map(body => `${body.toString()}\n`).join(''))
  await once(child.stdin ?? child, 'finish')
  const start = process.cpuUsage()
  await received
  const { user, system } = process.cpuUsage(start)
  child.kill()
  return (user + system) / messages / samplesPerBody
}

function withResolve(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>(done => (resolve = done))
  return { promise, resolve: () => resolve() }
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      await new Promise(resolve => setTimeout(resolve, 20))
    } finally {
      socket.destroy()
    }
  }
}
