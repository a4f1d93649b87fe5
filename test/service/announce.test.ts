import { expect } from 'chai'
import { createAnnouncer } from '../../service/announce.ts'

function announce(isTTY: boolean, shares: readonly number[]): string {
  let text = ''
  const announcer = createAnnouncer({ isTTY, write: part => (text += part) }, 'Filling')
  for (const share of shares) announcer.filled(share)
  announcer.line('Live.')
  return text
}

describe('createAnnouncer', () => {
  it('On a terminal, the announcer updates one line', () => {
    expect(announce(true, [0, 0.004, 0.5, 1])).to.equal(
      '\r  Filling … 0 %\r  Filling … 50 %\r  Filling … 100 %\n  Live.\n',
    )
  })

  it('Without a terminal, the announcer writes a line for every quarter', () => {
    expect(announce(false, [0, 0.1, 0.3, 0.6, 1, 1])).to.equal(
      ['0', '25', '50', '100'].map(percent => `  Filling … ${percent} %\n`).join('') + '  Live.\n',
    )
  })

  it('The announcer reports no progress if nothing was missing', () => {
    expect(announce(false, [1, 1])).to.equal('  Live.\n')
  })
})
