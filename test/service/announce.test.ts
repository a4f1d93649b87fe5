import { expect } from 'chai'
import { createStartupProgress } from '../../service/announce.ts'

function announce(isTTY: boolean, shares: readonly number[]): string {
  let text = ''
  const progress = createStartupProgress({ isTTY, write: part => (text += part) }, 'Filling')
  for (const share of shares) progress.progress(share)
  progress.writeLine('Live.')
  return text
}

describe('createStartupProgress', () => {
  it('On a terminal, the progress of the start is one line that changes', () => {
    expect(announce(true, [0, 0.004, 0.5, 1])).to.equal(
      '\r  Filling … 0%\r  Filling … 50%\r  Filling … 100%\n  Live.\n',
    )
  })

  it('Without a terminal, the progress of the start is one line for every quarter', () => {
    expect(announce(false, [0, 0.1, 0.3, 0.6, 1, 1])).to.equal(
      ['0', '25', '50', '100'].map(percent => `  Filling … ${percent}%\n`).join('') + '  Live.\n',
    )
  })

  it('No progress of the start is written if it is complete from the beginning', () => {
    expect(announce(false, [1, 1])).to.equal('  Live.\n')
  })
})
