/**
 * A receiver of webhooks in a process of its own: appends each request to a file as a line of JSON, then answers 204. Prints its
 * port. Usage: `node receiver-process.mjs FILE PORT`; 0: any port.
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const [, , file = '', port = '0'] = process.argv

createServer((request, response) => {
  const store = body => {
    appendFileSync(file, `${JSON.stringify({ headers: request.headers, body })}\n`)
    response.writeHead(204).end()
  }
  // A service that is killed cuts its request.
  text(request).then(store, () => response.destroy())
}).listen(Number(port), '127.0.0.1', function listening() {
  process.stdout.write(`${this.address().port}\n`)
})
