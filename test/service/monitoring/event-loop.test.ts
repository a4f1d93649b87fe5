import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { watchEventLoop } from '../../../service/monitoring/event-loop.ts'
import { beginWork } from '../../../shared/async/work-in-progress.ts'

describe('monitor of the event loop', () => {
  const thresholdMs = 2_000
  let metrics: Registry
  let lines: string[]
  let stop: () => void
  beforeEach(() => {
    metrics = new Registry()
    lines = []
    const logger = pino({ level: 'info' }, { write: line => void lines.push(line) })
    const monitor = watchEventLoop({ thresholdMs, metrics, logger })
    stop = () => monitor.stop()
  })
  afterEach(() => stop())
  /** Blocks the event loop for a time, as a long computation does. */
  const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

  it('A blocked event loop is counted and logged with the work in progress', async () => {
    const end = beginWork(() => 'POST /heavy')
    await sleep(60)
    block(thresholdMs + 500)
    end()
    await sleep(60)
    expect(await metrics.metrics()).to.match(/^takt_event_loop_holds_total\{work="POST \/heavy"\} 1$/m)
    expect(lines.join('')).to.include('Event loop was blocked').and.include('"POST /heavy"')
  })

  it('Work that ended just before the timer fired is named, and earlier work is not', async () => {
    beginWork(() => 'GET /early')()
    await sleep(100)
    beginWork(() => 'GET /late')()
    block(thresholdMs + 500)
    await sleep(60)
    const text = await metrics.metrics()
    expect(text).to.include('work="GET /late"')
    expect(text).not.to.include('work="GET /early"')
  })

  it('The memory of the process is reported, also with a second service in the process', async () => {
    const second = new Registry()
    watchEventLoop({ thresholdMs, metrics: second, logger: pino({ level: 'silent' }) }).stop()
    for (const registry of [metrics, second]) {
      const text = await registry.metrics()
      expect(text).to.match(/^nodejs_heap_size_used_bytes [1-9]/m)
      expect(text).to.match(/^process_resident_memory_bytes [1-9]/m)
      expect(text).to.match(/^nodejs_eventloop_lag_p99_seconds /m)
    }
  })
})
