import { expect } from 'chai'
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { ApiError, notFound } from '../../../schema/errors.ts'
import { requestControl } from '../../../service/control/request.ts'
import { serveControl, type ControlHandlers } from '../../../service/control/serve.ts'
import { controlSocket } from '../../../service/control/socket.ts'

describe('control socket', () => {
  let folder: string
  let path: string
  const closing: (() => Promise<void>)[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'takt-control-'))
    path = controlSocket(folder)
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
    rmSync(folder, { recursive: true })
  })

  const serve = async (handlers: ControlHandlers): Promise<void> => {
    const server = await serveControl(path, handlers, pino({ level: 'silent' }))
    closing.push(() => server.close())
  }

  it('A control request runs the handler of its name with a JSON payload and result', async () => {
    await serve({ add: async payload => ({ given: payload }), nothing: async () => undefined })
    expect(await requestControl(path, 'add', { a: [1] })).to.deep.equal({ result: { given: { a: [1] } } })
    expect(await requestControl(path, 'nothing', undefined)).to.deep.equal({ result: null })
  })

  it('API errors reach the caller unchanged, and other errors without their message', async () => {
    await serve({
      refuse: async () => {
        throw new ApiError(409, 'Conflict', 'The name is in use')
      },
      fail: async () => {
        throw new Error('secret')
      },
    })
    const refusal = await rejection(requestControl(path, 'refuse', {}))
    expect(refusal).to.include({ status: 409, code: 'Conflict', message: 'The name is in use' })
    expect(await rejection(requestControl(path, 'fail', {}))).to.include({
      status: 500,
      message: 'Internal Server Error',
    })
    for (const unknown of ['unknown', 'toString', ''])
      expect(await rejection(requestControl(path, unknown, {}))).to.include({ status: 404, code: notFound().code })
  })

  it('Only the user of the service can use the control socket', async () => {
    await serve({})
    expect(statSync(path).mode & 0o777).to.equal(0o600)
  })

  it('A control request without a service returns null, also with an abandoned socket', async () => {
    expect(await requestControl(path, 'add', {})).to.equal(null)
    await leaveSocket(path)
    expect(await requestControl(path, 'add', {})).to.equal(null)
  })

  it('A service replaces an abandoned control socket', async () => {
    writeFileSync(path, '')
    await serve({ add: async () => 1 })
    expect(await requestControl(path, 'add', {})).to.deep.equal({ result: 1 })
  })
})

/** Leaves a socket without a listener, as a SIGKILL does. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(`${path}.old`, resolve))
  renameSync(`${path}.old`, path)
  await new Promise(resolve => server.close(resolve))
}

async function rejection(work: Promise<unknown>): Promise<ApiError> {
  try {
    await work
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('The request was not rejected')
}
