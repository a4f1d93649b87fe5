/** The live channels in a separate process, which receives changes over a socket in place of the live topic. Started by `run.ts`. */
import { createServer as createHttp } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { pino } from 'pino'
import { accessByRecords } from '../../api/auth/access.ts'
import { defaultSessionRules } from '../../api/auth/session.ts'
import { createThrottle, guessWindowMs } from '../../api/auth/throttle.ts'
import { Live } from '../../api/live/sessions/live.ts'
import { createTokenCheck } from '../../api/live/sessions/token-check.ts'
import { openLiveServer } from '../../api/live/transport/open.ts'
import { parseLiveMessage } from '../../service/live/message.ts'
import { TimeSlice } from '../../shared/async/time-slice.ts'
import { machineCount, metricsOfMachine, plantRecords, sampleOf } from './plant.ts'
import { asMachineRef } from '../../schema/refs.ts'

const records = plantRecords()
const guesses = createThrottle({ limit: 600, windowMs: guessWindowMs })
const auth = {
  access: accessByRecords(records),
  oauth: null,
  guesses,
  records,
  sessionRules: defaultSessionRules,
  clock: Date.now,
}
const live = new Live({
  records,
  checkToken: createTokenCheck(auth),
  history: { samples: async () => [], documented: async () => ({ spans: [], parts: [] }), caughtUp: async () => true },
  requestFlush: () => undefined,
  connectorHealth: { get: () => null },
  connectorSecrets: null,
  clock: Date.now,
  logger: pino({ level: 'warn' }, pino.destination(2)),
  settings: {
    buffer: { bytes: 2_097_152, blockedMs: 30_000 },
    commandsPerSecond: 20,
    timeline: { days: 31, samples: 100_000 },
    admission: { connections: 100_000, guestsOfAddress: 100_000, joinWithinMs: 30_000 },
    waitingBytes: 33_554_432,
    valuesBytes: 1e12,
    timelines: 10_000,
  },
})
for (let machineRef = 1; machineRef <= machineCount; machineRef++)
  for (let metric = 0; metric < metricsOfMachine; metric++)
    live.publishValues([sampleOf(asMachineRef(machineRef), metric, 0, '0')])

const engine = process.argv[2] === 'ws' ? 'ws' : 'uws'
const carrier = await openLiveServer(live, {
  engine,
  host: '127.0.0.1',
  port: 0,
  corsOrigins: '*',
  trustedProxies: ['loopback'],
})
const http = createHttp((_request, response) => response.end())
http.on('upgrade', (request, socket, head) => carrier.upgrade(request, socket, head))
const intake = createServer(socket => {
  follow(socket).catch(() => undefined)
})
const [main, changes] = await Promise.all([listen(http), listen(intake)])
process.on('message', () =>
  process.send?.({ cpu: process.cpuUsage(), rss: rss(), connections: live.sessions.open.size }),
)
process.send?.({ main, changes, own: carrier.port ?? main, source: carrier.source })

/** As `followLive` reads the live topic: for a time slice, then it yields to the event loop. */
async function follow(socket: Socket): Promise<void> {
  const slice = new TimeSlice()
  let rest = ''
  socket.setEncoding('utf8')
  for await (const chunk of socket) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      live.publishValues(parseLiveMessage(Buffer.from(line), 'values')?.samples ?? [])
      if (slice.isOver) await slice.next()
    }
  }
}

function rss(): number {
  global.gc?.()
  return process.memoryUsage().rss
}

function listen(server: Server): Promise<number> {
  return new Promise(resolve => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
      resolve((server.address() as AddressInfo).port)
    })
  })
}
