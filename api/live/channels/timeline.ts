import type { Logger } from 'pino'
import type { Records } from '../../../processors/records/records.ts'
import type { GetMetrics } from '../../../schema/requests/live.ts'
import type { MachineRecord } from '../../../schema/records.ts'
import { canonicalName } from '../../../schema/sample.ts'
import { FairQueue } from '../../../shared/fair-queue.ts'
import type { ChannelCore, Member } from '../channel.ts'
import { CommandFailed, unavailableCode } from '../failure.ts'
import type { LatestValues, Value } from '../latest-values.ts'
import { parseGetMetrics } from '../parse.ts'
import type { Metric } from '../metrics.ts'
import { DocumentedLines } from '../timeline/documented-lines.ts'
import type { MachineRange, TimelineHistory } from '../timeline/ports.ts'
import { timelineRequest, type TimelineLimits, type TimelineRequest } from '../timeline/request.ts'
import { Watch } from '../timeline/watch.ts'
import type { Turns } from '../turns.ts'

export interface TimelineDeps {
  readonly records: Pick<Records, 'get' | 'company'>
  readonly values: LatestValues
  readonly history: TimelineHistory
  readonly turns: Turns
  readonly limits: TimelineLimits
  readonly clock: () => number
  readonly logger: Logger
}

/** Requests of one client that go on live at once. */
const mostWatches = 64
/** Pasts that are read at once; more wait, the companies in rotation. */
const mostReads = 8
/** Samples of longer ago are in the store. */
const recentMs = 600_000
/** Samples come in this late, at most, after the end of a range. */
const lateMs = 60_000

/** `timeline`: samples of a range, and what is new of it as it comes. */
export class TimelineChannel implements ChannelCore {
  readonly name = 'timeline'
  readonly commands = {
    get_metrics: (data: unknown) => {
      const asked = parseGetMetrics(data)
      return (member: Member) => this.#getMetrics(member, asked)
    },
  }
  readonly #deps: TimelineDeps
  readonly #lines: DocumentedLines
  readonly #reads = new FairQueue(mostReads)
  /** By member, then by request id. */
  readonly #byMember = new Map<Member, Map<string, Watch>>()
  readonly #byMachine = new Map<number, Set<Watch>>()

  constructor(deps: TimelineDeps) {
    this.#deps = deps
    this.#lines = new DocumentedLines(deps.history, deps.logger)
  }

  /** A sample was told. */
  told(sample: Value): void {
    const watches = this.#byMachine.get(sample.machine)
    if (watches === undefined) return
    const metric = this.#deps.values.metrics.named(sample)
    for (const watch of watches) watch.take(sample, metric)
    this.#lines.touch(sample.machine)
  }

  /** A machine's documents have changed. */
  documented(machine: number): void {
    if (this.#byMachine.has(machine)) this.#lines.touch(machine)
  }

  left(member: Member): void {
    for (const watch of this.#byMember.get(member)?.values() ?? []) this.#forget(watch)
    this.#byMember.delete(member)
  }

  /** Now and then: tells what the documents have new, and forgets what is over. */
  async tick(): Promise<void> {
    const nowMs = this.#deps.clock()
    for (const [member, watches] of this.#byMember) {
      for (const [id, watch] of watches) if (watch.endsBefore(nowMs - lateMs)) this.#end(member, id, watch)
    }
    await this.#lines.refresh(nowMs)
  }

  async #getMetrics(member: Member, asked: GetMetrics): Promise<unknown> {
    await member.subscriber.room()
    const nowMs = this.#deps.clock()
    const request = timelineRequest(asked, this.#deps.limits, nowMs)
    const { machineId, requestId } = asked
    const machine = this.#deps.records.get('machine', member.companyId, machineId)
    if (machine === null)
      throw new CommandFailed('unknown_machine', `The company has no machine ${machineId}`, {
        machineIds: [machineId],
        requestId,
      })
    if (this.#isRecent(request)) await this.#deps.history.caughtUp()
    const metrics = this.#metricsOf(machine.ref)
    const isSent = (key: string) => metrics.some(metric => canonicalName(metric.key) === canonicalName(key))
    const { turns, limits } = this.#deps
    const { subscriber } = member
    const watch = new Watch({ machine: machine.ref, request, subscriber, turns, mostHeld: limits.samples }, isSent)
    const id = JSON.stringify(requestId ?? null)
    this.#begin(member, id, watch)
    try {
      await this.#answer(watch, machine, metrics)
      if (!member.isJoined) this.#end(member, id, watch)
    } catch (error) {
      this.#end(member, id, watch)
      throw withRequest(error, requestId)
    }
    if (request.endMs <= nowMs) this.#end(member, id, watch)
    return { requestId: requestId ?? null }
  }

  async #answer(watch: Watch, machine: MachineRecord, metrics: readonly Metric[]): Promise<void> {
    const { history, limits, clock, values } = this.#deps
    const { request } = watch
    if (this.#isRecent(request)) await history.caughtUp()
    const range = this.#rangeOf(request, machine, clock())
    const wanted = metrics.filter(metric => request.wanted.some(each => each.matches(metric)))
    const [samples, documented] = await this.#reads.run(machine.companyId, () =>
      Promise.all([
        history.samples(range, wanted, limits.samples + 1),
        watch.lines.length > 0 ? history.documented(range) : { spans: [], parts: [] },
      ]),
    )
    if (samples.length + watch.held > limits.samples)
      throw new CommandFailed(
        'invalid_request',
        `More than ${limits.samples} samples: ask for fewer metrics or less time`,
      )
    watch.cutOver(samples, documented, sample => values.metrics.named(sample))
    if (watch.lines.length > 0) this.#lines.add(range.company, watch)
  }

  #rangeOf(
    { fromMs, endMs }: TimelineRequest,
    { ref: machine, companyId }: MachineRecord,
    nowMs: number,
  ): MachineRange {
    const company = this.#deps.records.company(companyId)?.ref ?? 0
    return { company, machine, fromMs, toMs: endMs, nowMs }
  }

  /** Whether some of its samples may be on their way into the store. */
  #isRecent({ endMs }: TimelineRequest): boolean {
    return endMs > this.#deps.clock() - recentMs
  }

  #metricsOf(machine: number): readonly Metric[] {
    const metrics: Metric[] = []
    this.#deps.values.each(machine, ({ metric }) => metrics.push(metric))
    return metrics
  }

  /** A request takes the place of one with the same id. */
  #begin(member: Member, id: string, watch: Watch): void {
    const watches = this.#byMember.get(member) ?? new Map<string, Watch>()
    const before = watches.get(id)
    if (before) this.#forget(before)
    else if (watches.size >= mostWatches)
      throw new CommandFailed('invalid_request', `${mostWatches} requests go on live already`, {
        requestId: watch.request.asked.requestId,
      })
    this.#byMember.set(member, watches.set(id, watch))
    const others = this.#byMachine.get(watch.machine)
    if (others) others.add(watch)
    else this.#byMachine.set(watch.machine, new Set([watch]))
  }

  #end(member: Member, id: string, watch: Watch): void {
    const watches = this.#byMember.get(member)
    if (watches?.get(id) === watch) watches.delete(id)
    this.#forget(watch)
  }

  #forget(watch: Watch): void {
    const watches = this.#byMachine.get(watch.machine)
    watches?.delete(watch)
    if (watches?.size === 0) this.#byMachine.delete(watch.machine)
    this.#lines.remove(watch)
  }
}

/** Every failure names the request that it is about. */
function withRequest(error: unknown, requestId: unknown): unknown {
  if (error instanceof CommandFailed)
    return new CommandFailed(error.code, error.message, { ...error.failure, requestId })
  const code = unavailableCode(error)
  return code === null
    ? error
    : new CommandFailed(code, 'The past can not be read now; ask again in a moment', { requestId })
}
