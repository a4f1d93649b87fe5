import { once } from 'node:events'
import { connect } from 'node:net'
import { assert } from 'chai'
import { bearerToken } from '../../../api/auth/authenticate.ts'
import { adminKey, startApi, type TestApi } from '../../support/api.ts'

/** Every header that the service reads, and each kind of text that is slow for a quadratic parser. */
const names = [
  'Authorization',
  'Cookie',
  'Origin',
  'Sec-Fetch-Site',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'Host',
  'Content-Type',
  'Content-Encoding',
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'If-None-Match',
  'If-Modified-Since',
  'Range',
  'Expect',
  'Forwarded',
  'X-Odd',
]
const starts = [
  '',
  'Bearer ',
  'takt_session=',
  'multipart/form-data; boundary=',
  'application/json; charset=',
  'bytes=',
]
const fillers = [
  ' ',
  '\t',
  ';',
  '; ',
  ',',
  ', ',
  '=',
  '"',
  '\\"',
  'a',
  '0',
  '.',
  '1.1.1.1,',
  'a=b;',
  'a="b";',
  '/',
  ':',
  '[',
  '%41',
  '\u00e9',
]
const longest = 15_800
/** Limit of the process's CPU time: a quadratic parser of a header took seconds. */
const tooLongMs = 500

describe('HTTP: unusual headers', function () {
  let api: TestApi
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  for (const name of names)
    it(`A long value of the header ${name} is parsed in linear time`, async () => {
      for (const start of starts)
        for (const filler of fillers) {
          const value = start + filler.repeat((longest - start.length) / filler.length) + '\u00a0'
          for (const line of ['GET /machines', 'POST /jobs/import']) {
            const before = process.cpuUsage()
            await answered(api, line, `${name}: ${value}`)
            const { user, system } = process.cpuUsage(before)
            const tookMs = (user + system) / 1000
            assert.isBelow(tookMs, tooLongMs, `${line} with ${JSON.stringify(value.slice(0, 40))}…`)
          }
        }
      assert.equal((await api.call('GET', '/machines')).status, 200)
    })

  it('A bearer token is read from the header in every valid form', () => {
    assert.equal(bearerToken('Bearer abc'), 'abc')
    assert.equal(bearerToken('bEARER    abc  '), 'abc')
    assert.equal(bearerToken('Bearer a b'), 'a b')
    assert.equal(bearerToken(`Bearer ${Buffer.from('schlüssel').toString('latin1')}`), 'schlüssel')
    for (const none of [undefined, '', 'Bearer', 'Bearer ', 'Bearer     ', 'Basic abc', 'Bearerabc', ' Bearer abc'])
      assert.isNull(bearerToken(none), String(none))
  })
})

/** Sends a request unchanged and waits for the first bytes of the response. */
async function answered(api: TestApi, line: string, header: string): Promise<void> {
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const key = header.startsWith('Authorization') ? '' : `Authorization: Bearer ${adminKey}\r\n`
  const host = header.startsWith('Host') ? '' : 'Host: localhost\r\n'
  const length = line.startsWith('POST') ? 'Content-Length: 0\r\n' : ''
  socket.write(`${line} HTTP/1.1\r\n${host}${key}${length}${header}\r\n\r\n`, 'latin1')
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  socket.destroy()
}
