import { type Addition, create, insert } from '../../support/addition.ts'

/** A live message of the use of a tool. */
export const message: Addition = {
  section: 'Add a live message',
  names: { subject: 'tool-uses' },
  changes: [
    insert(
      'schema/topics.ts',
      "| { readonly kind: 'faults';",
      `  /** The tool with this \`ref\` was used at \`atMs\`, UTC ms. */
  | { readonly kind: 'toolUse'; readonly toolRef: number; readonly atMs: number }`,
    ),
    create(
      'service/live/tool-uses.ts',
      `import type { Log } from '../../log/log.ts'
import { liveRecord } from '../../processors/partitions/live-record.ts'
import { topics } from '../../schema/topics.ts'
import type { LiveFeed } from './feed.ts'

/** Publishes the use of a tool at \`atMs\` (UTC ms) to every process. Rejects if the log is unavailable. */
export async function publishToolUse(log: Pick<Log, 'append'>, toolRef: number, atMs: number): Promise<void> {
  await log.append(topics.live, [liveRecord({ kind: 'toolUse', toolRef, atMs })])
}

/** Calls \`onUse\` for the uses of tools of all processes. Returns a function that ends this. */
export function followToolUses(feed: LiveFeed, onUse: (toolRef: number, atMs: number) => void): () => void {
  return feed.listen({ toolUse: ({ toolRef, atMs }) => onUse(toolRef, atMs) })
}
`,
    ),
    insert(
      'test/service/live/feed.test.ts',
      'faults: { kind:',
      "      toolUse: { kind: 'toolUse', toolRef: 1, atMs: 2 },",
    ),
    create(
      'test/service/live/tool-uses.test.ts',
      `import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pino from 'pino'
import { openEmbeddedLog } from '../../../log/embedded/embedded-log.ts'
import { topics } from '../../../schema/topics.ts'
import { followLive } from '../../../service/live/feed.ts'
import { followToolUses, publishToolUse } from '../../../service/live/tool-uses.ts'

describe('live messages of tools', () => {
  it('A published use of a tool reaches the followers', async () => {
    const path = mkdtempSync(join(tmpdir(), 'takt-tool-uses-'))
    const log = await openEmbeddedLog({ path })
    await log.createTopics([{ name: topics.live, partitions: 1, retentionMs: null }])
    const feed = await followLive(log, pino({ level: 'silent' }))
    const uses: (readonly number[])[] = []
    followToolUses(feed, (toolRef, atMs) => uses.push([toolRef, atMs]))
    await publishToolUse(log, 7, 1000)
    expect(await feed.caughtUp(5_000)).to.equal(true)
    await feed.stop()
    await log.close()
    rmSync(path, { recursive: true, force: true })
    expect(uses).to.deep.equal([[7, 1000]])
  })
})
`,
    ),
  ],
}
