// Sends each line of standard input as a body of samples, over MQTT or HTTP: `mqtt PORT` or `http PORT`.
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { connectAsync } from 'mqtt'

const [kind, port] = process.argv.slice(2)
const bodies = (await text(process.stdin)).trimEnd().split('\n')
if (kind === 'mqtt') {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`)
  for (const body of bodies) await client.publishAsync('takt/samples', body, { qos: 1 })
} else {
  const agent = new Agent({ keepAlive: true })
  for (const body of bodies)
    await new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
      const sent = request({ port, host: '127.0.0.1', agent, method: 'POST', headers }, response => {
        response.resume().on('end', resolve)
      })
      sent.on('error', reject).end(body)
    })
  agent.destroy()
}
