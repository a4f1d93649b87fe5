import { expect } from 'chai'
import type { Client } from '../../web/data/client.ts'
import { openChannel } from '../../web/data/live-channel.ts'
import { checkReach, onBack, onLost } from '../../web/data/reach.ts'

/** A connection of a browser that the test controls. */
class Connection extends EventTarget {
  static readonly all: Connection[] = []
  readonly sent: string[] = []
  isClosed = false

  constructor() {
    super()
    Connection.all.push(this)
  }

  send(text: string): void {
    const { event }: { readonly event: string } = JSON.parse(text)
    this.sent.push(event)
  }

  close(): void {
    this.isClosed = true
  }

  join(): void {
    this.dispatchEvent(new Event('open'))
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify({ event: 'channel_join_success' }) }))
  }
}

/** A pending request of the channel. */
interface PendingRequest {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const soon = () => new Promise(done => setTimeout(done, 20))

describe('a live channel whose service returns during an attempt to connect', () => {
  const { fetch, WebSocket } = globalThis
  let requests: PendingRequest[]
  let joined: boolean[]
  let close: () => void

  /** Opens a channel whose first request stays pending; then the service is lost and back, and the second attempt joins. */
  beforeEach(async () => {
    requests = []
    joined = []
    Connection.all.length = 0
    Object.assign(globalThis, { WebSocket: Connection })
    const client = {
      call: () => new Promise((resolve, reject) => requests.push({ resolve, reject })),
      token: async () => 'token',
      forgetToken: () => undefined,
    }
    const channel = openChannel({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the channel takes no more of it
      client: client as unknown as Client,
      channel: 'status',
      onUpdate: () => undefined,
      onJoined: isJoined => joined.push(isJoined),
    })
    close = () => channel.close()
    await nextEvent(onLost, () => Promise.reject(new Error('lost')))
    await nextEvent(onBack, async () => new Response('{}'))
    requests[1]?.resolve({ live: {} })
    await soon()
    Connection.all[0]?.join()
    expect(joined).to.deep.equal([true])
  })
  afterEach(() => {
    close()
    Object.assign(globalThis, { fetch, WebSocket })
  })

  async function nextEvent(on: (listener: () => void) => () => void, answer: () => Promise<Response>): Promise<void> {
    Object.assign(globalThis, { fetch: answer })
    await new Promise<void>(done => {
      const end = on(() => {
        end()
        done()
      })
      checkReach()
    })
  }

  it('A joined live channel stays joined when its older attempt fails', async () => {
    requests[0]?.reject(new Error('no answer'))
    await soon()
    expect(Connection.all.map(({ isClosed }) => isClosed)).to.deep.equal([false])
    expect(joined).to.deep.equal([true])
  })

  it('A joined live channel opens no second connection when its older attempt succeeds', async () => {
    requests[0]?.resolve({ live: {} })
    await soon()
    expect(Connection.all).to.have.length(1)
    expect(Connection.all[0]?.sent).to.deep.equal(['join', 'set_machines'])
  })
})

describe('live channels that are opened together', () => {
  it('Two live channels of a client send one request for its health', async () => {
    const calls: string[] = []
    const client = {
      call: (endpoint: string) => {
        calls.push(endpoint)
        return new Promise(() => undefined)
      },
    }
    const channels = [1, 2].map(() =>
      openChannel({
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the channel takes no more of it
        client: client as unknown as Client,
        channel: 'status',
        onUpdate: () => undefined,
        onJoined: () => undefined,
      }),
    )
    expect(calls).to.deep.equal(['GET /health'])
    for (const channel of channels) channel.close()
  })
})
