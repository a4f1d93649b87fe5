import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { io } from 'socket.io-client'
import { WebSocket } from 'ws'
import { Pace } from '../../../processors/partitions/pace.ts'
import { channelPath } from '../../../schema/requests/live.ts'
import type { Health } from '../../../schema/requests/health.ts'
import { startService, type TestService } from '../../support/service.ts'

for (const engine of ['uws', 'ws'] as const) {
  describe(`screen opened by ${engine}`, function () {
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this`
    const { asked } = Pace.prototype
    let service: TestService
    let port: number
    let times = 0
    before(async () => {
      Pace.prototype.asked = function (this: Pace) {
        times++
        asked.call(this)
      }
      service = await startService({ env: { TAKT_LIVE_ENGINE: engine, TAKT_LIVE_PORT: '0' } })
      const response = await fetch(`${service.url}/health`)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract of the route
      const { livePort } = (await response.json()) as Health
      port = livePort ?? Number(new URL(service.url).port)
    })
    after(async () => {
      Pace.prototype.asked = asked
      await service.stop()
    })

    /** Opens a connection and returns the number of freshness requests that it caused. */
    async function openedBy(open: () => { close(): void }, isOpen: () => boolean): Promise<number> {
      const before = times
      const connection = open()
      try {
        for (let i = 0; i < 500 && !isOpen(); i++) await sleep(10)
        expect(isOpen()).to.equal(true)
        return times - before
      } finally {
        connection.close()
      }
    }

    const byWebSocket = (url: string, protocol?: string) => {
      let socket: WebSocket | undefined
      return openedBy(
        () => (socket = new WebSocket(url, protocol)),
        () => socket?.readyState === WebSocket.OPEN,
      )
    }

    it('A plain WebSocket to either port requests fresh data once', async () => {
      for (const of of [port, new URL(service.url).port])
        expect(await byWebSocket(`ws://127.0.0.1:${of}${channelPath}status`)).to.equal(1)
    })

    it('Only requests for data derived from samples request fresh data', async () => {
      for (const [path, count] of [
        ['/health', 1],
        ['/openapi.json', 0],
        ['/session/ways', 0],
        ['/', 0],
      ] as const) {
        const before = times
        const { status } = await fetch(service.url + path)
        expect([path, status, times - before]).to.deep.equal([path, 200, count])
      }
    })

    it('A GraphQL subscription requests fresh data once', async () => {
      const url = `${service.url.replace('http', 'ws')}/graphql`
      expect(await byWebSocket(url, 'graphql-transport-ws')).to.equal(1)
    })

    for (const transport of ['websocket', 'polling'])
      it(`A Socket.IO connection by ${transport} to either port requests fresh data once`, async () => {
        for (const url of new Set([`http://127.0.0.1:${port}`, service.url])) {
          let socket: ReturnType<typeof io> | undefined
          const opened = openedBy(
            () => (socket = io(url + channelPath + 'status', { transports: [transport], reconnection: false })),
            () => socket?.connected === true,
          )
          expect(await opened).to.equal(1)
        }
      })
  })
}
