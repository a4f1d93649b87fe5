import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { frameOf, textHeader } from '../../../../api/live/outbox/frame.ts'
import { channelPath } from '../../../../schema/requests/live.ts'

describe('frames of live channels', () => {
  it('The header of a text message has the length in 1, 3 or 9 bytes, as RFC 6455 defines', () => {
    const headers = [0, 125, 126, 65_535, 65_536].map(length => textHeader(length).toString('hex'))
    expect(headers).to.deep.equal(['8100', '817d', '817e007e', '817effff', '817f0000000000010000'])
  })

  it('An event is a JSON message of plain WebSockets and a packet of Socket.IO, and each is encoded once', () => {
    const frame = frameOf('status', 'update', { name: 'Fräse' })
    const text = '{"event":"update","data":{"name":"Fräse"}}'
    const packet = `42${channelPath}status,["update",{"name":"Fräse"}]`
    expect(frame.text.toString()).to.equal(text)
    expect(frame.wire).to.deep.equal(Buffer.concat([textHeader(Buffer.byteLength(text)), Buffer.from(text)]))
    expect(frame.packet).to.equal(packet)
    expect(frame.packetWire).to.deep.equal(Buffer.concat([textHeader(Buffer.byteLength(packet)), Buffer.from(packet)]))
    expect(frame.packetFor('/status')).to.equal('2/status,["update",{"name":"Fräse"}]')
    expect(frame.bytes).to.be.at.least(frame.packetWire.length)
    expect(frame.wire).to.equal(frame.wire)
    expect(frame.packetWire).to.equal(frame.packetWire)
    const socket = new PassThrough()
    frame.write(socket)
    expect(socket.read()).to.deep.equal(frame.wire)
  })
})
