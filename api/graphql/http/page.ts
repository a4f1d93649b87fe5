import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { pagePolicy } from '../../docs/page-policy.ts'
import { loadOnce } from '../../static/load-once.ts'
import { StaticContent } from '../../static/static-content.ts'

const page = new URL('../../docs/graphiql.html', import.meta.url)

/** GraphiQL's style sheet contains its fonts as data URLs. */
const policy = pagePolicy("font-src 'self' data:")

const content = loadOnce(async () => new StaticContent('html', await readFile(page)))

/** Responds with the GraphiQL page to a browser that sends no query; passes other requests to the next handler. */
export const serveGraphiql: RequestHandler = async (request, response, next) => {
  const isPage = request.method === 'GET' && request.query['query'] === undefined
  if (!isPage || request.accepts('application/json', 'text/html') !== 'text/html') {
    next()
    return
  }
  response.set('Content-Security-Policy', policy).vary('Accept')
  await (await content()).send(response)
}
