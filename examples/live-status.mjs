// Prints the status of each machine, then each change, until Ctrl+C.
//
//   node examples/live-status.mjs
import { WebSocket } from 'ws'

const url = process.env.TAKT_URL ?? 'http://127.0.0.1:8080'
const key = process.env.TAKT_KEY
if (!key) throw new Error('Set TAKT_KEY')

const response = await fetch(`${url}/machines`, { headers: { authorization: `Bearer ${key}` } })
if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
const names = new Map((await response.json()).map(({ id, name }) => [id, name]))

const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/events/machine/status`)
const send = (event, data) => socket.send(JSON.stringify({ event, data }))

socket.on('open', () => send('join', { token: key }))
socket.on('message', frame => {
  const { event, data } = JSON.parse(Buffer.from(frame).toString())
  if (event === 'channel_join_success') send('set_machines', [...names.keys()])
  else if (event === 'update')
    console.log(`${data.timestamp}  ${names.get(data.machineId)}  ${data.status}  ${data.message ?? ''}`)
  else if (event.startsWith('channel_')) console.error(event, data)
})
// Production code reconnects after an increasing, random wait, and joins again.
socket.on('close', (code, reason) => console.error(`Disconnected: ${code} ${reason.toString()}`))
socket.on('error', error => console.error(`Connection failed: ${error.message}`))
