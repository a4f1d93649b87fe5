import { expect } from 'chai'
import { LogUnavailable } from '../../log/log.ts'
import { StartError } from '../../service/start-error.ts'
import { connectWithRetry, type RequiredServer } from '../../service/connect-with-retry.ts'

const kafka: RequiredServer = {
  what: 'Kafka at kafka:9092 (KAFKA_BROKERS)',
  isAccessDenied: error => String(error).includes('denied'),
  credentials: 'KAFKA_SASL_PASSWORD',
}

describe('waiting for a server', () => {
  it('The causes of a failed connection are reported in one line, and the wait ends when the server is available', async () => {
    const lines: string[] = []
    const cause = new Error('SASL PLAIN authentication failed:\n Invalid username or password', {
      cause: new Error('Invalid username or password'),
    })
    let calls = 0
    const opened = await connectWithRetry(
      async () => {
        calls += 1
        if (calls === 1) throw new LogUnavailable('The log is not available', { cause })
        return 'a log'
      },
      kafka,
      line => lines.push(line),
    )
    expect(opened).to.equal('a log')
    expect(lines).to.deep.equal([
      'Kafka at kafka:9092 (KAFKA_BROKERS) is not usable yet: The log is not available: SASL PLAIN authentication failed: Invalid username or password. Waiting for it.',
    ])
  })
  it('A rejected password ends the wait with the settings to correct', async () => {
    const lines: string[] = []
    const cause = new LogUnavailable('Access denied')
    const open = () => Promise.reject(cause)
    const error: unknown = await connectWithRetry(open, kafka, line => lines.push(line)).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(StartError)
    expect(String(error)).to.include(
      'Kafka at kafka:9092 (KAFKA_BROKERS) rejected the user or the password: Access denied.\nWhat to do: correct KAFKA_SASL_PASSWORD.',
    )
    expect(lines).to.deep.equal([])
  })
})
