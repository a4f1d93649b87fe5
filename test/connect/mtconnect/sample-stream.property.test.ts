import { assert } from 'chai'
import * as fc from 'fast-check'
import { readStreamPosition, storeChanges } from '../../../connect/mtconnect/stored-position.ts'
import { decodePositions, Position } from '../../../connect/positions/position.ts'
import type { SampleStream } from '../../../connect/mtconnect/sample-stream.ts'
import type { StreamPosition } from '../../../connect/mtconnect/position.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { forAll } from '../../support/for-all.ts'
import { streamOf, time } from './documents.ts'
import { conditionIds, eventIds, SimulatedAgent } from './simulated-agent.ts'

type Command =
  | { readonly kind: 'event'; readonly id: string; readonly value: string }
  | {
      readonly kind: 'condition'
      readonly id: string
      readonly level: 'Normal' | 'Warning' | 'Fault'
      readonly code: string
    }
  | {
      readonly kind: 'part' | 'disconnect' | 'restart' | 'restart with the same instanceId' | 'read' | 'save' | 'crash'
    }
  | { readonly kind: 'connect'; readonly isReversed: boolean }
  | { readonly kind: 'burst'; readonly length: number; readonly endedCode: string }

const kind = <Kind extends Command['kind']>(name: Kind) => fc.constant({ kind: name })
const change: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant('event' as const),
    id: fc.constantFrom(...eventIds),
    value: fc.constantFrom('ACTIVE', 'READY', 'STOPPED'),
  }),
  fc.record({
    kind: fc.constant('condition' as const),
    id: fc.constantFrom(...conditionIds),
    level: fc.constantFrom('Normal', 'Warning', 'Fault', 'Fault'),
    code: fc.constantFrom('', '1', '2', '1', '2'),
  }),
  kind('part' as const),
)
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: change },
  { weight: 4, arbitrary: kind('read' as const) },
  { weight: 1, arbitrary: kind('save' as const) },
  { weight: 1, arbitrary: kind('crash' as const) },
  { weight: 1, arbitrary: kind('disconnect' as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('connect' as const), isReversed: fc.boolean() }) },
  { weight: 1, arbitrary: kind('restart' as const) },
  { weight: 1, arbitrary: kind('restart with the same instanceId' as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('burst' as const),
      length: fc.integer({ min: 1, max: 40 }),
      endedCode: fc.constantFrom('', '1', '2'),
    }),
  },
)

const starts = fc.constantFrom('now' as const, 'buffer' as const)

/** Keys of the items by id. */
const keys: Readonly<Record<string, string>> = {
  exec: 'execution',
  mode: 'mode',
  sys: 'system',
  logic: 'logic',
  part: 'part',
}

/** A connector that reads a simulated agent, and the samples that a store has of it. */
class Reader {
  readonly agent = new SimulatedAgent(20)
  /** Delivered samples by identity. */
  readonly stored = new Map<string, WireSample>()
  /** Parts whose observations were read. */
  readonly parts = new Set<number>()
  #savedParts: ReadonlySet<number> = new Set()
  /**
   * Whether a part may count twice: the part was delivered after the stored position, a crash followed, and the agent had
   * discarded the observation. If its adapter sends the part again, neither the position nor the number identifies it.
   */
  mayRepeatPart = false
  #stream: SampleStream
  /** Where the changes of the stream's position are stored, and the records of it. */
  readonly #position = new Position('agent')
  readonly #records = new Map<string, Buffer>()
  #saved: StreamPosition | null = null
  /** Last contact and newest timestamp before the position, and before the stored one. */
  #contactMs = 0
  #newest = ''
  #savedTimes = { contactMs: 0, newest: '' }

  constructor(start: 'now' | 'buffer') {
    this.#stream = streamOf({ start })
  }

  run(one: Command): void {
    const { agent } = this
    switch (one.kind) {
      case 'event':
        return agent.setEvent(one.id, one.value)
      case 'condition':
        return agent.setCondition(one.id, one.level, one.code)
      case 'part':
        return agent.finishPart()
      case 'disconnect':
        return agent.isConnected ? agent.disconnect() : undefined
      case 'connect':
        return agent.isConnected ? undefined : agent.connect(one.isReversed)
      case 'restart':
        // A part that was delivered after the stored position, and is sent again by another run, would count twice.
        this.#save()
        return agent.restart(true)
      case 'restart with the same instanceId':
        return this.#restartSame()
      case 'burst':
        for (const id of conditionIds) agent.setCondition(id, 'Normal', one.endedCode)
        for (let i = 0; i < one.length; i++) agent.setEvent('exec', i % 2 === 0 ? 'ACTIVE' : 'READY')
        return undefined
      case 'read':
        return this.read()
      case 'save':
        this.#save()
        return undefined
      case 'crash':
        this.#crash()
        return this.read()
      default:
        return one satisfies never
    }
  }

  /** Such a restart is only visible while the position is above the new sequences. */
  #restartSame(): void {
    this.read()
    if ((this.#stream.next ?? 0) <= 30) return
    this.agent.restart(false)
    this.read()
    this.#save()
  }

  #crash(): void {
    if (this.#saved === null) return
    for (const part of this.parts)
      if (!this.#savedParts.has(part) && !this.agent.hasFirstObservationOf(part)) this.mayRepeatPart = true
    this.#stream = streamOf({ isBehind: true }, this.#saved)
    this.#contactMs = this.#savedTimes.contactMs
    this.#newest = this.#savedTimes.newest
  }

  #save(): void {
    const position = this.#stream.position()
    const changes = this.#stream.takeChanges()
    if (position === null || changes === null) return
    storeChanges(this.#position, changes)
    for (const { key, value } of this.#position.takeChanges()) this.#records.set(key ?? '', Buffer.from(value))
    const stored = decodePositions(this.#records).get('agent')
    this.#saved = stored === undefined ? null : readStreamPosition(stored)
    assert.deepEqual(inStoredOrder(this.#saved), inStoredOrder(position))
    this.#savedTimes = { contactMs: this.#contactMs, newest: this.#newest }
    this.#savedParts = new Set(this.parts)
  }

  /** Reads all observations that the agent still has. */
  read(): void {
    if (this.#stream.next === null) this.#readCurrent()
    for (let i = 0; i === 0 || this.#stream.next !== this.agent.next; i++) {
      assert.isBelow(i, 100)
      const next = Number(this.#stream.next)
      const document = this.agent.sample(next, 7)
      if (document === null) this.#readCurrent()
      else {
        const { situation, samples } = this.#stream.apply(document, 'sample')
        this.#store(samples)
        if (situation !== 'continue') {
          this.#readCurrent()
          continue
        }
        this.#contactMs = this.agent.createdMs
        for (const part of this.agent.partsIn(next, Number(this.#stream.next))) this.parts.add(part)
      }
    }
  }

  #readCurrent(): void {
    const before = Number(this.#stream.next ?? 0)
    const newest = this.#newest
    const { situation, samples } = this.#stream.apply(this.agent.current(), 'current')
    if (situation === 'overrun') this.#checkMarkers(samples, before, newest)
    const from = situation === 'overrun' ? before : 0
    for (const part of this.agent.presentPartsIn(from, Number(this.#stream.next))) this.parts.add(part)
    if (situation === 'first') this.#contactMs = this.agent.createdMs
    this.#store(samples)
  }

  /** An overrun marks a gap for the events that changed since the position, and for no others. */
  #checkMarkers(samples: readonly WireSample[], next: number, newest: string): void {
    const markers = samples.filter(({ sequence, value }) => sequence === undefined && value === 'UNAVAILABLE')
    const expected = [...eventIds, 'part'].filter(id => this.agent.changedSince(next).has(id)).map(id => keys[id])
    const atMarker = markers.filter(({ timestamp }) => timestamp === markers[0]?.timestamp)
    assert.sameMembers(
      atMarker.map(({ key }) => key),
      expected,
    )
    const contact = time(this.#contactMs)
    const before = contact > newest ? contact : newest
    const us = (timestamp: string) => Date.parse(timestamp) * 1000 + Number(timestamp.slice(-4, -1))
    for (const { timestamp } of atMarker) assert.equal(us(timestamp), us(before) + 1)
  }

  #store(samples: readonly WireSample[]): void {
    for (const sample of samples) {
      const { instanceId, sequence, key } = sample
      const identity = sequence === undefined ? JSON.stringify(sample) : `${instanceId} ${sequence} ${key}`
      const known = this.stored.get(identity)
      if (known !== undefined) assert.deepEqual(sample, known, 'a number has one content')
      this.stored.set(identity, sample)
      if (sample.timestamp > this.#newest) this.#newest = sample.timestamp
    }
  }
}

function inStoredOrder(position: StreamPosition | null) {
  if (position === null) return null
  const byText = (values: readonly unknown[]) => values.map(value => JSON.stringify(value)).sort()
  const { newestUs, keys, items, ...head } = position
  return { ...head, newestUs: byText(newestUs), keys: byText(keys), items: byText(items) }
}

/** Samples in the order in which a machine's state is computed. */
function inOrder(samples: Iterable<WireSample>): readonly WireSample[] {
  const clears = ({ value }: WireSample) => (/^(?:normal|unavailable)$/i.test(String(value)) ? 0 : 1)
  return [...samples].sort(
    (a, b) =>
      (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0) ||
      (a.instanceId ?? 0) - (b.instanceId ?? 0) ||
      (a.sequence ?? 0) - (b.sequence ?? 0) ||
      clears(a) - clears(b),
  )
}

function activeCodes(samples: readonly WireSample[]): Readonly<Record<string, string>> {
  const active = new Map<string, string>()
  for (const { value, nativeCode = '' } of samples) {
    const level = String(value).toUpperCase()
    if (level === 'UNAVAILABLE' || (level === 'NORMAL' && nativeCode === '')) active.clear()
    else if (level === 'NORMAL') active.delete(nativeCode)
    else active.set(nativeCode, level)
  }
  return Object.fromEntries(active)
}

function check({ agent, stored, parts, mayRepeatPart }: Reader): void {
  const ordered = inOrder(stored.values())
  const byKey = (id: string) => ordered.filter(({ key }) => key === keys[id])
  for (const [id, value] of Object.entries(agent.events())) assert.equal(byKey(id).at(-1)?.value, value, id)
  for (const id of conditionIds) {
    const levels = Object.entries(agent.conditions(id)).map(([code, level]) => [code, level.toUpperCase()] as const)
    assert.deepEqual(activeCodes(byKey(id)), Object.fromEntries(levels), id)
  }
  const counted = byKey('part').filter(({ value }) => value === '1')
  assert.equal(new Set(counted.map(({ timestamp }) => timestamp)).size, parts.size, 'parts')
  if (!mayRepeatPart) assert.lengthOf(counted, parts.size, 'parts')
}

describe('MTConnect samples of a simulated agent', () => {
  it('An alarm that was delivered after the stored position and whose end is lost is not active', () => {
    const reader = new Reader('now')
    const commands: readonly Command[] = [
      { kind: 'read' },
      { kind: 'condition', id: 'sys', level: 'Warning', code: '1' },
      { kind: 'save' },
      { kind: 'read' },
      { kind: 'burst', length: 18, endedCode: '1' },
      { kind: 'condition', id: 'sys', level: 'Normal', code: '2' },
      { kind: 'crash' },
    ]
    for (const one of commands) reader.run(one)
    check(reader)
  })

  it('An alarm of a new run of the agent that was delivered after the stored position and whose end is lost is not active', () => {
    const reader = new Reader('now')
    const commands: readonly Command[] = [
      { kind: 'read' },
      { kind: 'restart' },
      { kind: 'condition', id: 'logic', level: 'Fault', code: '2' },
      { kind: 'condition', id: 'logic', level: 'Fault', code: '' },
      { kind: 'read' },
      { kind: 'burst', length: 19, endedCode: '2' },
      { kind: 'part' },
      { kind: 'crash' },
    ]
    for (const one of commands) reader.run(one)
    check(reader)
  })

  it('An event that was UNAVAILABLE after the stored position, and whose value has an earlier time, has its value', () => {
    const reader = new Reader('now')
    const commands: readonly Command[] = [
      { kind: 'read' },
      { kind: 'event', id: 'mode', value: 'ACTIVE' },
      { kind: 'save' },
      { kind: 'disconnect' },
      { kind: 'crash' },
      { kind: 'connect', isReversed: false },
      { kind: 'burst', length: 14, endedCode: '' },
      { kind: 'crash' },
    ]
    for (const one of commands) reader.run(one)
    check(reader)
  })

  it('Values, alarms and parts equal those of the agent after cuts, repeated reading, overruns and restarts', async () => {
    const property = fc.property(starts, fc.array(command, { minLength: 1, maxLength: 80 }), (start, commands) => {
      const reader = new Reader(start)
      for (const one of commands) {
        reader.run(one)
        if (one.kind === 'read') check(reader)
      }
      reader.read()
      check(reader)
    })
    await forAll(property, { numRuns: 1_000, shrinks: true })
  })
})
