/**
 * Preloaded into a service under test (`node --import`): writes each hold of the event loop to the file TAKT_TEST_HOLDS, as a line
 * of JSON. Measured in the CPU time of the main thread, so that a busy computer does not blur it; the time of the garbage collector
 * stands beside it. Linux alone.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'

const file = process.env['TAKT_TEST_HOLDS']
const tickMs = 5
const leastMs = 20

if (file) {
  const observer = new PerformanceObserver(() => undefined)
  observer.observe({ entryTypes: ['gc'] })
  const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const bytes = Buffer.alloc(64)
  const cpuMs = () => Number(bytes.toString('latin1', 0, readSync(schedstat, bytes, 0, 64, 0)).split(' ')[0]) / 1e6
  let last = { cpuMs: cpuMs(), atMs: performance.now() }
  setInterval(() => {
    const now = { cpuMs: cpuMs(), atMs: performance.now() }
    const usedMs = now.cpuMs - last.cpuMs
    const gcMs = observer.takeRecords().reduce((sum, { duration }) => sum + duration, 0)
    if (usedMs > leastMs) {
      const endUs = Number(process.hrtime.bigint() / 1000n)
      const wallMs = now.atMs - last.atMs
      appendFileSync(file, `${JSON.stringify({ endUs, wallMs, cpuMs: usedMs, gcMs })}\n`)
    }
    last = now
  }, tickMs).unref()
}
