import { expect } from 'chai'
import { LogUnavailable } from '../../log/log.ts'
import { createLogger } from '../../service/logger.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly dropped?: number
}

/** Returns the lines that `write` logs at a level of the process. */
function linesOf(level: string, write: (logger: ReturnType<typeof createLogger>) => void): readonly Line[] {
  const lines: Line[] = []
  write(createLogger(level, { write: text => void lines.push(JSON.parse(text)) }))
  return lines
}

describe('logger of a process', () => {
  const outage = new LogUnavailable('No Kafka broker can be reached')
  const fail = (logger: ReturnType<typeof createLogger>): void => {
    for (let count = 0; count < 50; count++) logger.warn({ err: outage }, 'An append failed')
    logger.error({ err: new Error('A request failed', { cause: outage }) }, 'A request failed')
    logger.warn({ code: 'log_unavailable', namespace: 'Connection' }, 'Connection error')
  }

  it('The logger writes 50 failures of an unavailable log as one line', () => {
    const lines = linesOf('warn', fail)
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['An append failed'])
  })

  it('The logger writes other lines while the log is unavailable', () => {
    const lines = linesOf('info', logger => {
      fail(logger)
      logger.warn({ err: new Error('Disk full') }, 'A file was not written')
      logger.info({ err: outage }, 'Connected again')
      logger.fatal({ err: outage }, 'The process ends')
      logger.warn('No fields')
    })
    expect(lines.map(({ msg }) => msg).slice(1)).to.deep.equal([
      'A file was not written',
      'Connected again',
      'The process ends',
      'No fields',
    ])
  })

  it('At level debug, the logger writes every line', () => {
    expect(linesOf('debug', fail)).to.have.lengthOf(52)
  })
})
