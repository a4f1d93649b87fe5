import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { openEmbeddedLog } from '../../log/embedded/embedded-log.ts'
import type { Health } from '../../schema/requests/health.ts'
import { topics } from '../../schema/topics.ts'
import { runTask } from '../../service/commands/run-task.ts'
import { readConfig } from '../../service/config.ts'
import { freshDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'

describe('log damage in a service', function () {
  let folder: string
  let database: Awaited<ReturnType<typeof freshDatabase>>
  let service: TestService | undefined
  const start = () => startService({ store: database.store, env: { TAKT_DATA_DIR: folder } })
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'takt-log-damage-'))
    database = await freshDatabase()
  })
  after(async () => {
    await service?.stop()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('GET /health lists lost records until the loss is accepted, and the log records that it was accepted', async () => {
    await (await start()).stop()
    const path = join(folder, 'log')
    const log = await openEmbeddedLog({ path })
    for (let n = 0; n < 3; n++) await log.append(topics.live, [{ key: null, value: Buffer.from(`the number ${n}`) }])
    const [end = 0] = await log.endOffsets(topics.live)
    await log.close()
    damage(path, 'the number 1')

    service = await start()
    const loss = { topic: topics.live, partition: 0, offset: end - 2 }
    const [problem] = await lossesInHealth(service)
    expect(problem).to.include({ ...loss, code: 'log_records_lost' })
    expect(problem?.message)
      .to.include(`of live.v1, partition 0, offsets ${end - 2} to ${end - 1}, written after `)
      .and.include('npm run log-damage -- --accept')

    const command = { config: readConfig({ TAKT_DATA_DIR: folder }), logger: pino({ level: 'silent' }) }
    const [accepted] = await runTask('log-damage-accept', {}, command)
    expect(accepted).to.include({ topic: topics.live, partition: 0, from: end - 2, to: end })
    expect(await lossesInHealth(service)).to.deep.equal([])

    await service.stop()
    service = await start()
    const listed = await runTask('log-damage-list', {}, command)
    expect(listed).to.deep.equal([accepted])
    expect(accepted?.acceptedMs).to.be.a('number')
    expect(await lossesInHealth(service)).to.deep.equal([])
  })

  it('A service starts although the log has lost the last entry that the store contains', async () => {
    await service?.stop()
    service = await start()
    expect((await service.call('PUT', '/settings', { startOfDay: '05:30' })).status).to.equal(200)
    await service.stop()
    damage(join(folder, 'log'), '"outcome"', 'last')
    service = await start()
    expect((await service.call('PUT', '/settings', { startOfDay: '05:45' })).status).to.equal(200)
  })
})

async function lossesInHealth(service: TestService): Promise<Health['problems']> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of GET /health
  const { problems } = (await service.call('GET', '/health')).body as Health
  return problems.filter(({ code }) => code === 'log_records_lost')
}

/** Changes one byte of the first or last record that contains the text in the journal. */
function damage(path: string, text: string, which: 'first' | 'last' = 'first'): void {
  for (const name of readdirSync(path).filter(each => each.endsWith('.log'))) {
    const bytes = readFileSync(join(path, name))
    const at = which === 'first' ? bytes.indexOf(text) : bytes.lastIndexOf(text)
    if (at < 0) continue
    bytes[at] = 0
    writeFileSync(join(path, name), bytes)
    return
  }
  throw new Error(`No journal contains ${text}`)
}
