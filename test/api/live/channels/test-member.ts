import type { Member } from '../../../../api/live/channels/channel.ts'
import type { Frame } from '../../../../api/live/outbox/frame.ts'
import { Subscriber } from '../../../../api/live/outbox/subscriber.ts'
import type { LiveFailure } from '../../../../schema/requests/live.ts'

/** A member of a channel that writes what it is sent to a list. */
export interface TestMember {
  readonly member: Member
  readonly failures: LiveFailure[]
  /** Sends what is pending; returns the events since the previous call. */
  readonly flush: () => readonly { readonly event: string; readonly data: object }[]
}

/** Creates a member with the rights of a caller. */
export function createMember(
  companyId: string,
  caller: Member['caller'] = { scopes: [], standsFor: [] },
  bytes = 100_000,
): TestMember {
  const sent: { readonly event: string; readonly data: object }[] = []
  const failures: LiveFailure[] = []
  const write = (frames: readonly Frame[]) => {
    sent.push(...frames.map(({ event, json }) => ({ event, data: Object(JSON.parse(json)) })))
    return true
  }
  const connection = { write, close: () => undefined }
  const queued = new Set<{ flush(): void }>()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the subscriber calls only `add`
  const scheduler = { add: (each: { flush(): void }) => queued.add(each) } as never
  const subscriber: Member['subscriber'] = new Subscriber(connection, scheduler, { bytes, blockedMs: 1_000 })
  const member: Member = {
    companyId,
    caller,
    isJoined: true,
    subscriber,
    send: (event, data) => sent.push({ event, data: Object(data) }),
    fail: failure => failures.push(failure),
  }
  const flush = () => {
    while (queued.size > 0) {
      const [...now] = queued
      queued.clear()
      for (const each of now) each.flush()
    }
    return sent.splice(0)
  }
  return { member, failures, flush }
}
