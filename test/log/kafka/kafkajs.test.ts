import { assert } from 'chai'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

describe('loading kafkajs', () => {
  it('A process that opens no log on Kafka does not load kafkajs', async () => {
    const { href } = new URL('../../../log/kafka/kafka-log.ts', import.meta.url)
    const script = `
      import { createRequire } from 'node:module'
      await import(${JSON.stringify(href)})
      const loaded = Object.keys(createRequire(import.meta.url).cache)
      console.log(loaded.filter(path => path.includes('/node_modules/kafkajs/')).length)`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    assert.equal(stdout.trim(), '0')
  })
})
