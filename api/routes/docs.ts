import { readFile } from 'node:fs/promises'
import { route } from '../http/route.ts'

const page = new URL('../docs/docs.html', import.meta.url)

/** The reference's icons are data in its style sheet, and its components set styles; nothing is loaded from elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const getDocs = route({
  method: 'GET',
  path: '/docs',
  summary: 'This interface, as a page to read and to try',
  scope: 'public',
  output: 'html',
  handle({ setHeader }) {
    setHeader('Content-Security-Policy', policy)
    setHeader('Cache-Control', 'no-cache')
    return readFile(page, 'utf8')
  },
})

export const docsRoutes = [getDocs]
