import { randomUUID } from 'node:crypto'
import type { Batch, Log, LogRecord, NewRecord } from '../../log/log.ts'

/** Creates a topic that no other test uses. */
export async function freshTopic(log: Log, partitions = 1, retentionMs: number | null = null): Promise<string> {
  const name = `t-${randomUUID()}`
  await log.createTopics([{ name, partitions, retentionMs }])
  return name
}

export function freshGroup(): string {
  return `g-${randomUUID()}`
}

export function text(value: string, rest: Partial<NewRecord> = {}): NewRecord {
  return { key: null, value: Buffer.from(value), ...rest }
}

/** Records of one partition with the values `from`..`to - 1`. */
export function numbers(from: number, to: number, partition = 0): NewRecord[] {
  return Array.from({ length: to - from }, (_, index) => text(String(from + index), { partition }))
}

/** Stores the records that a handler receives, and waits for them. */
export class Received {
  readonly batches: Batch[] = []
  readonly #waiting: { readonly test: () => boolean; readonly resolve: () => void }[] = []

  get records(): readonly LogRecord[] {
    return this.batches.flatMap(({ records }) => records)
  }

  get texts(): readonly string[] {
    return this.records.map(({ value }) => value.toString())
  }

  readonly onBatch = async (batch: Batch): Promise<void> => {
    this.batches.push(batch)
    this.check()
  }

  check(): void {
    for (const waiter of this.#waiting) if (waiter.test()) waiter.resolve()
  }

  until(test: () => boolean): Promise<void> {
    return test() ? Promise.resolve() : new Promise(resolve => this.#waiting.push({ test, resolve }))
  }

  /** Resolves when at least `count` records have been received. */
  count(count: number): Promise<void> {
    return this.until(() => this.records.length >= count)
  }
}

/** Time after which a wait fails, far above that of a busy machine: otherwise it would go on beside the next tests. */
const eventuallyWithinMs = 120_000

/** Repeats the test until it holds; rejects if that takes too long. */
export async function eventually(test: () => Promise<boolean> | boolean): Promise<void> {
  const untilMs = performance.now() + eventuallyWithinMs
  while (!(await test())) {
    if (performance.now() > untilMs) throw new Error(`The condition did not hold within ${eventuallyWithinMs} ms`)
    await sleep(20)
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

export interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

export function gate(): Gate {
  let open = (): void => {}
  const opened = new Promise<void>(resolve => (open = resolve))
  return { opened, open }
}
