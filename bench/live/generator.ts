/** Sends so many changes a second for so long, each to a machine in turn. Started by `run.ts`. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineCount, metricsOfMachine, sampleOf } from './plant.ts'

const [port = 0, perSecond = 0, seconds = 0] = process.argv.slice(2).map(Number)
const socket = connect(port, '127.0.0.1')
const startedMs = performance.now()
const everyMs = 5
let sent = 0

/** As many as are due by now. */
function sendDue(): void {
  const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond)
  while (sent < due) {
    const atUs = Date.now() * 1000
    const samples = Array.from({ length: Math.min(500, due - sent) }, () => {
      const machine = ((sent * 7919) % machineCount) + 1
      return sampleOf(machine, Math.floor(sent / machineCount) % metricsOfMachine, atUs, String(++sent))
    })
    socket.write(`${JSON.stringify({ kind: 'values', samples })}\n`)
  }
}

while (performance.now() - startedMs < seconds * 1000) {
  sendDue()
  await sleep(everyMs)
}
process.send?.({ sent })
socket.end()
