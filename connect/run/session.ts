import { DeliveryStopped } from '../buffer/delivery-stopped.ts'
import type { Gap, SourceSession } from '../source/source.ts'

/** Parts of a connector that its session uses. */
export interface SessionPorts extends Omit<SourceSession, 'report' | 'heard'> {
  readonly onState: (state: 'catching_up' | 'connected') => void
  readonly onHeard: (machineIds: readonly string[] | undefined) => void
}

/** Passes the calls of a source to its connector until the connection has ended: later calls have no effect. */
export function openSession(ports: SessionPorts): { readonly session: SourceSession; readonly close: () => void } {
  let isOpen = true
  const whileOpen =
    <Arguments extends readonly unknown[]>(call: (...args: Arguments) => void) =>
    (...args: Arguments) => {
      if (isOpen) call(...args)
    }
  const { connector, secrets, position, notes, signal, clock, hasMachine, lookup, totals } = ports
  return {
    session: {
      connector,
      secrets,
      position,
      notes,
      signal,
      clock,
      hasMachine,
      lookup,
      totals,
      deliver: (samples, note) => (isOpen ? ports.deliver(samples, note) : rejectEnded()),
      deliverBody: body => (isOpen ? ports.deliverBody(body) : rejectEnded()),
      hasSpace: () => ports.hasSpace(),
      waitForSpace: () => ports.waitForSpace(),
      // A delivery of the session may be acknowledged after its end.
      positionChanged: () => ports.positionChanged(),
      heard: whileOpen((machineIds?: readonly string[]) => ports.onHeard(machineIds)),
      report: whileOpen((state: 'catching_up' | 'connected') => ports.onState(state)),
      sourceClock: whileOpen((atMs: number) => ports.sourceClock(atMs)),
      lost: whileOpen((gap: Gap) => ports.lost(gap)),
      warn: whileOpen((message: string) => ports.warn(message)),
    },
    close: () => {
      isOpen = false
    },
  }
}

/** A source may ignore the rejection, as that of a connector that stops. */
function rejectEnded(): Promise<never> {
  const ended = Promise.reject(new DeliveryStopped('The connection has ended'))
  ended.catch(() => undefined)
  return ended
}
