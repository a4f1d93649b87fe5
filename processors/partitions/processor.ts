import type { Logger } from 'pino'
import type { Batch, Consumer, Log } from '../../log/log.ts'
import type { Change, CompanySettings, MachineRecord } from '../../schema/records.ts'
import { factsPartition, groups, topics, type FactsMessage, type Progress } from '../../schema/topics.ts'
import { affected, type Affected } from '../records/affected.ts'
import { AlarmAnnouncer } from '../alarms/announcer.ts'
import type { AlarmIdStore } from '../../schema/alarm-instance.ts'
import type { Calendar } from '../calendar/types.ts'
import type { Records } from '../records/records.ts'
import type { CommandClient } from '../registrar/client.ts'
import type { MachineInputs } from '../timeline/types.ts'
import type { DayCalendar } from './company-days.ts'
import { createStatusPublisher, type StatusPublisher } from './live-status.ts'
import { machinesOf, Partition } from './partition.ts'
import type { DocumentStore } from '../../schema/document-store.ts'
import { PendingPromotions, promotionsOf, type Promotion } from './promotions.ts'
import { RebuildKeeper } from './rebuild-keeper.ts'

export interface ProcessorDeps {
  readonly log: Log
  readonly store: DocumentStore
  readonly alarmIds: AlarmIdStore
  readonly records: Records
  /** Resolves when `records` hold all that the log holds now. */
  readonly catchUpRecords: () => Promise<void>
  readonly commands: CommandClient
  readonly inputsOf: (machine: MachineRecord) => MachineInputs
  /** The calendar of machines without a schedule. */
  readonly calendarOf: (settings: CompanySettings, schedule: null) => Calendar
  readonly clock: () => number
  readonly logger: Logger
  /** Names this process in its claims. */
  readonly owner: string
}

/** A change of the records as the documents see it, kept so that a partition taken over later can catch up with it. */
interface PastChange {
  readonly offset: number
  readonly affected: readonly Affected[]
  readonly promotions: readonly Promotion[]
  /** `ref` of the company that is new or changed; null: none is. */
  readonly company: number | null
}

interface Owned {
  readonly partition: Partition
  readonly promotions: PendingPromotions
  readonly fence: number
  nextOffset: number
  /** The records offset that the store knows of, and what has been handed to the partition. */
  storedRecordsOffset: number
  recordsOffset: number
  /** Changes on their way into the partition. */
  handing: number
}

const tickMs = 1000
const idleMs = 100

/**
 * The process role: consumes facts by partition and keeps every machine's documents right. Create it before the records are
 * followed, so that it sees every change.
 */
export class Processor {
  readonly #deps: ProcessorDeps
  readonly #owned = new Map<number, Owned>()
  readonly #past: PastChange[] = []
  readonly #status: StatusPublisher
  readonly #announcer: AlarmAnnouncer
  readonly #rebuilds: RebuildKeeper
  #consumer: Consumer | null = null
  #partitions = 0
  #samplesPartitions = 0
  #stopped = false
  #loops: readonly Promise<void>[] = []
  #wake: () => void = () => undefined

  constructor(deps: ProcessorDeps) {
    this.#deps = deps
    this.#status = createStatusPublisher(deps)
    this.#announcer = new AlarmAnnouncer({ ...deps, store: deps.alarmIds, isBusy: () => this.#isBusy() })
    this.#rebuilds = new RebuildKeeper({
      ...deps,
      works: () => [...this.#owned].map(([partition, owned]) => [partition, owned.partition] as const),
      partitions: () => this.#partitions,
      dirtyHours: partition => this.#dirtyHours(partition),
      wake: () => this.#wake(),
    })
    deps.records.onChange((change, offset) => this.#changed(change, offset))
  }

  /** Starts to consume; resolves once it has joined. */
  async run(): Promise<void> {
    const { log } = this.#deps
    this.#partitions = await log.partitionCount(topics.facts)
    this.#samplesPartitions = await log.partitionCount(topics.samples)
    this.#consumer = await log.consume({
      topic: topics.facts,
      group: groups.process,
      onAssigned: async partitions => {
        await Promise.all(partitions.map(partition => this.#assign(partition)))
      },
      onRevoked: async partitions => {
        for (const partition of partitions) {
          this.#owned.delete(partition)
          this.#announcer.release(partition)
        }
        await Promise.resolve()
      },
      onBatch: batch => this.#take(batch),
    })
    this.#loops = [this.#workLoop(), this.#tickLoop()]
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wake()
    await Promise.all(this.#loops)
    await this.#consumer?.stop()
    await this.#announcer.stop()
  }

  async #assign(partition: number): Promise<void> {
    const { store, records, clock, logger } = this.#deps
    const fence = await this.#claim(partition)
    const stored = (await store.readRecordsOffset(partition)) ?? -1
    const recordsOffset = records.offset
    const owned: Owned = {
      partition: new Partition({
        partition,
        partitions: this.#partitions,
        fence,
        store,
        clock,
        inputsOf: machine => this.#inputsOf(machine),
        calendarOf: company => this.#calendarOf(company),
        onCurrent: tracks => this.#status.computed(tracks),
        onWritten: documents => this.#announcer.add(partition, documents),
      }),
      promotions: new PendingPromotions(this.#samplesPartitions),
      fence,
      nextOffset: (await this.#deps.log.committed(groups.process, topics.facts))[partition] ?? 0,
      storedRecordsOffset: stored,
      recordsOffset,
      handing: 0,
    }
    const machines = [...records.allMachines()].filter(({ ref }) => this.#isIn(partition, ref))
    const companyOf = (machine: MachineRecord) => records.company(machine.companyId)?.ref ?? 0
    await this.#announcer.takeOver(partition, [...new Set(machines.map(companyOf))])
    const companies = records.companies().map(({ ref }) => ref)
    await owned.partition.takeOver(machines, companyOf, companies)
    this.#owned.set(partition, owned)
    for (const change of this.#past) {
      if (change.offset > stored) await this.#hand(owned, partition, change)
      // Hours follow from what the former owner stored; calendars of days are this process's own, read before this change was.
      else if (change.company !== null) await this.#hand(owned, partition, { ...change, affected: [], promotions: [] })
    }
    await this.#rebuilds.takeOver(partition, owned.partition)
    logger.info(
      { partition, fence, machines: machines.length, dirtyHours: owned.partition.dirtyHours },
      'facts partition taken over',
    )
    this.#wake()
  }

  /** The log may be newer than the store: what is written from now on must win over all that is stored. */
  async #claim(partition: number): Promise<number> {
    const { commands, owner, store } = this.#deps
    const above = await store.readHighestFence()
    for (;;) {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the command answers
        const result = (await commands.submit('claim', { partition, owner, above }, { companyId: null })) as {
          fence: number
        }
        return result.fence
      } catch (error) {
        if (this.#stopped) throw error
        this.#deps.logger.warn({ err: error, partition }, 'claim not answered, trying again')
      }
    }
  }

  #isBusy(): boolean {
    return [...this.#owned.values()].some(({ partition }) => partition.dirtyHours > 0)
  }

  #inputsOf(machine: number): MachineInputs | undefined {
    const record = this.#deps.records.machineByRef(machine)
    return record ? this.#deps.inputsOf(record) : undefined
  }

  #calendarOf(company: number): DayCalendar | undefined {
    const settings = this.#deps.records.companyByRef(company)?.settings
    if (!settings) return undefined
    return {
      bounds: `${settings.timeZone} ${settings.startOfDay}`,
      calendar: this.#deps.calendarOf(settings, null),
    }
  }

  #isIn(partition: number, machine: number): boolean {
    return factsPartition(machine, this.#partitions) === partition
  }

  async #take({ partition, records: batch }: Batch): Promise<void> {
    const owned = this.#owned.get(partition)
    if (!owned) return
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only ingest writes the topic
    const messages = batch.map(({ value }) => JSON.parse(value.toString()) as FactsMessage)
    await this.#knowMachines(messages)
    await owned.partition.take(messages)
    for (const { marker } of messages) if (marker) owned.promotions.mark(marker.samplesPartition, marker.recordsOffset)
    const nextOffset = (batch.at(-1)?.offset ?? -1) + 1
    await this.#consumer?.commit(partition, nextOffset)
    owned.nextOffset = nextOffset
    this.#wake()
  }

  /** A fact may speak of a machine whose record this process has yet to follow. */
  async #knowMachines(messages: readonly FactsMessage[]): Promise<void> {
    const { records, catchUpRecords } = this.#deps
    if ([...machinesOf(messages)].every(machine => records.machineByRef(machine))) return
    await catchUpRecords()
  }

  #changed(change: Change, offset: number): void {
    if (change.kind === 'rebuild') return this.#rebuilds.asked(change.after)
    const past = {
      offset,
      affected: affected(change, this.#deps.records),
      promotions: promotionsOf(change, offset),
      company: change.kind === 'company' ? (change.after?.ref ?? null) : null,
    }
    if (past.affected.length === 0 && past.promotions.length === 0 && past.company === null) return
    // Also for partitions that are just being taken over: they may have looked at the company before.
    this.#past.push(past)
    for (const [partition, owned] of this.#owned) {
      this.#hand(owned, partition, past).catch((error: unknown) =>
        this.#deps.logger.error({ err: error }, 'change of records not taken'),
      )
    }
  }

  async #hand(owned: Owned, partition: number, { offset, affected, promotions, company }: PastChange): Promise<void> {
    owned.handing++
    owned.promotions.add(promotions.filter(({ machine }) => this.#isIn(partition, machine)))
    const ofPartition = affected.filter(({ machine }) => this.#isIn(partition, machine))
    await owned.partition.recordsChanged(ofPartition, company)
    owned.recordsOffset = Math.max(owned.recordsOffset, offset)
    owned.handing--
    this.#wake()
  }

  async #workLoop(): Promise<void> {
    while (!this.#stopped) {
      let left = false
      for (const owned of this.#owned.values()) {
        try {
          await this.#promote(owned)
          left = (await owned.partition.work()) || left
        } catch (error) {
          this.#deps.logger.warn({ err: error }, 'documents not written, trying again')
          await sleep(tickMs)
        }
      }
      left ||= await this.#workOnDays()
      // The event loop gets its turn between slices: fresh facts come first.
      await (left ? sleep(0) : this.#idle())
    }
  }

  /** A slice of each partition's day documents, where no hour is left; reports are right without them. Tells whether any was made. */
  async #workOnDays(): Promise<boolean> {
    let made = false
    for (const [partition, { partition: work }] of this.#owned) {
      if (this.#stopped || this.#isBusy()) break
      try {
        const task = await work.workOnDays()
        if (!task) continue
        made = true
        const { company, machines, days } = task
        this.#deps.logger.debug(
          { partition, company, machines: machines.length, days: days.map(day => day.shopDate), stale: work.staleDays },
          'day documents made',
        )
      } catch (error) {
        this.#deps.logger.warn({ err: error, partition }, 'day documents not made, trying again')
        await sleep(tickMs)
      }
    }
    return made
  }

  async #promote(owned: Owned): Promise<void> {
    for (const promotion of owned.promotions.ready()) {
      const record = this.#deps.records.machineByRef(promotion.machine)
      const company = record && this.#deps.records.company(record.companyId)
      if (company) await this.#deps.store.promoteKey(company.ref, promotion.machine, promotion.key)
      await owned.partition.recordsChanged([{ machine: promotion.machine, fromMs: 0, toMs: null }])
      owned.promotions.done(promotion)
    }
  }

  async #idle(): Promise<void> {
    try {
      await this.#report()
    } catch (error) {
      this.#reported = ''
      this.#deps.logger.warn({ err: error }, 'progress not told, trying again')
      await sleep(tickMs)
    }
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, idleMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #tickLoop(): Promise<void> {
    while (!this.#stopped) {
      await sleep(tickMs)
      try {
        for (const owned of this.#owned.values()) {
          await owned.partition.tick()
          this.#status.refresh(owned.partition.tracks)
        }
        await this.#announcer.tick()
        await this.#rebuilds.tick()
        await this.#report(true)
      } catch (error) {
        this.#deps.logger.error({ err: error }, 'tick failed')
      }
    }
  }

  #reported = ''

  /** Tells the others how far each partition is; without `always`, only where it has changed. */
  async #report(always = false): Promise<void> {
    const progress = this.progress()
    const text = JSON.stringify(progress)
    if (!always && text === this.#reported) return
    this.#reported = text
    if (progress.length > 0)
      await this.#deps.log.append(
        topics.live,
        progress.map(of => ({ key: null, value: Buffer.from(JSON.stringify({ kind: 'progress', ...of })) })),
      )
    await this.#storeRecordsOffsets()
  }

  /** Once nothing is left to do, the documents of a partition are known to follow the records. */
  async #storeRecordsOffsets(): Promise<void> {
    for (const [partition, owned] of this.#owned) {
      const isDone = owned.partition.dirtyHours === 0 && owned.promotions.size === 0
      if (!isDone || owned.recordsOffset <= owned.storedRecordsOffset) continue
      await this.#deps.store.writeRecordsOffset(partition, owned.recordsOffset, BigInt(owned.fence) << 40n)
      owned.storedRecordsOffset = owned.recordsOffset
    }
  }

  /** How far each owned partition is. */
  progress(): readonly Progress[] {
    return [...this.#owned].map(([partition, { partition: work, nextOffset, recordsOffset, handing }]) => ({
      partition,
      nextOffset,
      dirtyHours: this.#dirtyHours(partition),
      rebuilds: work.rebuilds,
      // Entries that touch no document move the offset, too.
      recordsOffset: handing === 0 ? this.#deps.records.offset : recordsOffset,
    }))
  }

  /** What a partition has left to do before its documents are right: a rebuild makes none of them wrong. */
  #dirtyHours(partition: number): number {
    const owned = this.#owned.get(partition)
    if (!owned) return 0
    return owned.partition.dirtyHours + owned.promotions.size + this.#announcer.due(partition)
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms)
  })
}
