/**
 * Preloaded into a service under test (`node --import`): writes each blocked time of the event loop to the file HOLD_METER_FILE, as a line
 * of JSON. Measured in CPU time of the main thread, so that a busy computer does not distort it; the time of the garbage collector
 * is a separate field. Linux only.
 */
import { appendFileSync, openSync, readSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'

const file = process.env['HOLD_METER_FILE']
const tickMs = 5
const leastMs = 20

/** Delay until the garbage collector has reported its time after a blocked time. */
const tellAfterMs = 100

if (file) {
  let collected = []
  const observer = new PerformanceObserver(list => {
    const nowMs = performance.now()
    collected = [...collected.filter(({ startTime }) => startTime > nowMs - 60_000), ...list.getEntries()]
  })
  observer.observe({ entryTypes: ['gc'] })
  const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const bytes = Buffer.alloc(64)
  const cpuMs = () => Number(bytes.toString('latin1', 0, readSync(schedstat, bytes, 0, 64, 0)).split(' ')[0]) / 1e6
  const write = (hold, { fromMs, toMs }) => {
    const ofHold = collected.filter(({ startTime }) => startTime >= fromMs && startTime < toMs)
    // Its time is wall-clock time: on a busy computer it exceeds the CPU time.
    const gcMs = ofHold.reduce((sum, { duration }) => sum + duration, 0) * Math.min(1, hold.cpuMs / hold.wallMs)
    appendFileSync(file, `${JSON.stringify({ ...hold, gcMs })}\n`)
  }
  let last = { cpuMs: cpuMs(), atMs: performance.now() }
  setInterval(() => {
    const now = { cpuMs: cpuMs(), atMs: performance.now() }
    const [usedMs, wallMs] = [now.cpuMs - last.cpuMs, now.atMs - last.atMs]
    if (usedMs > leastMs) {
      const hold = { endUs: Number(process.hrtime.bigint() / 1000n), wallMs, cpuMs: usedMs }
      setTimeout(write, tellAfterMs, hold, { fromMs: last.atMs, toMs: now.atMs }).unref()
    }
    last = now
  }, tickMs).unref()
}
