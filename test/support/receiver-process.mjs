/**
 * A receiver of webhooks in a process of its own: appends each request to a file as a line of JSON, then answers 204. Prints its
 * port. Usage: `node receiver-process.mjs FILE PORT`; 0: any port.
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [, , file = '', port = '0'] = process.argv

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { headers } = request
  appendFileSync(file, `${JSON.stringify({ headers, body: Buffer.concat(chunks).toString() })}\n`)
  response.writeHead(204).end()
}).listen(Number(port), '127.0.0.1', function listening() {
  process.stdout.write(`${this.address().port}\n`)
})
