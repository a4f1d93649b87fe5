import { pino } from 'pino'
import type { Receiver } from '../../../api/live/outbox/connection.ts'
import type { Frame } from '../../../api/live/outbox/frame.ts'
import { Live } from '../../../api/live/sessions/live.ts'
import { readPlainMessage } from '../../../api/live/transport/plain.ts'
import { type Sample, omittedFields } from '../../../schema/sample.ts'
import { Plant } from '../../processors/registrar/plant.ts'
import { asMachineRef } from '../../../schema/refs.ts'

/** One reader of a machine's values. */
export interface Reader {
  /** Received values in their order, each with its key. */
  readonly told: readonly (readonly [key: string, value: string])[]
  /** Bytes of each write. */
  readonly writes: readonly number[]
  /** Whether the buffer has space after a write. */
  hasRoom: boolean
  readonly receiver: Receiver
}

/** The live channels of a plant with one machine, and a clock that the test sets. */
export class OneMachine {
  nowMs = Date.parse('2026-03-02T10:00:00Z')
  readonly live: Live
  readonly #plant = new Plant()
  readonly #machineId = this.#plant.machine()

  constructor() {
    const unasked = (): never => {
      throw new Error('Nobody asks for the timeline')
    }
    this.live = new Live({
      records: this.#plant.records,
      checkToken: async () => ({
        companyId: this.#plant.companyId,
        scopes: ['reporting'],
        standsFor: ['key'],
        tokenEndsAtMs: null,
      }),
      history: { samples: unasked, documented: unasked, caughtUp: unasked },
      requestFlush: () => undefined,
      connectorHealth: { get: () => null },
      connectorSecrets: null,
      clock: () => this.nowMs,
      logger: pino({ level: 'silent' }),
      settings: {
        buffer: { bytes: 2_097_152, blockedMs: 30_000 },
        commandsPerSecond: 20,
        timeline: { days: 31, samples: 100_000 },
        admission: { connections: 100, guestsOfAddress: 100, joinWithinMs: 30_000 },
        waitingBytes: 33_554_432,
        valuesBytes: 1e9,
        timelines: 100,
      },
    })
  }

  /** A sample of the machine, `atMs` after now. */
  sample(atMs: number, value: string, key = 'load'): Sample {
    return {
      machineRef: asMachineRef(1),
      atUs: (this.nowMs + atMs) * 1000,
      key,
      type: 'LOAD',
      subtype: '',
      category: 'SAMPLE',
      value,
      ...omittedFields,
    }
  }

  /** Follows the machine's values. */
  follow({ hasRoom = true } = {}): Reader {
    const told: (readonly [string, string])[] = []
    const writes: number[] = []
    const permit = this.live.sessions.admission.admit('192.0.2.1')
    if (!permit) throw new Error('There is room')
    const connection = {
      write(frames: readonly Frame[]) {
        const updates = frames.filter(({ event }) => event === 'update')
        for (const { json } of updates) {
          const { key, value }: { readonly key: string; readonly value: string } = JSON.parse(json)
          told.push([key, value])
        }
        if (updates.length === 0) return true
        writes.push(updates.reduce((sum, { wire }) => sum + wire.length, 0))
        return reader.hasRoom
      },
      close: () => undefined,
    }
    const receiver = this.live.connect('diagnostics', permit, connection)
    const reader = { told, writes, hasRoom, receiver }
    const send = (event: string, data: unknown) => {
      const text = JSON.stringify({ event, data })
      receiver.receive({ bytes: text.length, text: () => text, read: readPlainMessage })
    }
    send('join', { token: 'a token' })
    send('set_machines', [this.#machineId])
    return reader
  }
}

/** Resolves when a condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let times = 0; times < 12_000 && !holds(); times++) await new Promise(resolve => setTimeout(resolve, 5))
  if (!holds()) throw new Error('It does not come to hold')
}
