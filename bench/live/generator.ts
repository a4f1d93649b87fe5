/** Sends the given number of changes a second for a given time, to the machines in rotation. Started by `run.ts`. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineCount, metricsOfMachine, sampleOf } from './plant.ts'
import { asMachineRef } from '../../schema/refs.ts'

const [port = 0, perSecond = 0, seconds = 0] = process.argv.slice(2).map(Number)
const socket = connect(port, '127.0.0.1')
const startedMs = performance.now()
const everyMs = 5
let sent = 0

/** Sends the changes that are due by now. */
function sendDue(): void {
  const due = Math.floor(((performance.now() - startedMs) / 1000) * perSecond)
  const atUs = Date.now() * 1000
  const samples = Array.from({ length: due - sent }, (_, i) => changeOf(sent + i, atUs))
  for (let first = 0; first < samples.length; first += 500)
    socket.write(`${JSON.stringify({ kind: 'values', samples: samples.slice(first, first + 500) })}\n`)
  sent = due
}

function changeOf(index: number, atUs: number) {
  const metric = Math.floor(index / machineCount) % metricsOfMachine
  return sampleOf(asMachineRef(((index * 7919) % machineCount) + 1), metric, atUs, String(index + 1))
}

while (performance.now() - startedMs < seconds * 1000) {
  sendDue()
  await sleep(everyMs)
}
process.send?.({ sent })
socket.end()
