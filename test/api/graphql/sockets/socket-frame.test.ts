import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { ResultFrames, SocketFrame } from '../../../../api/graphql/sockets/socket-frame.ts'
import { textMessage } from '../../../../api/live/outbox/frame.ts'

/** Returns the chunks in which a frame is written. */
function piecesOf(frame: SocketFrame): readonly Buffer[] {
  const pieces: Buffer[] = []
  const socket = new PassThrough()
  socket.write = (piece: Buffer) => pieces.push(piece) > 0
  frame.write(socket)
  return pieces
}

describe('WebSocket frames of GraphQL results', () => {
  const small = Buffer.from('{"data":{"a":1}}')
  const large = Buffer.alloc(100_000, 'x')

  for (const [name, json] of [
    ['small', small],
    ['large', large],
  ] as const)
    it(`A WebSocket frame with a ${name} GraphQL result is one text message`, () => {
      const pieces = piecesOf(new SocketFrame(['{"id":"ä","payload":', json, '}']))
      const whole = textMessage(Buffer.from(`{"id":"ä","payload":${json.toString()}}`))
      expect(Buffer.concat(pieces).equals(whole)).to.equal(true)
      expect(pieces.includes(json), 'the frame contains the buffer of the result').to.equal(json === large)
      expect(pieces).to.have.length(json === large ? 4 : 1)
    })

  it('Clients whose operations have the same id share one WebSocket frame of a GraphQL result', () => {
    const frames = new ResultFrames()
    const first = frames.of(small, ['{"id":"1","payload":', '}'])
    expect(frames.of(small, ['{"id":"1","payload":', '}'])).to.equal(first)
    const other = frames.of(small, ['{"id":"2","payload":', '}'])
    expect(piecesOf(other)[0]?.toString()).to.include('"id":"2"')
    const next = frames.of(Buffer.from('{"data":{"a":2}}'), ['{"id":"2","payload":', '}'])
    expect(piecesOf(next)[0]?.toString()).to.include('"a":2')
  })
})
