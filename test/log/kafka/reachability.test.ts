import { expect } from 'chai'
import { spawn, spawnSync } from 'node:child_process'
import { connect, createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { LogUnavailable } from '../../../log/log.ts'
import { Reachability, type BrokerAddress } from '../../../log/kafka/reachability.ts'
import { freePorts } from '../../support/free-ports.ts'
import { noteSkipped } from '../../support/skipped.ts'
import { eventually } from '../fixture.ts'

describe('calls while no Kafka broker is reachable', function () {
  const host = '127.0.0.1'
  let server: Server | null = null
  let port: number
  let reachability: Reachability
  const listen = async (): Promise<void> => {
    server = createServer().listen(port, host)
    await once(server, 'listening')
  }
  const guard = (addresses: readonly BrokerAddress[]): Reachability =>
    (reachability = new Reachability(() => addresses))
  const never = () => new Promise<string>(() => undefined)
  beforeEach(async () => {
    ;[port = 0] = await freePorts(1)
  })
  afterEach(() => {
    server?.close()
    reachability.close()
  })

  it('Calls fail within 5 s without a broker, immediately once this is known, and succeed when a broker is back', async () => {
    const guarded = guard([{ host, port }])
    const startedMs = performance.now()
    expect(await guarded.guard(never).catch((error: unknown) => error)).to.be.instanceOf(LogUnavailable)
    expect(performance.now() - startedMs).to.be.within(200, 5_000)
    let calls = 0
    const call = async () => ++calls
    expect(await guarded.guard(call).catch((error: unknown) => error)).to.be.instanceOf(LogUnavailable)
    expect(calls).to.equal(0)
    await listen()
    await eventually(() =>
      guarded.guard(call).then(
        () => true,
        () => false,
      ),
    )
    expect(calls).to.equal(1)
  })

  it('Calls fail within 5 s if the brokers neither accept nor reject connections', async function () {
    if (process.platform !== 'linux' || spawnSync('python3', ['--version']).status !== 0) {
      noteSkipped('the test of a silent Kafka broker', 'run it on Linux with Python')
      this.skip()
    }
    // Linux drops connections beyond the two that a socket with this backlog accepts.
    const script = `import socket, time; s = socket.socket(); s.bind(('${host}', ${port})); s.listen(0); print(1, flush=True); time.sleep(60)`
    const silent = spawn('python3', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(silent.stdout, 'data')
    const waiting = [0, 1, 2].map(() => connect({ host, port }).on('error', () => undefined))
    await sleep(200)
    const startedMs = performance.now()
    const error: unknown = await guard([{ host, port }])
      .guard(never)
      .catch((thrown: unknown) => thrown)
    for (const socket of waiting) socket.destroy()
    silent.kill()
    expect(error).to.be.instanceOf(LogUnavailable)
    expect(performance.now() - startedMs).to.be.within(1_000, 5_000)
  })

  it('Calls wait if one of several brokers is reachable', async () => {
    await listen()
    const [free = 0] = await freePorts(1)
    const guarded = guard([
      { host, port: free },
      { host, port },
    ])
    const slow = () => sleep(2_500, 'done')
    expect(await guarded.guard(slow)).to.equal('done')
  })
})
