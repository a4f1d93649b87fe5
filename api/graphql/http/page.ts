import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { pagePolicy } from '../../docs/page-policy.ts'
import { loadOnce } from '../../static/load-once.ts'
import { StaticContent } from '../../static/static-content.ts'

const page = new URL('../../docs/graphiql.html', import.meta.url)

/** The editor has its fonts as data in its style sheet. */
const policy = pagePolicy("font-src 'self' data:")

const content = loadOnce(async () => new StaticContent('html', await readFile(page)))

/** Answers GraphiQL to a browser that opens the address; a request with a query goes on. */
export const answerGraphiql: RequestHandler = async (request, response, next) => {
  const isPage = request.method === 'GET' && request.query['query'] === undefined
  if (!isPage || request.accepts('application/json', 'text/html') !== 'text/html') {
    next()
    return
  }
  response.set('Content-Security-Policy', policy).vary('Accept')
  await (await content()).send(response)
}
