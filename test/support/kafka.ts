import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kafka, logLevel } from 'kafkajs'
import { atFileEnd } from './file-end.ts'
import { makeCertificate } from './certificate.ts'
import { freePorts } from './free-ports.ts'
import { classArchive, fetchJars, formatFolder, javaOptions } from './kafka-cache.ts'
import { noteSkipped } from './skipped.ts'

/** A real broker for tests. `kill` and `restart` exist only for a broker that this process started. */
export interface Broker {
  readonly brokers: string[]
  readonly kill?: () => Promise<void>
  /** After `kill`: the same broker on the same data and ports. */
  readonly restart?: () => Promise<void>
  /** Folder of its partitions, of a broker that we started. */
  readonly dataDir?: string
  stop(): Promise<void>
}

let shared: Promise<Broker | null> | undefined

/**
 * The broker that the tests of a file share: the one in KAFKA_BROKERS, otherwise an Apache Kafka on loopback, started with
 * Java and Maven. It stops at the end of the file, because an idle broker takes 2% of a core. Returns null and prints the
 * reason if it cannot start; with CI=true it throws instead.
 */
export function sharedBroker(): Promise<Broker | null> {
  shared ??= startBroker().then(broker => {
    if (broker) atFileEnd(() => stopShared(broker))
    return broker
  })
  return shared
}

async function stopShared(broker: Broker): Promise<void> {
  shared = undefined
  await broker.stop()
}

/** A client of kafkajs with time limits for a busy machine; its default limit of a connection is 1 s. */
export function kafkaClient(brokers: readonly string[]): Kafka {
  const limits = { connectionTimeout: 30_000, requestTimeout: 120_000 }
  return new Kafka({ brokers: [...brokers], clientId: 'plant', logLevel: logLevel.NOTHING, ...limits })
}

/** Ids of the consumer groups that the broker stores, sorted. */
export async function groupIds({ brokers }: Broker): Promise<readonly string[]> {
  const admin = kafkaClient(brokers).admin()
  await admin.connect()
  try {
    const { groups } = await admin.listGroups()
    return groups.map(({ groupId }) => groupId).toSorted()
  } finally {
    await admin.disconnect()
  }
}

/** A broker of which a folder stores the files. */
export interface BrokerOfFolder {
  readonly brokers: readonly string[]
  /** Ends the broker as an operator does, so that its files are complete. */
  shutDown(): Promise<void>
  kill(): Promise<void>
}

/** Starts a broker on the files of a folder; of an empty folder, a new one. Null as with `startBroker`. */
export async function startBrokerOf(folder: string): Promise<BrokerOfFolder | null> {
  try {
    const { brokers, end } = await launch(fetchJars(), { folder })
    return { brokers, shutDown: async () => void (await end('SIGTERM')), kill: async () => void (await end('SIGKILL')) }
  } catch (error) {
    return noteMissing(error)
  }
}

/** A separate broker to be killed and restarted; with KAFKA_BROKERS it is that one, without `kill` and `restart`. */
async function startBroker(): Promise<Broker | null> {
  const named = process.env['KAFKA_BROKERS']
  if (named !== undefined && named !== '') return { brokers: named.split(','), stop: async () => {} }
  try {
    return await launch(fetchJars())
  } catch (error) {
    return noteMissing(error)
  }
}

function noteMissing(error: unknown): null {
  if (process.env['CI'] === 'true') throw error
  const reason = error instanceof Error ? error.message : String(error)
  noteSkipped('tests on Kafka', `install Java 17 or newer and Maven, or name brokers in KAFKA_BROKERS (${reason})`)
  return null
}

/** A listener with TLS and SASL next to the open one, for the user `takt` with the password `secret`. */
export interface SecureBroker extends Broker {
  /** `host:port` of that listener. */
  readonly secure: string
  /** PEM files: of the authority that signed the listener's certificate, and of the certificate with its key. */
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/** A separate broker with a SASL_SSL listener; null as with `startBroker`. */
export async function startSecureBroker(): Promise<SecureBroker | null> {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'takt-tls-'))
    const files = makeCertificate(folder)
    const [port = 0] = await freePorts(1)
    const broker = await launch(fetchJars(), { more: secureListener(port, files.storeFile) })
    return { ...broker, ...files, secure: `localhost:${port}` }
  } catch (error) {
    if (process.env['CI'] === 'true') throw error
    noteSkipped('tests on Kafka with TLS', `install Java 17 or newer, Maven and openssl (${String(error)})`)
    return null
  }
}

interface Listener {
  readonly listener: string
  readonly properties: readonly string[]
  readonly formatArgs: readonly string[]
}

function secureListener(port: number, storeFile: string): Listener {
  const login = (mechanism: string, module: string, users = '') =>
    `listener.name.sasl_ssl.${mechanism}.sasl.jaas.config=org.apache.kafka.common.security.${module} required${users};`
  return {
    listener: `SASL_SSL://localhost:${port}`,
    properties: [
      'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL',
      'inter.broker.listener.name=PLAINTEXT',
      // Clients of the open listener have all rights; the user `takt` is limited on a topic with an access rule.
      'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users=User:ANONYMOUS',
      'allow.everyone.if.no.acl.found=true',
      'ssl.keystore.type=PEM',
      `ssl.keystore.location=${storeFile}`,
      'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      login('plain', 'plain.PlainLoginModule', ' user_takt="secret"'),
      login('scram-sha-256', 'scram.ScramLoginModule'),
      login('scram-sha-512', 'scram.ScramLoginModule'),
    ],
    formatArgs: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap(mechanism => [
      '--add-scram',
      `${mechanism}=[name=takt,password=secret]`,
    ]),
  }
}

/** `folder`: the folder of its files, which stays; default: a new one, which is deleted at the end. */
async function launch(
  lib: string,
  { folder, more }: { readonly folder?: string; readonly more?: Listener } = {},
): Promise<Broker & { readonly end: (signal: NodeJS.Signals) => Promise<number | null> }> {
  const dir = folder ?? mkdtempSync(join(tmpdir(), 'takt-kafka-'))
  const dataDir = join(dir, 'data')
  const [port, controllerPort] = await freePorts(2)
  const config = join(dir, 'server.properties')
  writeFileSync(config, properties(dataDir, port ?? 0, controllerPort ?? 0, more))
  if (!existsSync(dataDir)) formatFolder(lib, config, dataDir, more?.formatArgs ?? [])
  const classes = classArchive(lib)

  let broker: ChildProcess | undefined
  const start = async (): Promise<void> => {
    broker = spawn('java', [...classes.options, ...javaOptions(lib), 'kafka.Kafka', config], { stdio: 'ignore' })
    broker.unref()
    await listening(port ?? 0, broker)
  }
  /** Resolves to the exit code; null: there is none. */
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const running = broker
    broker = undefined
    if (running === undefined || running.exitCode !== null) return null
    running.ref()
    const gone = new Promise<number | null>(resolve => running.once('exit', resolve))
    running.kill(signal)
    return gone
  }
  const clean = (): void => {
    broker?.kill('SIGKILL')
    if (folder === undefined) rmSync(dir, { recursive: true, force: true })
  }
  process.once('exit', clean)
  await start()
  return {
    brokers: [`127.0.0.1:${port}`],
    kill: async () => void (await end('SIGKILL')),
    restart: start,
    dataDir,
    end,
    stop: async () => {
      classes.keep(await end(classes.isWritten ? 'SIGTERM' : 'SIGKILL'))
      process.removeListener('exit', clean)
      clean()
    },
  }
}

function properties(dataDir: string, port: number, controllerPort: number, more?: Listener): string {
  const added = more ? `,${more.listener}` : ''
  return [
    ...(more?.properties ?? []),
    'process.roles=broker,controller',
    'node.id=1',
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}${added}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${port}${added}`,
    'controller.listener.names=CONTROLLER',
    // Static, so that the formatted folder does not contain the port.
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `log.dirs=${dataDir}`,
    'auto.create.topics.enable=false',
    'default.replication.factor=1',
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=4',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'transaction.state.log.num.partitions=4',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=500',
    // The restart after a kill must not wait for the session of the killed broker.
    'broker.session.timeout.ms=2000',
    'broker.heartbeat.interval.ms=500',
    '',
  ].join('\n')
}

/** Resolves when the port accepts connections, rejects if the process ends before. */
async function listening(port: number, broker: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await canConnect(port))) {
    if (broker.exitCode !== null || broker.signalCode !== null)
      throw new Error('The broker ended while it was starting')
    if (Date.now() > deadline) throw new Error('The broker did not come up within a minute')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    const answer = (connected: boolean): void => {
      socket.destroy()
      resolve(connected)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}
