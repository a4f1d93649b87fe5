// Sends samples of one machine as a gateway does: numbered, in batches, with retries.
//
//   node examples/gateway.mjs MACHINE_ID
//
// Numbers make retries safe: a batch that arrives twice counts once. `instanceId` changes when the gateway restarts its numbering.
import { setTimeout as sleep } from 'node:timers/promises'

const url = process.env.TAKT_URL ?? 'http://127.0.0.1:8080'
const key = process.env.TAKT_KEY
const [machineId] = process.argv.slice(2)
if (!key || !machineId) throw new Error('Usage: TAKT_KEY=... node examples/gateway.mjs MACHINE_ID')

const instanceId = Date.now()
let sequence = 0

/** A sample of the machine, observed now. */
function sample(key, type, value) {
  sequence += 1
  return { timestamp: new Date().toISOString(), key, type, value, instanceId, sequence }
}

/** Sends a batch until the service has stored it: 503 and 429 state in `Retry-After` when to retry. */
async function send(samples) {
  const body = JSON.stringify({ machineId, samples })
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 30_000)) {
    const response = await fetch(`${url}/ingest/samples`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    }).catch(error => {
      console.error(`Cannot reach ${url}: ${error.cause?.code ?? error.message}`)
      return null
    })
    if (response?.status === 202) return response.json()
    if (response !== null && response.status < 500 && response.status !== 429)
      throw new Error(`Rejected with status ${response.status}: ${await response.text()}`)
    const retryAfterMs = Number(response?.headers.get('retry-after') ?? 0) * 1000
    await sleep(Math.max(waitMs, retryAfterMs))
  }
}

const { accepted, rejected } = await send([
  sample('execution', 'EXECUTION', 'ACTIVE'),
  sample('part_count', 'PART_COUNT', 100),
  sample('spindle_speed', 'ROTARY_VELOCITY', 4200),
  // A value that the type does not allow is stored and has no effect; a timestamp that is not a date is rejected.
  { ...sample('spindle_load', 'LOAD', 35), timestamp: 'yesterday' },
])
console.log(`accepted: ${accepted}`)
for (const { index, code, message } of rejected) console.log(`rejected: sample ${index}, ${code}: ${message}`)
