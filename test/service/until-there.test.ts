import { expect } from 'chai'
import { LogUnavailable } from '../../log/log.ts'
import { untilThere } from '../../service/until-there.ts'

describe('waiting for a server', () => {
  it('tells the whole chain of causes in one line, and goes on when the server is there', async () => {
    const lines: string[] = []
    const cause = new Error('SASL PLAIN authentication failed:\n Invalid username or password', {
      cause: new Error('Invalid username or password'),
    })
    let calls = 0
    const opened = await untilThere(
      async () => {
        calls += 1
        if (calls === 1) throw new LogUnavailable('The log is not available', { cause })
        return 'a log'
      },
      'Kafka at kafka:9092 (KAFKA_BROKERS)',
      line => lines.push(line),
    )
    expect(opened).to.equal('a log')
    expect(lines).to.deep.equal([
      "Kafka at kafka:9092 (KAFKA_BROKERS) can't be used yet: The log is not available: SASL PLAIN authentication failed: Invalid username or password. Waiting for it.",
    ])
  })
})
