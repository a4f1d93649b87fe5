import { expect } from 'chai'
import { shortenMessage, shortenPart } from '../../schema/error-text.ts'

describe('error messages', () => {
  const long = 'x'.repeat(5_000)

  it('A message repeats at most 200 characters of a request, quoted or not', () => {
    const spaced = 'xx '.repeat(300)
    for (const message of [
      `'${long}' is invalid`,
      `Cannot query field "${long}" on type "Machine".`,
      `${long} is required`,
      `Machine '${spaced}' does not exist`,
      `Variable "$a" got invalid value "${'\\"x'.repeat(200)}"; expected a number`,
      `a\t'${long}`,
    ]) {
      const shown = shortenMessage(message)
      expect(shown.match(/x/g)?.length ?? 0, message.slice(0, 40)).to.be.within(50, 200)
    }
  })

  it('A message of ordinary parts stays as it is', () => {
    const message = `metric must be one of ${Array.from({ length: 60 }, (_, i) => `metric${i}`).join(', ')}, isn't it`
    expect(shortenMessage(message)).to.equal(message)
    expect(shortenPart('a.b[0]')).to.equal('a.b[0]')
  })

  it('A message is shortened in linear time', () => {
    for (const text of ['"', "'", '\\', '"\\', "\\'", 'a"', ' ']) {
      const before = process.cpuUsage()
      shortenMessage(text.repeat(500_000))
      expect(process.cpuUsage(before).user / 1000, text).to.be.below(500)
    }
  })
})
